"""`docs/verify.py` as an auditor has it: one file, a Python, a store that must not be touched."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ops.standalone_verifier
from ops.verification import verify_store
from tests.verify.stores import remember
from tests.verify.writer import Writer

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "docs" / "verify.py"


def run(*arguments, isolated: bool = True):
    options = ["-I", "-S"] if isolated else ["-I"]
    return subprocess.run(
        [sys.executable, *options, PROGRAM, *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd="/",
    )  # fmt: skip


def files(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture
def store(furnished, tmp_path):
    return Path(shutil.copytree(furnished.folder, tmp_path / "store"))


def test_a_good_store_gives_status_0_and_the_verdict_last(store):
    done = run(store / "log.db")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "0 payloads decrypted, 0 erased, 0 left out of imports, 23 not decrypted",
        "27 events verified, 0 wrong",
    ]


def test_with_keys_it_opens_what_is_sealed(store):
    done = run(
        store / "log.db", "--keys", store / "keys.db", "--master-key", store / "master.key",
        isolated=False,
    )  # fmt: skip

    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == (
        "23 payloads decrypted, 0 erased, 0 left out of imports, 0 not decrypted"
    )


def test_a_wrong_store_gives_status_1_and_the_first_wrong_row_first(furnished, copy_of):
    copy, event = copy_of(furnished), furnished.written[4]
    copy.change("UPDATE event SET topic = 'x' WHERE position = ?", event.position)

    done = run(copy.log_db)

    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"position 5, {event.name}, column topic: is not the topic in the head",
        "0 payloads decrypted, 0 erased, 0 left out of imports, 22 not decrypted",
        "27 events verified, 1 wrong",
    ]


def test_the_same_as_json(furnished, copy_of):
    copy, event = copy_of(furnished), furnished.written[4]
    copy.change("UPDATE event SET topic = 'x' WHERE position = ?", event.position)

    done = run(copy.log_db, "--json")

    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "events": 27, "wrong": 1, "decrypted": 0, "erased": 0, "left_out": 0,
        "not_decrypted": 22,
        "findings": [
            {"position": 5, "event": event.name, "column": "topic",
             "rule": "is not the topic in the head"},
        ],
    }  # fmt: skip


def test_an_empty_store_is_a_good_one(tmp_path):
    Writer(tmp_path / "empty").close()

    assert run(tmp_path / "empty" / "log.db").stdout.endswith("0 events verified, 0 wrong\n")


def test_text_of_a_changed_column_never_reaches_the_terminal(furnished, copy_of):
    copy = copy_of(furnished)
    copy.change("UPDATE event SET originator_id = ?, state = x'00' WHERE position = 3", "\x1b[2J")

    done = run(copy.log_db)

    assert done.returncode == 1
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("what", ["nothing", "text", "folder", "another database", "newer"])
def test_what_is_no_store_of_this_format_gives_status_2(what, store, tmp_path):
    given = {"nothing": tmp_path / "nothing.db", "text": store / "master.key", "folder": store,
             "another database": store / "keys.db", "newer": store / "log.db"}[what]  # fmt: skip
    if what == "newer":
        log = ops.standalone_verifier.sqlite3.connect(given, isolation_level=None)
        log.execute("UPDATE store_format SET version = 2")
        log.close()

    done = run(given)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("verify.py: this could not be checked: ")
    assert "Traceback" not in done.stderr


def test_what_is_no_key_store_gives_status_2(store):
    done = run(
        store / "log.db", "--keys", store / "log.db", "--master-key", store / "master.key",
        isolated=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("given", ["no hexadecimal", None])
def test_a_master_key_that_cannot_be_read_gives_status_2(given, store, tmp_path):
    file = tmp_path / "key"
    if given is not None:
        file.write_text(given, encoding="ascii")

    done = run(store / "log.db", "--keys", store / "keys.db", "--master-key", file)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_keys_and_master_key_are_given_together(store):
    assert run(store / "log.db", "--keys", store / "keys.db").returncode == 2
    assert run(store / "log.db", "--master-key", store / "master.key").returncode == 2


def test_without_the_library_keys_are_refused_in_a_sentence(store):
    done = run(store / "log.db", "--keys", store / "keys.db", "--master-key", store / "master.key")

    assert done.returncode == 2
    assert "cryptography" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_store_is_not_touched(store):
    before = files(store)

    run(store / "log.db", "--keys", store / "keys.db", "--master-key", store / "master.key",
        isolated=False)  # fmt: skip

    assert files(store) == before
    assert set(before) == {"log.db", "keys.db", "master.key"}


def test_a_store_in_use_is_read_up_to_its_last_commit_and_not_touched(tmp_path):
    writer = Writer(tmp_path / "used")
    remember(writer)
    before = {name: kind for name, kind in files(writer.folder).items() if "-shm" not in name}

    report = ops.standalone_verifier.verify(writer.log_db, writer.keys_db, writer.master)

    assert (report.events, report.wrong) == (2, 0)
    after = files(writer.folder)
    assert {name: kind for name, kind in after.items() if "-shm" not in name} == before
    writer.close()


def test_a_write_ahead_log_without_its_index_is_read_and_not_touched(tmp_path):
    writer = Writer(tmp_path / "used")
    remember(writer)
    saved = tmp_path / "saved"
    saved.mkdir()
    for name in ("log.db", "log.db-wal"):
        shutil.copy(writer.folder / name, saved / name)
    writer.close()
    before = files(saved)

    report = ops.standalone_verifier.verify(saved / "log.db")

    assert (report.events, report.wrong) == (2, 0)
    assert files(saved) == before


def test_a_name_that_a_database_address_could_misread_is_just_a_name(furnished, tmp_path):
    odd = tmp_path / "a b%20?mode=rw&x#y"
    shutil.copytree(furnished.folder, odd)

    assert run(odd / "log.db").returncode == 0


def test_it_imports_the_standard_library_and_nothing_of_ours():
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(PROGRAM.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert imported <= set(sys.stdlib_module_names)


def test_it_can_be_read_in_a_sitting():
    assert len(PROGRAM.read_text(encoding="utf-8").splitlines()) <= 1000


def test_the_product_uses_the_very_same_file():
    assert ops.standalone_verifier.__file__ is not None
    assert Path(ops.standalone_verifier.__file__).samefile(PROGRAM)


def test_the_product_verifies_a_data_folder_with_and_without_its_master_key(furnished):
    assert verify_store(furnished.folder, None).not_decrypted == 23
    assert verify_store(furnished.folder, furnished.master).decrypted == 23
