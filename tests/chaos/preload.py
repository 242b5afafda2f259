"""Loaded once by the process from which servers and supervisors are forked, so that they start in
moments; nothing is opened here."""

from __future__ import annotations

from tests.chaos.product import install

install()

import ops.cli  # noqa: E402 - after what is put into the catalogue
import ops.serve  # noqa: E402
import ops.supervisor  # noqa: E402, F401
