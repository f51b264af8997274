"""Questions to the ledger: pure functions from a ledger to a frame. No training here.

Of runs of any learner and dataset:

accuracy.py     how right every learner is on every split; the median run
errors.py       what goes wrong: by length, category, template, construction; where answers end; the search's errors
curves.py       learning curves; accuracy by how much training shows
contrast.py     two sets of runs: which is better, by how much, how sure that is, on which commands
search.py       many settings of one learner: the best, how sure that is, main effects
origins.py      where runs were made, with which versions, and what they took
answers.py      a run's answers to a test set, one row each
score.py        answers from outside the ledger: exact match on a test set
replicates.py   mean, standard error and interval over runs
every_eval_ever.py  learners' results as records that others collect

Of runs that have what they ask about:

parts.py        what test commands are made of, and how often training shows it (a grammar)
probes.py       the words that a network looks at, the training commands nearest to others (attention, encoder states)
translation.py  the questions with a new word (sentence pairs)
"""
