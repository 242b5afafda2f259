"""Generated histories of every kind that a store may take from others."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from domain.instants import server_time
from tests.recall.world import START_US

OWN, FOREIGN = "harbor", "lagoon"
KEYS = ("berth", "crew")
SECONDS = st.integers(0, 6)


def moment(second: int, after: int = 0) -> str:
    return server_time(START_US + 1_000_000 * second + after)


MOMENTS = SECONDS.map(moment)
BOUND = st.none() | MOMENTS


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Events as they arrive: with forks, missing and foreign targets, cycles, early tombstones."""
    count = draw(st.integers(1, 8))
    names = [f"e{n}" for n in range(count)]
    targets = st.sampled_from([*names, "missing"])
    return [draw(events(number, name, targets)) for number, name in enumerate(names)]


@st.composite
def events(
    draw: st.DrawFn, number: int, name: str, targets: st.SearchStrategy[str]
) -> dict[str, Any]:
    kinds = ["assertion", "assertion", "correction", "correction", "correction", "expiry"]
    kind = draw(st.sampled_from([*kinds, "tombstone", "tombstone", "supersession"]))
    # Of events that are no statements no two are recorded at once: one that stands in several
    # streams has a name in each.
    after = 0 if kind in {"assertion", "correction"} else number + 1
    event = {
        "id": name,
        "type": kind,
        "session": draw(st.sampled_from([OWN] * 7 + [FOREIGN])),
        "source": f"logbook {name}",
        "recorded_at": moment(draw(SECONDS), after),
    }
    match kind:
        case "assertion" | "correction":
            event |= {"key": draw(st.sampled_from(KEYS)), "value": draw(st.sampled_from("xyz"))}
            event |= draw(bounds(kind))
        case "expiry":
            event |= {"expires_at": draw(BOUND)}
        case "tombstone":
            event |= {"scope": draw(st.sampled_from(["lineage", "event", "key"]))}
        case "supersession":
            event |= {"targets": draw(st.lists(targets, min_size=1, max_size=2))}
            event |= {"canonical": draw(targets)}
    if event.get("scope") == "key":
        event["key"] = draw(st.sampled_from(KEYS))
    elif kind in {"correction", "expiry", "tombstone"}:
        event["target"] = draw(targets)
    return event


@st.composite
def bounds(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    given_ = {name: draw(BOUND) for name in ("valid_from", "valid_until", "expires_at")}
    if kind == "correction":
        return {name: at for name, at in given_.items() if draw(st.booleans())}
    return given_


@st.composite
def retained_histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """What commands make of one memory, each event recorded at any time: of other hosts, perhaps
    (X-Recorded-At).
    """
    made: list[dict[str, Any]] = []
    tip = ""
    for number in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(["expiry", "expiry", "correction"])) if number else "assertion"
        event = _said(f"e{number}", kind, moment(draw(SECONDS)), tip)
        match kind:
            case "expiry":
                event |= {"expires_at": draw(BOUND)}
            case _:
                tip = event["id"]
                event |= {"key": KEYS[0], "value": draw(st.sampled_from("xyz"))}
                event |= draw(bounds(kind))
                if kind == "correction" and draw(st.booleans()):
                    event |= draw(bounds("assertion")) | {"door": "upsert"}
        made.append(event)
    return made


def _said(name: str, kind: str, recorded_at: str, target: str) -> dict[str, Any]:
    aimed = {} if kind == "assertion" else {"target": target}
    common = {"session": OWN, "source": f"logbook {name}", "recorded_at": recorded_at}
    return {"id": name, "type": kind, **common, **aimed}


@st.composite
def forks(draw: st.DrawFn, *, forgets: bool = True) -> list[dict[str, Any]]:
    """Facts of one slot, with several corrections of one version, each valid for some time.

    Sometimes one of them is forgotten, or corrected again.
    """
    made: list[dict[str, Any]] = []
    for number in range(draw(st.integers(3, 7))):
        before = [one["id"] for one in made if one["type"] in {"assertion", "correction"}]
        kinds = ["assertion", *["correction"] * 4, *["tombstone"] * forgets]
        kind = draw(st.sampled_from(kinds)) if before else "assertion"
        name = f"e{number}"
        after = number + 1 if kind == "tombstone" else 0
        at, target = moment(draw(SECONDS), after), draw(st.sampled_from(before or [name]))
        event = _said(name, kind, at, target)
        if kind == "tombstone":
            made.append(event | {"scope": draw(st.sampled_from(["event", "event", "lineage"]))})
            continue
        start = draw(SECONDS)
        until = draw(st.none() | st.integers(start + 1, 8))
        bounds_ = {"valid_from": moment(start), "valid_until": until and moment(until)}
        made.append(event | {"key": KEYS[0], "value": draw(st.sampled_from("xyz"))} | bounds_)
    return draw(st.permutations(made)) if draw(st.booleans()) else made
