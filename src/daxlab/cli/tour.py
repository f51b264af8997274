"""The quick tour: what one sees first. Until networks train, it shows the language."""

from daxlab import language, split

COMMAND = "jump around left after jump twice"


def main() -> None:
    """Prints the language, one command taken apart, and the question that the laboratory asks."""
    scan, jump = language("scan", names="paper"), split("jump")
    print(f"SCAN has {len(scan.commands()):,} commands, made of {len(scan.words)} words. One of them:\n")
    print(f"  {COMMAND}\n\nmeans {' '.join(scan.translate(COMMAND))}, because\n")
    print("\n".join(f"  {line}" for line in str(scan.tree(COMMAND)).splitlines()))
    print(
        f'\nThe split "jump" shows a learner all {len(jump.train) - 1:,} commands without "jump", and the bare "jump"\n'
        f"for {jump.weights[-1] / jump.presentations:.0%} of the time. Then it asks for the other {len(jump.test):,}, "
        f'such as "{jump.test[-1].command}".\nWho knows what "walk twice" means should know. '
        "Lake and Baroni's networks were right on 0.08% of them.\n"
        "\nNext: .venv/bin/daxlab --help, and .venv/bin/daxlab data list"
    )


if __name__ == "__main__":
    main()
