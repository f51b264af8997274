"""SCAN is the paper's language: the same commands with the same meanings."""

from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from daxlab import Example, Language, language
from daxlab.languages import derivation
from daxlab.languages.derivation import phrases


@pytest.mark.parametrize(
    ("command", "actions"),
    [  # the paper's own examples
        ("jump", "JUMP"),
        ("jump left", "LTURN JUMP"),
        ("jump around right", "RTURN JUMP RTURN JUMP RTURN JUMP RTURN JUMP"),
        ("turn left twice", "LTURN LTURN"),
        ("jump thrice", "JUMP JUMP JUMP"),
        ("jump opposite left and walk thrice", "LTURN LTURN JUMP WALK WALK WALK"),
        (
            "jump opposite left after walk around left",
            "LTURN WALK LTURN WALK LTURN WALK LTURN WALK LTURN LTURN JUMP",
        ),
    ],
)
def test_a_command_means_what_the_paper_says(command: str, actions: str) -> None:
    assert language("scan", names="paper").translate(command) == tuple(actions.split())


def test_jump_around_left_is_four_turns_and_four_jumps(scan: Language) -> None:
    actions = scan.translate("jump around left")
    assert (actions.count("I_TURN_LEFT"), actions.count("I_JUMP")) == (4, 4)


def test_the_language_is_as_large_as_the_paper_says(scan: Language) -> None:
    commands = scan.commands()
    assert len(commands) == len(set(commands)) == 20_910
    assert len(scan.words) == 13
    assert len(scan.actions) == 6
    assert max(len(example.command.split()) for example in commands) == 9
    lengths = {len(example.actions) for example in commands}
    assert (min(lengths), max(lengths)) == (1, 48)
    assert lengths.isdisjoint({23, 29, 31, 34, 35, 37, 38, 39, *range(41, 48)})


def test_the_primitives_are_the_six_of_the_paper(scan: Language) -> None:
    assert {p.command for p in scan.primitives} == {"walk", "look", "run", "jump", "turn left", "turn right"}


def test_the_commands_and_meanings_are_those_of_the_release(scan: Language, data) -> None:
    with ZipFile(data / "SCAN-master.zip") as archive:
        lines = archive.read("SCAN-master/tasks.txt").decode().splitlines()
    released = [line.removeprefix("IN: ").split(" OUT: ") for line in lines]
    assert {Example(command, tuple(actions.split())) for command, actions in released} == set(scan.commands())


def test_every_command_parses_to_the_meaning_it_was_built_with(scan: Language) -> None:
    assert all(scan.translate(example.command) == example.actions for example in scan.commands())


def test_scan_dax_is_scan_with_four_more_verbs(scan: Language) -> None:
    dax = language("scan-dax")
    assert dax.translate("dax around left twice").count("I_DAX") == 8
    assert set(scan.commands()) < set(dax.commands())
    verbs = 8  # C = S + 2 S², S = 3 V, V = verbs + 3 D, D = 2 verbs + 2
    phrases = 3 * (verbs + 3 * (2 * verbs + 2))
    assert len(dax.commands()) == phrases + 2 * phrases**2


def test_a_language_is_listed_up_to_a_size_and_not_beyond(scan: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    built = [example for start in scan.grammar.rules for example in phrases(replace(scan.grammar, start=start))]
    symbols = sum(len(example.command.split()) + len(example.actions) for example in built)
    for limit, size in {"MOST_PHRASES": len(built), "MOST_SYMBOLS": symbols}.items():
        monkeypatch.setattr(derivation, limit, size)
        phrases(scan.grammar)
        monkeypatch.setattr(derivation, limit, size - 1)
        with pytest.raises(derivation.TooLargeError, match=f"more than {size - 1:,}"):
            phrases(scan.grammar)
        monkeypatch.undo()


def test_a_primitive_is_the_shortest_command_for_its_action(tmp_path: Path) -> None:
    path = tmp_path / "own.grammar"
    path.write_text("grammar:\n C -> U\n C -> U now\n U -> go\n U -> walk\n U -> turn left\nmeaning:\n x in any\n"
                    " [[x now]] = [[x]]\n [[go]] = GO\n [[walk]] = GO\n [[turn left]] = LEFT\n")  # fmt: skip
    assert [p.command for p in language(str(path)).primitives] == ["go", "walk", "turn left"]
