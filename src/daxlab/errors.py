"""What goes wrong and a user can mend: a bad name, file, value. The command line prints it and exits 2."""


class InputError(Exception):
    """What a user can mend: a bad name, file, value.

    The command line prints it as one sentence and exits 2.
    """
