"""English-French pairs by name: the paper's release, any other, synthetic ones; their splits."""

import zipfile
from pathlib import Path

import pytest

import daxlab
from daxlab import Example, InputError
from daxlab.datasets import SentencePairs, dataset, fetch
from daxlab.datasets.new_word import named, new_word
from daxlab.datasets.translation import ENG_FRA, PAPER, PAPER_DIGEST

LINES = "".join(
    f"I am {word}.\tJe suis {word}x.\nHe is {word}.\tIl est {word}x.\n" for word in ("aa", "bb", "cc", "dd", "ee", "ff")
)


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.tsv"
    path.write_text(LINES)
    return str(path)


def test_the_paper_s_release_has_the_paper_s_pairs(data) -> None:
    tatoeba = dataset("tatoeba")
    assert isinstance(tatoeba, SentencePairs)
    assert len(tatoeba.pairs) == 11_182
    assert len({pair.command for pair in tatoeba.pairs}) == 6_985
    assert (tatoeba.name, tatoeba.digest) == (PAPER, PAPER_DIGEST)
    assert "release of 2017-09-29" in tatoeba.about
    assert dataset(PAPER).digest == tatoeba.digest


def test_a_tenth_of_the_english_sentences_is_for_the_test_and_none_is_on_both_sides(data) -> None:
    split = daxlab.split("translation", "tatoeba")
    shown, asked = ({pair.command for pair in side} for side in (split.train, split.test))
    assert (len(shown), len(asked)) == (6_287, 698)
    assert not shown & asked
    assert split.presentations + len(split.test) == 11_182
    other = daxlab.split("translation-seed1", "tatoeba")
    assert {pair.command for pair in other.test} != asked


@pytest.mark.parametrize("times", [1, 10, 100, 1000])
def test_the_new_word_is_one_pair_more_presented_so_often(mine: str, times: int) -> None:
    plain, taught = daxlab.split("translation", mine), daxlab.split(f"daxy-{times}", mine)
    assert taught.test == plain.test
    assert taught.train[:-1] == plain.train
    assert taught.train[-1] == Example("i am daxy .", ("je", "suis", "daxiste", "."))
    assert (taught.weights[:-1], taught.weights[-1]) == (plain.weights, times)


def test_a_pair_that_stands_twice_is_presented_twice_as_often(tmp_path: Path) -> None:
    path = tmp_path / "twice.tsv"
    path.write_text(LINES * 2)
    split = daxlab.split("translation", str(path))
    assert set(split.weights) == {2}
    assert len(split.test) == 2  # of one English sentence, as often as the file has it


def test_the_paper_asks_eight_sentences_of_each_word(mine: str) -> None:
    language = dataset(mine)
    asked = [question for question in language.new.questions if not question.taught]
    assert [question.word for question in asked] == ["daxy"] * 8 + ["tired"] * 8
    assert [" ".join(question.references[0]) for question in asked[:8]] == [
        "tu es daxiste .",
        "il est daxiste .",
        "je ne suis pas daxiste .",
        "tu n es pas daxiste .",
        "il n est pas daxiste .",
        "je suis tres daxiste .",
        "tu es tres daxiste .",
        "il est tres daxiste .",
    ]
    assert [example.command for example in language.probes()] == ["i am daxy .", *(one.command for one in asked)]
    assert {word for question in asked for word in question.command.split()} <= {
        word for example in language.examples() for word in example.command.split()
    }


def test_any_word_and_any_frames_can_take_daxy_s_place(mine: str) -> None:
    name = named(mine, "blicky=blickif/blickive", ["i am X .=je suis X .", "she is X .=elle est Y ."])
    language = dataset(name)
    assert [(one.command, len(one.references)) for one in language.new.questions] == [
        ("i am blicky .", 1),
        ("she is blicky .", 2),
        ("she is tired .", 2),
    ]
    assert daxlab.split("blicky-10", name).weights[-1] == 10
    assert new_word(language.name) == language.new
    assert language.digest != dataset(mine).digest
    with pytest.raises(InputError, match="no split called 'daxy-10'"):
        daxlab.split("daxy-10", name)
    with pytest.raises(InputError, match="'aa' is no new word"):
        _ = dataset(named(mine, "aa=bb")).pairs


def test_a_word_and_frames_are_read_as_the_corpus_is() -> None:
    frames = ["I am X.=Je suis X.", "You aren't X!=Tu n'es pas Y !|Vous n'êtes pas Z!"]
    plain = ["i am X .=je suis X .", "you aren t X !=tu n es pas Y !|vous n etes pas Z !"]
    assert named("built-in", "Blicky = blické / Blickée", frames) == "#".join(
        ["built-in", "blicky=blicke/blickee", *plain]
    )


@pytest.mark.parametrize(
    ("word", "frames", "complaint"),
    [
        ("", [], "a word is ENGLISH=FRENCH"),
        ("two words=deux", [], "a word is ENGLISH=FRENCH"),
        (None, ["I am X.=Je suis X.", "i'm Xavier=je suis X"], "place once on each side"),
        (None, ["I am X.=Je suis X.", "He/she is X.=Il est X."], "in small letters"),
    ],
)
def test_spelling_does_not_mend_what_is_no_word_or_frame(word: str | None, frames: list[str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        named("built-in", word, frames)


@pytest.mark.parametrize("kind", ["folder", "zip", "text"])
def test_pairs_are_the_same_wherever_they_lie(mine: str, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "folder":
        place.mkdir()
        (place / "fra.txt").write_text(LINES)
    elif kind == "zip":
        with zipfile.ZipFile(place, "w") as archive:
            archive.writestr("fra.txt", LINES)
    else:
        place = tmp_path / "pairs.txt"
        place.write_text(LINES)
    assert isinstance(dataset(str(place)), SentencePairs)
    assert dataset(str(place)).digest == dataset(mine).digest


def test_a_file_that_changes_is_read_anew(mine: str) -> None:
    before = dataset(mine).digest
    Path(mine).write_text(LINES + "I am gg.\tJe suis ggx.\n")
    assert dataset(mine).digest != before


def test_a_newer_release_is_accepted_and_named_by_its_date_and_sha256(nowhere, tmp_path: Path) -> None:
    newer = tmp_path / "fra-eng.zip"
    with zipfile.ZipFile(newer, "w") as archive:
        archive.writestr("fra.txt", LINES.replace("x.\n", "x.\tCC-BY 2.0 (France)\n"))
        archive.writestr("_about.txt", "** Info **\nDate of this file:\n  2031-02-03\n")
    with pytest.raises(InputError, match="daxlab data fetch eng-fra"):
        _ = dataset("tatoeba").pairs
    fetched = fetch(ENG_FRA, str(newer))
    assert not fetched.exact
    found = dataset("tatoeba")
    assert found.name == f"tatoeba-2031-02-03-{fetched.sha256[:8]}"
    assert "not the paper's" in found.about
    assert found.digest != PAPER_DIGEST
    with pytest.raises(InputError, match=rf"{PAPER} is not on this machine, which has tatoeba-2031-02-03"):
        _ = dataset(PAPER).pairs


def test_the_questions_are_known_without_the_corpus(nowhere) -> None:
    for name in ("tatoeba", PAPER, "gone.tsv", "tatoeba#blicky=blickif", "gone/corpus#blicky=blickif"):
        found = dataset(name)
        assert found.probes()[0].command in ("i am daxy .", "i am blicky .")
        assert found.read("I'm  TIRED!") == "i m tired !"
        with pytest.raises(InputError):
            found.examples()
    assert dataset(PAPER).name == PAPER


def test_translations_are_scored_by_bleu(mine: str) -> None:
    test = dataset(mine).split("translation").test
    assert dataset(mine).scores(test, [example.actions for example in test])["bleu"] == pytest.approx(100)


def test_synthetic_pairs_need_no_file_and_say_what_they_are(nowhere) -> None:
    built_in = dataset("built-in")
    assert "synthetic" in built_in.about
    assert len(set(built_in.pairs)) == 3_264
    assert daxlab.split("translation", "built-in").origin == "seed"


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("lost.tsv", r"there is no corpus called 'lost.tsv' \(no file /.*/lost.tsv\)"),
        ("lost.txt", r"there is no file or folder /.*/lost.txt"),
        ("lost.txt#blicky=blickiste", r"no corpus called 'lost.txt' \(no file /.*/lost.txt\)"),
        ("built-in#Daxy=daxiste", "a word is ENGLISH=FRENCH"),
        ("built-in#daxy", "a word is ENGLISH=FRENCH"),
        ("built-in#daxy=a/b/c/d/e", "a word is ENGLISH=FRENCH"),
        ("built-in#daxy=daxiste#i am X .=je suis .", "place once on each side"),
        ("built-in#daxy=daxiste#i am X X .=je suis X .", "place once on each side"),
        ("built-in#daxy=daxiste#I am X .=je suis X .", "in small letters"),
        ("built-in#daxy=daxiste#i am X .=je suis X .", "one at least that asks for it"),
        ("built-in#daxy=daxiste#i am X .=je suis X .#i am X .=je suis X .", "all of them different"),
        ("built-in#tired=las", "'tired' is no new word"),
    ],
)
def test_bad_names_are_a_sentence(name: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        _ = dataset(name).pairs


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("eng.txt", LINES)
    with pytest.raises(InputError, match=r"has no fra.txt in it"):
        _ = dataset(str(path)).pairs
