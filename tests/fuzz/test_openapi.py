"""A short run of `make fuzz-http`: every answer is one that the OpenAPI document lists."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ops.http.app import api_document
from tests.fuzz.openapi import fuzz

SECONDS = 30
"""Enough for every route, also where the machine is busy; `make fuzz-http` is for longer."""


@pytest.mark.timeout(300)
def test_every_answer_is_one_that_the_document_lists(tmp_path: Path) -> None:
    # In CI the same tree gets the same cases; elsewhere they vary and find more.
    seed = ("--seed=1",) if os.environ.get("CI") else ()

    contract, everything = fuzz(tmp_path, SECONDS, *seed)

    assert contract.returncode == 0, contract.stdout
    assert everything.returncode == 0, everything.stdout
    routes = sum(map(len, api_document()["paths"].values()))
    assert f"Selected: {routes}/{routes}\n  Tested: {routes}\n" in everything.stdout
