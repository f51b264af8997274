"""`python -m daxlab`: the same as `daxlab`."""

from daxlab.cli import main

if __name__ == "__main__":
    main()
