"""Questions to the ledger, one file each: pure functions from a ledger to a frame. No training here.

accuracy.py       how right every network is on every split; the median run
size.py           Experiment 1: accuracy by how many commands are shown
parts.py          Experiment 1: what the test commands are made of, and how often training shows it
lengths.py        Experiment 2: accuracy by the length of actions, or of commands
search_errors.py  Experiment 2: errors of the search rather than of the network
ends.py           Experiment 2: wrong answers that end early, or late
constructions.py  Experiment 3: errors by construction of the new primitive; what comes out right
neighbours.py     Experiment 3: the training commands nearest to some others
few.py            Experiment 3: accuracy by how many composed commands are shown
translation.py    Experiment 4: the questions with a new word, what training shows
errors.py         for any split: errors by template, the confusion of actions, where errors begin
architectures.py  a search: how right every architecture is on every experiment
choosing.py       the best of many architectures, and what becomes of the choice
effects.py        what each value of an axis is worth, the others being equal
learning.py       learning curves
attention.py      what an attentive network looks at
origins.py        where runs were made, with which versions, and what they took

On which these stand:

answers.py        a run's answers to its test commands, one row each
replicates.py     what replicates say together
protocols.py      whether a run was trained by the paper's protocol
clauses.py        a command's clauses
"""
