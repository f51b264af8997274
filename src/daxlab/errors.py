"""What goes wrong and a user can mend. The one thing that every room may import."""


class InputError(Exception):
    """What a user can mend: a bad name, file, value.

    The command line prints it as one sentence and exits 2.
    """
