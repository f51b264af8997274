"""Times and sizes as people say them."""


def duration(seconds: float) -> str:
    """A time that a person can picture.

    >>> duration(42.0), duration(600.0), duration(7500.0)
    ('42 s', '10 min', '2.1 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def size(count: float) -> str:
    """A number of bytes.

    >>> size(34_000), size(2_500_000_000)
    ('0.0 MB', '2.5 GB')
    """
    return f"{count / 1e6:,.1f} MB" if count < 1e9 else f"{count / 1e9:,.1f} GB"


def counted(count: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "run"), counted(2500, "run")
    ('1 run', '2,500 runs')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
