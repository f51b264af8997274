"""`daxlab translate`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

COMMAND = "jump around left after jump twice"


def test_translate_prints_the_actions(daxlab) -> None:
    done = daxlab("translate", COMMAND)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "I_JUMP I_JUMP" + " I_TURN_LEFT I_JUMP" * 4 + "\n"


def test_words_need_no_quotes_and_actions_can_have_the_paper_s_names(daxlab) -> None:
    assert daxlab("translate", "jump", "left", "--names", "paper").stdout == "LTURN JUMP\n"


def test_tree_prints_the_derivation_and_json_has_actions_and_tree(daxlab) -> None:
    assert "V → D[1] around D[2]" in daxlab("translate", COMMAND, "--tree").stdout
    answer = json.loads(daxlab("translate", COMMAND, "--json").stdout)
    assert answer["command"] == COMMAND
    assert answer["actions"] == answer["tree"]["actions"]
    assert answer["tree"]["rule"] == "S after S"


def test_the_language_can_be_another_one_by_name_or_file(daxlab, tmp_path: Path) -> None:
    assert daxlab("translate", "dax twice", "--language", "scan-dax").stdout == "I_DAX I_DAX\n"
    (tmp_path / "hop.grammar").write_text("extends scan\ngrammar:\n U -> hop\nmeaning:\n [[hop]] = HOP\n")
    assert daxlab("translate", "hop left", "--language", tmp_path / "hop.grammar").stdout == "I_TURN_LEFT HOP\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["jupm twice"], "unknown word 'jupm' (word 1); the nearest known word is 'jump'"),
        (["jump twice left"], "possible here: and, after, the end"),
        ([""], "the command is empty"),
        (["\u202ejump\ufeff"], "unknown word '\\u202ejump\\ufeff'"),
        (["jump", "--language", "nonesuch"], "no language is called 'nonesuch'"),
        (["jump", "--names", "french"], "no names called 'french'"),
        (["-"], "no commands on standard input"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(daxlab, arguments: list[str], complaint: str) -> None:
    done = daxlab("translate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_words_of_another_language_are_recognised(daxlab) -> None:
    told = daxlab("translate", "dax twice").stderr
    assert "scan-dax knows it: 'daxlab translate \"dax twice\" --language scan-dax' prints I_DAX I_DAX" in told
    assert "scan-dax knows 'dax'" in daxlab("translate", "dax walk").stderr
    assert "knows" not in daxlab("translate", "jump twice left").stderr


def test_characters_that_a_terminal_cannot_show_are_escaped(daxlab_process) -> None:
    done = daxlab_process("translate", "jump", "--tree", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "\\u27e6 I_JUMP \\u27e7" in done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_is_exit_2_without_a_traceback(closed: str) -> None:
    script = f"{sys.executable} -m daxlab translate - {closed}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env=os.environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_byte_order_mark_is_not_part_of_the_first_command(daxlab) -> None:
    assert daxlab("translate", "-", stdin=b"\xef\xbb\xbfwalk\n").stdout == "I_WALK\n"


def test_a_stream_stops_at_the_first_bad_line_and_names_it(daxlab) -> None:
    done = daxlab("translate", "-", stdin=b"walk\nrun twice\nwalk walk\nlook\n")
    assert (done.returncode, done.stdout) == (2, "I_WALK\nI_RUN I_RUN\n")
    assert done.stderr.startswith("daxlab: line 3: unexpected word 'walk'")


def test_with_keep_going_a_bad_line_gives_an_empty_line(daxlab) -> None:
    lines = [b"walk", b"walk walk", b"", b"\xff\xfe", b"x" * 10_000_000, b"run\r", b"look"]
    done = daxlab("translate", "-", "--keep-going", stdin=b"\n".join(lines))
    assert done.stdout.split("\n") == ["I_WALK", "", "", "", "", "I_RUN", "I_LOOK", ""]
    assert done.returncode == 2
    told = [line for line in done.stderr.splitlines() if line.startswith("daxlab: line ")]
    assert [line.split(":")[1] for line in told] == [" line 2", " line 3", " line 4", " line 5"]
    as_json = daxlab("translate", "-", "--keep-going", "--json", stdin=b"walk\nnope\n").stdout.splitlines()
    assert [set(json.loads(line)) for line in as_json] == [{"command", "actions", "tree"}, {"line", "error"}]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=30), min_size=1, max_size=40))
def test_with_keep_going_any_bytes_give_as_many_lines_as_there_were(daxlab, lines: list[bytes]) -> None:
    stdin = b"\n".join([*lines, b"walk"])
    done = daxlab("translate", "-", "--keep-going", stdin=stdin)
    assert done.stdout.count("\n") == stdin.count(b"\n") + 1
    assert done.stdout.endswith("I_WALK\n")
    assert "Traceback" not in done.stderr


def test_a_line_is_answered_before_the_next_one_is_read() -> None:
    command = [sys.executable, "-m", "daxlab", "translate", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for said, done in [(b"walk\n", b"I_WALK\n"), (b"run left\n", b"I_TURN_LEFT I_RUN\n")]:
            process.stdin.write(said)
            process.stdin.flush()
            assert process.stdout.readline() == done


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_sentence_and_exit_2(daxlab_process) -> None:
    with Path("/dev/full").open("w") as full:
        done = daxlab_process("translate", COMMAND, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == "daxlab: cannot write the output: No space left on device\n"


def test_a_reader_that_stops_reading_is_no_error() -> None:
    script = f"yes jump | {sys.executable} -m daxlab translate - | head -1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env=os.environ)
    assert (done.stdout, done.stderr) == ("I_JUMP\n", "")
