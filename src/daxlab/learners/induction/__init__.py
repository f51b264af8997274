"""Synchronous grammars: their rules, how they are found, and which derivation of a command is the best.

    rules.py        rules, and how often they derive a command or a command with its actions
    splits.py       the two smaller rules that a rule may be made of
    search.py       greedy induction by description length
    derivations.py  counts of rules below rules, and the best derivation

Pure Python, without arrays. Knows examples as pairs of phrases; knows nothing of datasets or of learners.
"""
