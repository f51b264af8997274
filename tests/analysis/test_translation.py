"""BLEU as sacrebleu has it, on text that is not tokenised again; what is right; what training shows."""

from dataclasses import replace
from importlib.metadata import version
from math import exp, log

import pytest

from daxlab import InputError, dataset, split
from daxlab.analysis.answers import scored
from daxlab.analysis.translation import _shown, _whole, caution, right_of, scores as of_run, shown, translated
from daxlab.datasets.bleu import bleu, scores, signature
from daxlab.datasets.new_word import named
from daxlab.languages import Example


def test_the_signature_is_pinned() -> None:
    found = f"nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:{version('sacrebleu')}"
    assert bleu(["je suis la ."], [["je suis la ."]])[1] == signature(version("sacrebleu")) == found


def test_bleu_is_the_geometric_mean_of_precisions_with_a_brevity_penalty() -> None:
    given, right = "je suis tres fatigue .", "je suis tres fatigue aujourd hui ."
    precisions = (5 / 5, 3 / 4, 2 / 3, 1 / 2)
    by_hand = 100 * exp(1 - 7 / 5) * exp(sum(map(log, precisions)) / 4)
    assert bleu([given], [[right]])[0] == pytest.approx(by_hand)


def test_text_is_not_tokenised_again() -> None:
    apart, together = "aujourd hui il n est pas la .", "aujourd'hui il n'est pas la."
    assert bleu([apart], [[apart]])[0] == pytest.approx(100)
    assert bleu([apart], [[together]])[0] < 50


def test_who_translates_all_as_the_corpus_does_has_a_bleu_of_100() -> None:
    test = split("translation", "built-in").test
    right = [example.actions for example in test]
    assert scores(test, right) == pytest.approx({"bleu": 100, "bleu_by_sentence": 100})
    half = scores(test, [one[:-2] if n % 2 else one for n, one in enumerate(right)])
    assert 40 < half["bleu"] < 95
    assert half["bleu_by_sentence"] == pytest.approx(half["bleu"])  # the synthetic pairs have one French each


def test_pair_by_pair_a_sentence_with_two_french_ones_cannot_be_all_right() -> None:
    french = "je suis {} ici .", "moi je suis {} la ."
    test = [Example(f"i am {word} now .", tuple(one.format(word).split())) for word in "abcde" for one in french]
    found = scores(test, [test[n - n % 2].actions for n in range(len(test))])
    assert found["bleu_by_sentence"] == pytest.approx(100)
    assert found["bleu"] < 80


def test_a_question_is_right_with_vous_and_with_forms_that_agree(ledger_of, translations) -> None:
    asked = {
        "you are daxy .": "vous etes daxiste .",
        "he is daxy .": "il est fou .",
        "you are tired .": "vous etes fatiguees .",
        "i am not tired .": "je ne suis pas fatiguee .",
        "he is tired .": "il est fatiguee .",
        "you are very tired .": "tu es tres fatigues .",
    }
    ledger = ledger_of(translations("daxy-1000", asked=asked))
    found = translated(ledger, ledger.rows()[0])
    assert [one.question.command for one in found if one.question.taught] == ["i am daxy ."]
    daxy, tired = (right_of(found, word) for word in ("daxy", "tired"))
    assert (len(daxy), len(tired)) == (8, 8)
    assert [one.question.command for one in (*daxy, *tired) if not one.right] == [
        *("he is daxy .", "he is tired .", "you are very tired ."),
    ]
    assert (sum(one.as_stated for one in daxy), sum(one.as_stated for one in tired)) == (6, 4)


def test_questions_are_read_without_the_corpus_and_metrics_are_not_computed_again(
    ledger_of, translations, tmp_path
) -> None:
    path = tmp_path / "gone.tsv"
    path.write_text("".join(f"I am {w}.\tJe suis {w}.\n" for w in "abcdefgh"))
    ledger = ledger_of(translations("blicky-10", language=named(str(path), "blicky=blickiste")))
    path.unlink()
    (row,) = ledger.rows()
    assert translated(ledger, row)[0].question.command == "i am blicky ."
    with pytest.raises(InputError, match="there is no corpus"):
        scored(ledger, row["key"])


def test_a_predicate_is_one_word_that_fills_the_frame_and_nothing_else(tmp_path) -> None:
    path = tmp_path / "frames.tsv"
    sentences = [
        *("You are old.", "You are old!", "You're young.", "You are not old.", "You are very very old."),
        *("You are old now.", "He is old.", "He is tired.", "I'm tired of it.", "We are tired."),
    ]
    path.write_text("".join(f"{sentence}\tOui.\n" for sentence in [*sentences, "I am rich."]))
    lang = dataset(str(path))
    everything = lang.new, (*(pair.command for pair in lang.pairs), "he is tired .")  # with two French ones
    found = _shown(*everything)
    assert found.predicates["you are X ."] == 1
    assert found.contracted["you are X ."] == 2
    assert found.predicates["he is X ."] == 2
    assert (found.predicates["you are not X ."], found.predicates["you are very X ."]) == (1, 0)
    assert (found.sentences, found.seen) == (3, ("he is tired .",))
    assert shown(lang).sentences <= 3  # the test sentence is none of training
    assert found.framed["you are X ."] == 4  # old; not old; very very old; old now
    assert (found.asked["he is X ."], found.asked["you are X ."]) == (2, 0)


@pytest.mark.parametrize(
    ("short", "whole"),
    [("she s old .", "she is old ."), ("it s old .", "it is old ."), ("we re old .", "we are old ."),
     ("they re old .", "they are old ."), ("i m old .", "i am old ."), ("she sings .", "she sings .")],
)  # fmt: skip
def test_contractions_are_spelt_out(short: str, whole: str) -> None:
    assert _whole(short) == whole


def test_what_the_known_word_was_not_chosen_for_is_said(tmp_path) -> None:
    path = tmp_path / "none.tsv"
    path.write_text("".join(f"I am {w}.\tJe suis {w}.\n" for w in "abcdefgh"))
    assert caution(dataset("built-in")) == ""
    assert "no sentence of the corpus has it" in caution(dataset(str(path)))
    own = named("built-in", None, ["i am X .=je suis X .", "she is X .=elle est X ."])
    assert caution(dataset(own)) == "“tired” is asked in the same frames, whether or not they suit it."


def test_the_paper_s_training_corpus_counted_our_way(data) -> None:
    found = shown(dataset("tatoeba"))
    assert (found.sentences, found.seen) == (79, ("i am very tired .",))  # the paper: 80, and one
    assert found.mean == 11.875  # the paper: 22, counted in a way that it does not say
    assert sum(found.contracted.values()) / 8 == 51.375


def test_a_run_that_was_kept_without_bleu_has_it_from_its_translations(ledger_of, translations) -> None:
    run = translations("translation", wrong_every=2)
    bare = replace(run, metrics={name: run.metrics[name] for name in ("accuracy", "train_accuracy")})
    ledger = ledger_of(bare)
    found = of_run(ledger, ledger.rows()[0])
    assert found["bleu"] == run.metrics["bleu"] < 100
