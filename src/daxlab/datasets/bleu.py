"""BLEU of greedy translations, by sacrebleu (in the extra daxlab[train]).

The corpus is tokenised already (lower-case, no accents, signs apart).

Pairwise BLEU takes every pair of the test set as a sentence with one reference (the paper does not say). BLEU by
sentence takes each English sentence once, with all its French ones as references.
"""

from collections.abc import Sequence
from itertools import zip_longest

from daxlab.extras import imported
from daxlab.languages import Example

PAIRWISE, BY_SENTENCE = "bleu", "bleu_by_sentence"  # what a ledger calls them
PACKAGE = "sacrebleu"


def scores(test: Sequence[Example], answers: Sequence[Sequence[str]]) -> dict[str, float]:
    """Both figures of the translations of a test set."""
    translations = [" ".join(answer) for answer in answers]
    references = [" ".join(example.actions) for example in test]
    by_sentence: dict[str, tuple[str, list[str]]] = {}
    for example, translation, reference in zip(test, translations, references, strict=True):
        by_sentence.setdefault(example.command, (translation, []))[1].append(reference)
    once, several = zip(*by_sentence.values(), strict=True)
    pairwise, _ = bleu(translations, [[reference] for reference in references])
    return {PAIRWISE: pairwise, BY_SENTENCE: bleu(once, several)[0]}


def bleu(translations: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[float, str]:
    """Corpus BLEU from 0 to 100, and sacrebleu's signature; each translation has one reference or more."""
    with imported():
        from sacrebleu.metrics.bleu import BLEU  # slow to load

    metric = BLEU(tokenize="none", force=True)  # force: it need not warn that the text is tokenised already
    streams = list(zip_longest(*references))  # the first references, the second ones, …; None where there is none
    score = metric.corpus_score(list(translations), streams).score
    return float(score), str(metric.get_signature())


def signature(version: str) -> str:
    """What sacrebleu of that version calls the pairwise figure."""
    return f"nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:{version}"
