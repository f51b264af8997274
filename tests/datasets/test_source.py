"""A corpus comes into the cache whole, and as it was published, or not at all."""

import http.server
import json
import shutil
import socket
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

from daxlab import InputError
from daxlab.datasets import CORPORA, fetch, find, split

MCD = CORPORA["scan-mcd"]


@pytest.fixture
def served(data, tmp_path: Path):
    """A folder served over HTTP, though not to Python's own agent, and its address."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.headers["User-Agent"].startswith("Python-urllib"):
                self.send_error(406)
            else:
                super().do_GET()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def kept(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir()) if cache.exists() else []


@pytest.mark.parametrize("name", list(CORPORA))
@pytest.mark.parametrize("given", [True, False])
def test_every_corpus_is_fetched_from_a_folder_of_data(data, nowhere, monkeypatch, name: str, given: bool) -> None:
    monkeypatch.setenv("DAXLAB_DATA", "" if given else str(data))
    done = fetch(CORPORA[name], str(data) if given else None)
    assert (done.exact, done.already, done.path) == (True, False, nowhere / name)
    monkeypatch.delenv("DAXLAB_DATA")
    assert find(CORPORA[name]) == nowhere / name
    assert fetch(CORPORA[name]).already


def test_a_fetched_release_gives_the_same_splits_as_the_archive(data, nowhere: Path, monkeypatch) -> None:
    fetch(CORPORA["scan"], str(data / "SCAN-master.zip"))
    fetch(MCD, str(data / "scan-mcd"))
    names = ("release/simple_split/simple", "mcd2")
    from_cache = [split(name) for name in names]
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    assert [split(name) for name in names] == from_cache


def test_a_download_is_checked_and_kept(data, nowhere: Path, served) -> None:
    folder, address = served
    shutil.copy(data / "SCAN-master.zip", folder)
    seen: list[int] = []
    done = fetch(CORPORA["scan"], f"{address}/SCAN-master.zip", lambda so_far, _: seen.append(so_far))
    assert done.exact
    assert seen[-1] == (data / "SCAN-master.zip").stat().st_size
    assert kept(nowhere) == ["scan"]


def test_a_download_says_that_it_is_for_daxlab(data, nowhere: Path, served) -> None:
    folder, address = served
    shutil.make_archive(str(folder / "scan-splits"), "zip", data / "scan-mcd")
    with pytest.raises(HTTPError, match="406"):
        urlopen(f"{address}/scan-splits.zip")
    assert fetch(MCD, f"{address}/scan-splits.zip").exact


def test_a_tar_is_read_like_a_zip(data, nowhere: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "scan-splits"), "gztar", data / "scan-mcd")
    assert fetch(MCD, archive).exact


def test_an_archive_may_have_folders_in_folders(nowhere: Path, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "deep.zip", "w") as archive:
        archive.writestr("a/b/fra.txt", "I am tired.\tJe suis fatigué.\nHe is tired.\tIl est fatigué.\n")
    assert fetch(CORPORA["eng-fra"], str(tmp_path / "deep.zip")).path.exists()


def test_json_counts_by_what_it_says(data, nowhere: Path, tmp_path: Path) -> None:
    for file in MCD.files:
        (tmp_path / file).write_text(json.dumps(json.loads((data / "scan-mcd" / file).read_text()), indent=3))
    assert fetch(MCD, str(tmp_path)).exact


def test_what_was_changed_is_refused_and_nothing_is_kept(data, nowhere: Path, served) -> None:
    folder, address = served
    with ZipFile(data / "SCAN-master.zip") as whole, ZipFile(folder / "changed.zip", "w") as changed:
        for name in whole.namelist():
            content = whole.read(name)
            changed.writestr(name, content.replace(b"jump", b"hop", 1) if name.endswith("tasks.txt") else content)
    with pytest.raises(InputError, match="is not the published scan"):
        fetch(CORPORA["scan"], f"{address}/changed.zip")
    assert kept(nowhere) == []


def test_what_is_cut_short_missing_or_no_archive_is_refused(data, nowhere: Path, served) -> None:
    folder, address = served
    (folder / "short.zip").write_bytes((data / "SCAN-master.zip").read_bytes()[:1_000_000])
    damaged = bytearray((data / "SCAN-master.zip").read_bytes())
    damaged[5_000_000:5_000_100] = bytes(100)
    (folder / "damaged.zip").write_bytes(damaged)
    (folder / "some").mkdir()
    (folder / "some" / "mcd1.json").write_text("{}")
    for corpus, source, complaint in [
        ("scan", f"{address}/short.zip", "neither a folder nor a zip"),
        ("scan", f"{address}/damaged.zip", "cannot read|is not the published"),
        ("scan", f"{address}/none.zip", "cannot download .*not found.*--from"),
        ("scan", "http://127.0.0.1:1/none.zip", "cannot download .*--from"),
        ("scan", str(folder / "none.zip"), "there is no"),
        ("scan-mcd", str(folder / "some"), "lacks 2 of the 3 files"),
    ]:
        with pytest.raises(InputError, match=complaint):
            fetch(CORPORA[corpus], source)
    assert kept(nowhere) == []


def damaged_archives(folder: Path, whole: Path) -> list[Path]:
    """Archives with every kind of damage: directory, encryption, compression method, cut short."""
    content = whole.read_bytes()
    first = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 1)  # after the licence: a file that is read
    changes = {
        "directory.zip": content.replace(b"PK\x01\x02", b"PK\x09\x09"),
        "encrypted.zip": content[: first + 8] + b"\x01" + content[first + 9 :],
        "method.zip": content[: first + 10] + b"\x63" + content[first + 11 :],
    }
    for name, changed in changes.items():
        (folder / name).write_bytes(changed)
    for kind, suffix in (("gztar", ".tar.gz"), ("xztar", ".tar.xz")):
        archive = Path(shutil.make_archive(str(folder / "whole"), kind, whole.parent / "scan-mcd"))
        (folder / f"cut{suffix}").write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
        archive.unlink()
    return sorted(folder.iterdir())


def test_an_archive_damaged_in_any_way_is_a_sentence(daxlab, data, nowhere: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    folder.mkdir()
    for archive in damaged_archives(folder, data / "SCAN-master.zip"):
        name = "scan" if archive.suffix == ".zip" else "scan-mcd"
        done = daxlab("data", "fetch", name, "--from", archive)
        assert (done.returncode, done.stdout) == (2, ""), archive
        assert done.stderr.startswith("daxlab: "), done.stderr
        assert "Traceback" not in done.stderr
    assert kept(nowhere) == []


def test_a_bad_archive_beside_a_good_one_does_not_matter(data, nowhere: Path, monkeypatch, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "Homework.zip", "w") as homework:
        homework.writestr("todo/tasks.txt", "buy milk")
    (tmp_path / "A.zip").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "SCAN-master.zip").symlink_to(data / "SCAN-master.zip")
    monkeypatch.setenv("DAXLAB_DATA", str(tmp_path))
    assert find(CORPORA["scan"]) == tmp_path / "SCAN-master.zip"


def test_a_damaged_cache_is_fetched_again(data, nowhere: Path, monkeypatch) -> None:
    fetch(MCD, str(data))
    (nowhere / "scan-mcd" / "mcd2.json").unlink()
    assert find(MCD) is None
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    assert not fetch(MCD).already
    monkeypatch.delenv("DAXLAB_DATA")
    assert fetch(MCD).already


@pytest.mark.parametrize("address", ["http://127.0.0.1:abc/x", "http://127.0.0.1:1/a b", "http://[::1/x"])
def test_an_address_that_is_none_is_a_sentence(nowhere: Path, address: str) -> None:
    with pytest.raises(InputError, match="cannot download"):
        fetch(MCD, address)


def test_a_server_that_speaks_no_http_or_breaks_off_is_a_sentence(nowhere: Path) -> None:
    for said in (b"hello\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"):
        with socket.create_server(("127.0.0.1", 0)) as server:

            def answer(server=server, said=said) -> None:
                connection, _ = server.accept()
                connection.recv(1000)
                connection.sendall(said)
                connection.close()

            thread = threading.Thread(target=answer)
            thread.start()
            with pytest.raises(InputError, match="cannot download"):
                fetch(MCD, f"http://127.0.0.1:{server.getsockname()[1]}/x.zip")
            thread.join()


def test_a_bad_fetch_leaves_what_was_there(data, nowhere: Path, tmp_path: Path) -> None:
    fetch(MCD, str(data))
    for file in MCD.files:
        (tmp_path / file).write_text("{}")
    with pytest.raises(InputError, match="is not the published"):
        fetch(MCD, str(tmp_path))
    assert fetch(MCD).already


def test_a_newer_release_of_the_sentence_pairs_is_named_not_refused(nowhere: Path, tmp_path: Path) -> None:
    (tmp_path / "fra.txt").write_text("I am here.\tJe suis là.\n")
    done = fetch(CORPORA["eng-fra"], str(tmp_path))
    assert not done.exact
    assert len(done.sha256) == 64


def test_a_page_in_the_place_of_the_sentence_pairs_is_refused_and_the_good_copy_kept(nowhere, tmp_path: Path) -> None:
    (tmp_path / "fra.txt").write_text("I am here.\tJe suis là.\n")
    good = fetch(CORPORA["eng-fra"], str(tmp_path))
    with ZipFile(tmp_path / "bad.zip", "w") as bad:
        bad.writestr("fra.txt", "<!doctype html>\n<title>Not found</title>\n")
    with pytest.raises(InputError, match=r"bad.zip is no eng-fra: fra.txt, line 1: 1 column .*; nothing was kept"):
        fetch(CORPORA["eng-fra"], str(tmp_path / "bad.zip"))
    assert fetch(CORPORA["eng-fra"]) == replace(good, already=True)


def test_a_full_disk_leaves_nothing_behind(daxlab_process, data, nowhere: Path) -> None:
    done = daxlab_process("data", "fetch", "scan", "--from", data, room=100_000)
    assert done.returncode == 2
    assert "cannot write to the cache" in done.stderr
    assert "Traceback" not in done.stderr
    assert kept(nowhere) == []


def test_a_split_whose_file_is_not_here_says_how_to_get_it(nowhere: Path, monkeypatch) -> None:
    with pytest.raises(InputError, match="daxlab data fetch scan"):
        split("release/simple_split/simple")
    with pytest.raises(InputError, match="daxlab data fetch scan-mcd"):
        split("mcd1")
    monkeypatch.setenv("DAXLAB_DATA", "/nonexistent")
    with pytest.raises(InputError, match="DAXLAB_DATA names /nonexistent, which is no folder"):
        split("mcd1")
