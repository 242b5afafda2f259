"""What a memory says at an instant: the branch that it shows, or one that stands in (ADR 0029)."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, NamedTuple

from sqlalchemy import RowMapping

from domain.canonical import JsonObject, canonical
from domain.instants import Micros


class Standing(NamedTuple):
    """What a version says at an instant.

    `shows` is the version of which the text is, `from_us` when what it says begins to hold.
    """

    shows: int
    from_us: Micros
    record: str
    erased: bool


def standing(row: Any, as_of_us: Micros, record: str = "") -> Standing | None:
    """What a row of `memory_version` says at an instant; None where no branch of it is valid then.

    What is not tangled says one thing, whatever the instant.

    The row has the columns `version`, `from_us`, `until_us`, `erased` and `tangle`, and its
    `record` is given where what is said is asked for; lifecycle and retention are not looked at.
    """
    said = Standing(row.version, row.from_us, record, row.erased)
    if row.tangle is None:
        return said
    tangle = json.loads(row.tangle)
    if row.from_us <= as_of_us < row.until_us:
        return said._replace(shows=tangle["shows"])
    for one in tangle.get("stand_ins", ()):
        if one["from_us"] <= as_of_us < one["until_us"]:
            told: JsonObject = one["record"]
            erased = told["content"] is None
            return Standing(one["shows"], one["from_us"], canonical(told).decode(), erased)
    return None


def standing_row(row: RowMapping, as_of_us: Micros) -> dict[str, Any]:
    """The row with the record of what it says at an instant; as it is where nothing is valid."""
    said = standing(SimpleNamespace(**row), as_of_us, row["record"])
    told = {} if said is None else {"record": said.record, "erased": said.erased}
    return {**row, **told}
