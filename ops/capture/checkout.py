"""Where a session worked: its folder, and the repository, branch and commit checked out there."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain.bundles.redaction import redacted_text
from domain.bundles.repositories import repo_identifier
from ops.capture.events import Session

GIT_SECONDS_MAX: Final = 2.0
"""For all questions together: a hook must not wait for a network file system."""
UNKNOWN: Final = "unknown"
_OTHER_REPOSITORY: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE")


@dataclass(frozen=True, slots=True)
class Checkout:
    """`workspace` is the folder, the person's own one as `~`; None is what nobody knows."""

    workspace: str
    repository: str | None = None
    branch: str | None = None
    commit: str | None = None


def checkout_of(session: Session) -> Checkout:
    """What git says of the session's folder now; where it says nothing, what the log says.

    Without the folder, git, or an answer in time nothing is missing but that.
    """
    cwd = None if session.cwd is None else Path(session.cwd)
    deadline = time.monotonic() + GIT_SECONDS_MAX
    remote, branch, commit = (
        None if cwd is None or not _is_here(cwd) else _git(cwd, deadline, *question)
        for question in (
            ("config", "--get", "remote.origin.url"),
            ("symbolic-ref", "--quiet", "--short", "HEAD"),
            ("rev-parse", "--quiet", "--verify", "HEAD"),
        )
    )
    return Checkout(
        UNKNOWN if session.cwd is None else _shown(session.cwd),
        # Redacted first: in lower case a secret would not be recognised any more.
        repo_identifier(redacted_text(remote or session.repository or "")[0]),
        branch or session.branch,
        commit or session.commit,
    )


def _is_here(folder: Path) -> bool:
    """Whether it is a folder of this machine: a log may come from another one."""
    try:
        return folder.is_absolute() and folder.is_dir()
    except OSError:
        # A name that no file system has.
        return False


def _shown(folder: str) -> str:
    """The folder without the name of who is at home there.

    As it was written: a path makes one slash of two, and no password of a URL is known by it then.
    """
    home = str(Path.home())
    return "~" + folder.removeprefix(home) if f"{folder}/".startswith(f"{home}/") else folder


def _git(folder: Path, deadline: float, *question: str) -> str | None:
    """The answer to one question; None for none. Reads settings only, runs nothing of the folder.

    A hook of git has variables that name another repository than that of the folder.
    """
    unset = [word for name in _OTHER_REPOSITORY for word in ("-u", name)]
    command = ["env", *unset, "git", "-C", str(folder), "-c", "core.fsmonitor=false", *question]
    try:
        done = subprocess.run(  # noqa: S603 - the words are ours, the folder is one argument
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=max(0.0, deadline - time.monotonic()),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    said = done.stdout.decode(errors="replace").strip()
    return said if done.returncode == 0 and said else None
