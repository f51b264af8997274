"""BLEU as sacrebleu has it, on text that is not tokenised again; what is right; what training shows."""

from importlib.metadata import version
from math import exp, log

import pytest

from daxlab import InputError, language
from daxlab.analysis.translation import _shown, _whole, bleu, caution, right_of, scores, shown, translated
from daxlab.corpora.translation import named

HOW = f"case:mixed|eff:no|tok:none|smooth:exp|version:{version('sacrebleu')}"


def test_the_signature_is_pinned() -> None:
    assert bleu(["je suis la ."], [["je suis la ."]]).signature == f"nrefs:1|{HOW}"
    assert bleu(["a", "b"], [["a"], ["b", "c"]]).signature == f"nrefs:var|{HOW}"


def test_bleu_is_the_geometric_mean_of_precisions_with_a_brevity_penalty() -> None:
    given, right = "je suis tres fatigue .", "je suis tres fatigue aujourd hui ."
    precisions = (5 / 5, 3 / 4, 2 / 3, 1 / 2)
    by_hand = 100 * exp(1 - 7 / 5) * exp(sum(map(log, precisions)) / 4)
    assert bleu([given], [[right]]).score == pytest.approx(by_hand)


def test_text_is_not_tokenised_again() -> None:
    apart, together = "aujourd hui il n est pas la .", "aujourd'hui il n'est pas la."
    assert bleu([apart], [[apart]]).score == pytest.approx(100)
    assert bleu([apart], [[together]]).score < 50


def test_a_run_that_translates_all_as_the_corpus_does_has_a_bleu_of_100(ledger_of, translations) -> None:
    ledger = ledger_of(translations("translation", 0), translations("translation", 1, wrong_every=2))
    whole, half = (scores(ledger, row) for row in sorted(ledger.rows(), key=lambda row: row["seed"]))
    assert whole.pairwise.score == pytest.approx(100)
    assert 40 < half.pairwise.score < 95
    assert half.by_sentence.score == pytest.approx(half.pairwise.score)  # the synthetic pairs have one French each


def test_pair_by_pair_a_sentence_with_two_french_ones_cannot_be_all_right(ledger_of, translations, tmp_path) -> None:
    path = tmp_path / "two.tsv"
    path.write_text("".join(f"I am {w} now.\tJe suis {w} ici.\nI am {w} now.\tMoi je suis {w} la.\n" for w in "abcde"))
    ledger = ledger_of(translations("translation", language=str(path), same=True))
    (row,) = ledger.rows()
    found = scores(ledger, row)
    assert found.by_sentence.score == pytest.approx(100)
    assert found.pairwise.score < 80


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


def test_questions_are_read_without_the_corpus_and_scores_are_not(ledger_of, translations, tmp_path) -> None:
    path = tmp_path / "gone.tsv"
    path.write_text("".join(f"I am {w}.\tJe suis {w}.\n" for w in "abcdefgh"))
    ledger = ledger_of(translations("blicky-10", language=named(str(path), "blicky=blickiste")))
    path.unlink()
    (row,) = ledger.rows()
    assert translated(ledger, row)[0].question.command == "i am blicky ."
    with pytest.raises(InputError, match="there is no corpus"):
        scores(ledger, row)


def test_a_predicate_is_one_word_that_fills_the_frame_and_nothing_else(tmp_path) -> None:
    path = tmp_path / "frames.tsv"
    sentences = [
        *("You are old.", "You are old!", "You're young.", "You are not old.", "You are very very old."),
        *("You are old now.", "He is old.", "He is tired.", "I'm tired of it.", "We are tired."),
    ]
    path.write_text("".join(f"{sentence}\tOui.\n" for sentence in [*sentences, "I am rich."]))
    lang = language(str(path))
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
    assert caution(language("built-in")) == ""
    assert "no sentence of the corpus has it" in caution(language(str(path)))
    own = named("built-in", None, ["i am X .=je suis X .", "she is X .=elle est X ."])
    assert caution(language(own)) == "“tired” is asked in the same frames, whether or not they suit it."


def test_the_paper_s_training_corpus_counted_our_way(data) -> None:
    found = shown(language("tatoeba"))
    assert (found.sentences, found.seen) == (79, ("i am very tired .",))  # the paper: 80, and one
    assert found.mean == 11.875  # the paper: 22, counted in a way that it does not say
    assert sum(found.contracted.values()) / 8 == 51.375
