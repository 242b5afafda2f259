"""Whatever a run is broken off at, and whoever runs beside it, each event is recorded once."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import threading
from pathlib import Path

import pytest

from domain.bundles.window_body import parse_window
from ops.capture import windows
from ops.capture.delivery import Report
from ops.capture.reading import Asked, Since
from ops.capture.running import Run, post
from ops.cli_errors import UnreachableError
from tests.capture.logs import turn


class BrokenOffError(Exception):
    """The process ends here."""


class Breaking:
    """Ends the process at the n-th step that it is told of."""

    def __init__(self, at=None):
        self.left = at

    def step(self):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise BrokenOffError


class Recording:
    """A store that records each content once, and can be broken off before and after."""

    def __init__(self):
        self.windows = {}
        self.breaking = Breaking()
        self.asked = threading.Event()
        self.goes_on = threading.Event()
        self.goes_on.set()

    def window(self, body):
        self.asked.set()
        assert self.goes_on.wait(30)
        self.breaking.step()
        parse_window(body)
        identity = hashlib.sha256(json.dumps([body["repo"], body["events"]]).encode()).hexdigest()
        known = identity in self.windows
        self.windows.setdefault(identity, body)
        self.breaking.step()
        return {"accepted": True, "result": "no_output", "idempotent": known}

    @property
    def lines(self):
        """The line of each event that is recorded, in order."""
        return [one["line"] for window in self.windows.values() for one in window["events"]]


def run(folder, store):
    """One run, whose report is given back."""
    report = Report()
    asked = Asked(folder / "log.jsonl", "claude-code", "manual", Since(), whole=False)
    post(Run(asked, folder / "state", "store", None, report), store)
    return report


def write(folder, first, many):
    with (folder / "log.jsonl").open("ab") as file:
        file.write(b"".join(turn(f"q{n}") for n in range(first, first + many)))


@pytest.fixture(autouse=True)
def _small_windows(monkeypatch):
    monkeypatch.setattr(windows, "EVENTS_MAX", 4)


@pytest.fixture
def steps(monkeypatch):
    """Each write to the disk and each new name is a step, before and after it is done."""
    breaking = Breaking()
    sync, rename = os.fsync, Path.replace

    def synced(descriptor):
        breaking.step()
        sync(descriptor)
        breaking.step()

    def renamed(path, target):
        breaking.step()
        rename(path, target)
        breaking.step()

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    return breaking


def test_broken_off_at_any_step_and_grown_meanwhile_each_event_is_recorded_once(tmp_path, steps):
    for at in itertools.count():
        folder, store = tmp_path / str(at), Recording()
        folder.mkdir()
        write(folder, 0, 5)
        steps.left = at
        store.breaking = steps
        try:
            run(folder, store)
        except BrokenOffError:
            reached = False
        else:
            reached = True
        steps.left = None
        write(folder, 5, 3)

        run(folder, store)

        assert store.lines == list(range(1, 17))
        assert run(folder, store).posted == []
        if reached:
            break
    assert at > 20


def test_two_runs_at_once_post_each_part_once(tmp_path):
    write(tmp_path, 0, 4)
    store, reports = Recording(), []
    store.goes_on.clear()
    beside = [
        threading.Thread(target=lambda: reports.append(run(tmp_path, store))) for _ in range(2)
    ]
    for thread in beside:
        thread.start()
    assert store.asked.wait(30)
    store.goes_on.set()
    for thread in beside:
        thread.join()

    assert store.lines == list(range(1, 9))
    assert sorted(len(report.posted) for report in reports) == [0, 2]


def test_a_run_that_is_left_behind_at_its_time_is_made_up_for(tmp_path):
    from ops.capture.deadline import within

    write(tmp_path, 0, 1)
    store = Recording()
    store.goes_on.clear()

    with pytest.raises(UnreachableError):
        within(0.05, lambda: run(tmp_path, store))
    store.goes_on.set()

    run(tmp_path, store)
    assert store.lines == [1, 2]


def test_what_fails_inside_the_time_is_told_as_it_is():
    from ops.capture.deadline import within

    with pytest.raises(ZeroDivisionError):
        within(30, lambda: 1 / 0)
