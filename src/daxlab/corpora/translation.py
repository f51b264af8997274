"""English-French sentence pairs (Tatoeba, by way of manythings.org), for Experiment 4."""

from daxlab.corpora.source import Corpus

ENG_FRA = Corpus(
    name="eng-fra",
    files=("fra.txt",),
    url="https://www.manythings.org/anki/fra-eng.zip",
    digest="4b9bd433511cf7da32cf045a76796bad64ceb4b2edf257e1aa59e0833b083956",  # the release of 2017-09-29
    exact=False,  # the site now serves newer ones than the paper used
)
