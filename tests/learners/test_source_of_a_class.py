"""What a file says of a class or a function, by reading it: none of these files could be run."""

from pathlib import Path

import pytest

from daxlab.learners import Program
from daxlab.learners.registry import derives_from_daxlab
from daxlab.learners.source import attribute


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "derives"),
    [
        ("from daxlab.networks import Network\nclass Mine(Network): pass", True),
        ("from daxlab.networks import Network as N\nclass Base(N): pass\nclass Mine(Base): pass", True),
        ("import daxlab.networks\nclass Mine(daxlab.networks.Network): pass", True),
        ("import daxlab.learners as kinds\nclass Mine(object, kinds.Learner): pass", True),
        ("import daxlab\nclass Mine:\n    language = daxlab.language('scan')", False),
        ("from torch import nn\nclass Mine(nn.Module): pass", False),
        ("from base import Middle\nclass Mine(Middle): pass", True),
        ("import parts.middle as m\nclass Mine(m.Middle[int]): pass", True),
        ("from base import Middle as Mine", True),
        ("from base import Free\nclass Mine(Free): pass", False),
        ("class Mine(Mine): pass", False),
        ("def Mine(commands): pass", False),
        ("print 'Python 2'", False),
    ],
)
def test_a_class_of_daxlabs_is_told_from_a_program_without_running_its_file(text: str, derives: bool) -> None:
    middle = "from daxlab.learners import Learner\nclass Middle(Learner): pass\nclass Free: pass\nraise RuntimeError"
    Path("parts").mkdir()
    for beside in ("base.py", "parts/middle.py"):
        Path(beside).write_text(middle)
    Path("mine.py").write_text(f"{text}\nraise RuntimeError")
    assert derives_from_daxlab("mine.py:Mine") is derives
    assert not derives_from_daxlab("nowhere.py:Mine")


@pytest.mark.parametrize(
    ("text", "learns"),
    [
        ("def mine(commands): pass", False),
        ("mine = lambda commands: commands", False),
        ("def other(commands): pass\nmine = other", False),
        ("from other import answer as mine", False),
        ("import other\nmine = other.answer", False),
        ("class mine: pass", True),
        ("from other import Model as mine", True),
        ("from elsewhere import mine", True),  # it may be a class
        ("mine = make()", True),
        ("mine = mine", True),
        ("print 'Python 2'", True),
    ],
)
def test_a_function_learns_nothing_however_it_comes_to_its_name(text: str, learns: bool) -> None:
    Path("other.py").write_text("def answer(commands): pass\nclass Model: pass\nraise RuntimeError")
    Path("mine.py").write_text(f"{text}\nraise RuntimeError")
    assert Program("mine.py:mine").learns is learns


def test_an_attribute_is_that_of_the_class_or_of_the_nearest_that_it_inherits_from() -> None:
    Path("base.py").write_text("class Base:\n    exceptions = {'a': 'b'}\n    other = 1\n    made = dict()")
    Path("mine.py").write_text("from base import Base\nclass Mine(Base):\n    other = 2\nclass Same(Base): pass")
    assert attribute(Path("mine.py"), "Mine", "exceptions") == {"a": "b"}
    assert [attribute(Path("mine.py"), name, "other") for name in ("Mine", "Same")] == [2, 1]
    assert attribute(Path("mine.py"), "Mine", "made") is None
    assert Program("mine.py:Mine").exceptions == {"a": "b"}
