"""Python's front door: what `import daxlab` offers beside the languages and the data.

    training.py    train: replicates of a learner on a split
    run.py         one run, to be asked
    runs.py        several runs, and what they say together
    find.py        runs, load: many by what they are, one by its key or folder
    errors.py      what goes wrong, by name
    comparison.py  compare: two sets of runs
    progress.py    what one sees while it trains, in a terminal or a notebook
    ledgers.py     which ledger is meant

Everything here stands on the rooms below and computes nothing itself. daxlab.plot draws what it returns.
"""
