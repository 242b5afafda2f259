"""The list of faults fits the tree, and the runner's verdicts are what happened."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.fault import Fault
from tests.mutants.faults import AREAS, FAULTS
from tests.mutants.run import Tree, Verdict, failing_without, judge, main

ROOT = Path(__file__).resolve().parents[2]
LEAST = {
    "decide": 10,
    "evolve": 8,
    "engine": 10,
    "catch-up": 6,
    "recall": 8,
    "trace": 4,
    "sealing": 4,
    "postgres": 10,
    "operating": 9,
    "waking": 12,
    "generations": 8,
    "restoring": 12,
    "resolver": 30,
    "reading": 16,
    "consolidating": 12,
    "tangling": 14,
    "index": 12,
    "exports": 16,
    "judging": 20,
    "claims": 15,
    "looking": 10,
    "matching": 20,
    "capturing": 20,
    "redacting": 20,
