"""The log of the process: where, when, for which request; never what was stored."""

from __future__ import annotations

import json
import logging

import pytest

from ops.logs import request_named, start_logging

CANARY = "zyzzyva"


@pytest.fixture(autouse=True)
def _as_before():
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level


def fail():
    raise RuntimeError(f"cannot store {CANARY}")


def logged(capsys, form):
    """One failure, logged while a request is answered; what stands on standard error."""
    start_logging(form)
    with request_named("request-7"):
        try:
            fail()
        except RuntimeError:
            logging.getLogger("memoranda.test").exception("position %d", 3)
    logging.getLogger("memoranda.test").warning("nobody asked")
    return capsys.readouterr().err


def test_a_line_of_text_names_its_request_and_a_failure_not_what_it_quotes(capsys):
    said = logged(capsys, "text")

    first, *frames, last = said.strip().splitlines()
    assert first.endswith("ERROR memoranda.test [request-7] position 3")
    assert "RuntimeError" in frames
    assert any("in fail" in line for line in frames)
    assert last.endswith("WARNING memoranda.test nobody asked")
    assert CANARY not in said.replace('f"cannot store {CANARY}"', "")


def test_a_line_of_json_is_one_object(capsys):
    said = logged(capsys, "json")

    first, second = map(json.loads, said.strip().splitlines())
    assert (first["level"], first["logger"]) == ("ERROR", "memoranda.test")
    assert first["correlation_id"] == "request-7"
    assert first["message"].startswith("position 3\nRuntimeError\n")
    assert (second["correlation_id"], second["message"]) == (None, "nobody asked")
    assert first["time"].endswith("Z")
    assert CANARY not in said
