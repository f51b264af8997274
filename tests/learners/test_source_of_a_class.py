"""What a file says of a class or a function, by reading it: none of these files could be run."""

from hashlib import sha256
from pathlib import Path

import pytest

from daxlab.learners import Program
from daxlab.learners.registry import derives_from_daxlab
from daxlab.learners.source import attribute, digest, needed


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


MINE = """
import json, other, parts.middle as m
from parts import left, nothing
def late():
    from . import beside
    import parts.deep.inner
"""


def files_of_mine() -> None:
    """A program, what it imports from beside it, directly or not, and what it does not import."""
    Path("parts", "deep").mkdir(parents=True)
    contents = {"mine.py": MINE, "other.py": "import mine\nfrom once import more", "once.py": "import once"}
    contents |= {"beside.py": "from ....far import away", "away.py": "", "json.txt": "", "parts.txt": ""}
    contents |= {"parts/__init__.py": "", "parts/middle.py": "from .deep import *", "parts/left.py": "print 'Python 2'"}
    contents |= {"parts/deep/__init__.py": "", "parts/deep/inner.py": "from .. import right", "parts/right.py": ""}
    for name, text in {**contents, "parts/unused.py": "", "unused.py": ""}.items():
        Path(name).write_text(text)


def test_a_file_needs_what_it_imports_from_beside_it_and_what_that_imports() -> None:
    files_of_mine()
    beside = {"other.py", "once.py", "beside.py"} | {f"parts/{name}.py" for name in ("__init__", "middle", "left")}
    beside |= {"parts/deep/__init__.py", "parts/deep/inner.py", "parts/right.py"}
    assert {path.as_posix() for path in needed(Path("mine.py"))} == {"mine.py", *beside}


def test_a_digest_changes_with_each_file_that_is_needed_and_with_no_other() -> None:
    files_of_mine()
    before = digest(Path("mine.py"))
    for path in sorted(Path().rglob("*.py")):
        text, is_needed = path.read_text(), path in needed(Path("mine.py"))
        path.write_text(f"{text}\n# changed\n")
        assert (digest(Path("mine.py")) != before) is is_needed, path
        path.write_text(text)
    Path("elsewhere").mkdir()
    Path("elsewhere", "link.py").symlink_to(Path("mine.py").resolve())
    assert digest(Path("mine.py")) == digest(Path("elsewhere", "link.py")) == before


def test_a_file_that_needs_no_other_has_its_own_sha256() -> None:
    Path("alone.py").write_text("import json, numpy\n")
    Path("large.bin").write_bytes(b"import other")
    for name in ("alone.py", "large.bin"):
        assert digest(Path(name)) == sha256(Path(name).read_bytes()).hexdigest()
