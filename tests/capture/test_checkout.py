"""Repository, branch and commit are what git says of the session's folder, or what the log says."""

from __future__ import annotations

import subprocess

import pytest

from ops.capture import checkout
from ops.capture.checkout import Checkout, checkout_of
from ops.capture.events import Session

LOGGED = {"repository": "git@example.org:Old/Name.git", "branch": "old", "commit": "0" * 40}


def git(folder, *command):
    named = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    done = subprocess.run(
        ["git", "-C", folder, *named, *command], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


def test_git_says_it_without_what_the_address_holds_beside(repository):
    git(repository, "remote", "add", "origin", "https://ana:hunter2@GitHub.com/Acme/App.git")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    inside = repository / "src"
    inside.mkdir()

    found = checkout_of(Session(cwd=str(inside), **LOGGED))

    commit = git(repository, "rev-parse", "HEAD")
    assert found == Checkout(str(inside), "github.com/acme/app", "main", commit)


def test_a_repository_without_remote_and_commit_has_neither(repository):
    assert checkout_of(Session(cwd=str(repository))) == Checkout(str(repository), None, "main")


def test_the_repository_of_a_hook_of_git_is_not_taken_for_that_of_the_session(
    repository, tmp_path, monkeypatch
):
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))

    assert checkout_of(Session(cwd=str(tmp_path))) == Checkout(str(tmp_path))


@pytest.mark.parametrize("cwd", ["/no/such/folder", "relative", "/" + "x" * 5000, "/a\0b"])
def test_a_folder_that_is_not_here_is_known_by_its_log(cwd):
    found = checkout_of(Session(cwd=cwd, **LOGGED))

    assert found == Checkout(cwd, "example.org/old/name", "old", "0" * 40)


def test_without_a_folder_it_is_unknown():
    assert checkout_of(Session()) == Checkout("unknown")


def test_who_is_at_home_is_not_told(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))

    shown = {
        cwd: checkout_of(Session(cwd=cwd)).workspace for cwd in (f"{tmp_path}/a", f"{tmp_path}b")
    }

    assert shown == {f"{tmp_path}/a": "~/a", f"{tmp_path}b": f"{tmp_path}b"}


def test_git_that_does_not_answer_in_time_or_is_not_there_says_nothing(
    repository, tmp_path, monkeypatch
):
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(checkout, "GIT_SECONDS_MAX", 0.1)

    for path in (f"{slow.parent}:/usr/bin:/bin", str(tmp_path)):
        monkeypatch.setenv("PATH", path)
        assert checkout_of(Session(cwd=str(repository))) == Checkout(str(repository))
