"""The one kind of error that is the user's to mend. Knows nothing of what went wrong."""


class InputError(Exception):
    """What a user can mend: a bad name, file, value.

    The command line prints it as one sentence and exits 2.
    """
