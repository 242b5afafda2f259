"""Claims for people: what is said, who decided what of it, and what is for and against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, STRONG, WARN, content, counted, line, pairs, plain
from ops.cli_views_decisions import decision, dimensions

_STYLES: Final = {"validated": STRONG, "contested": WARN, "rejected": WARN}
_LOOK: Final = "memoranda claim {id} --evidence"
_JUDGE: Final = "memoranda assess {id} --policy POLICY"
NEXT_STEPS: Final = {
    "no_source": "memoranda relate SOURCE {id} --kind supports",
    "source_forgotten": _LOOK,
    "source_expired": _LOOK,
    "source_superseded": _LOOK,
    "source_contradicted": "memoranda claim {id} --audit",
    "unresolved_contradiction": _LOOK,
    "no_assessment": _JUDGE,
    "evidence_newer_than_assessment": _JUDGE,
    "unknown_policy": _JUDGE,
    "retired_policy": _JUDGE,
    "validated_without_policy": _JUDGE,
    "status_differs_from_assessment": _JUDGE + " --apply",
    "decision_damaged": "memoranda verify",
    "never_corroborated": "memoranda relate SOURCE {id} --kind supports",
}
"""For each gap the command that looks into it; the first that a claim has is its next step."""


def many(said: JsonObject) -> Iterator[Text]:
    """Two lines for each claim: what it says and its status, then what is missing."""
    for item in said["items"]:
        yield line(_head(item), _status(item))
        yield line(_statement(item), _weights(item), indent=1)
        yield from _missing(item)
    yield line(counted(len(said["items"]), "claim"), _basis(said))
    if said["next_cursor"] is not None:
        yield line((f"more: --cursor {said['next_cursor']}", DIM), indent=1)


def whole(said: JsonObject) -> Iterator[Text]:
    """A claim as it stands, out of its audit."""
    item = said["claim"]
    yield from _told(item)
    yield from _speaking(said["evidence"])
    yield from _missing(item)
    step = next((step for gap, step in NEXT_STEPS.items() if gap in item["gaps"]), None)
    if step is not None:
        yield line(("next", STRONG), step.format(id=item["id"]))
    yield line(_basis(said))


def audited(said: JsonObject) -> Iterator[Text]:
    """Everything about a claim: every status and decision, and what nobody has checked."""
    item = said["claim"]
    yield from _told(item)
    for one in item["statuses"]:
        yield line(f"v{one['version']}", _status(one), *_by(one), indent=1)
    yield from _pieces(said["evidence"], cut=not said["evidence"]["complete"])
    yield from _missing(item)
    for one in item["decisions"]:
        yield from decision(one)
    if said["never_checked"]:
        yield line(("never checked", STRONG), _versions(said["never_checked"]))
    yield line(_basis(said))


def evidence(said: JsonObject) -> Iterator[Text]:
    """What speaks for and against a claim, a block for each relationship."""
    yield line((said["id"], ID))
    yield from _pieces(said, cut=said["cut"])
    yield line(_basis(said))
    if said["next_cursor"] is not None:
        yield line((f"more: --cursor {said['next_cursor']}", DIM), indent=1)


def _told(item: JsonObject) -> Iterator[Text]:
    """What it says, and the latest status with who gave it."""
    yield line(_head(item), item["kind"])
    yield from content(item["record"]["content"])
    yield line(("status", STRONG), _status(item), *_by(item["statuses"][-1]))
    shown = dimensions(item["dimensions"])
    if shown:
        yield line((shown, DIM), indent=1)


def _speaking(found: JsonObject) -> Iterator[Text]:
    for stance, word in (("supports", "for"), ("contradicts", "against")):
        held = [piece for piece in found[stance] if piece["holds"]]
        rivals = found["rivals"] if stance == "contradicts" else []
        yield line((word, STRONG), "" if held or rivals else "nothing")
        for piece in held:
            yield _piece(piece)
        for rival in rivals:
            yield line((_version(rival), ID), "says something else of the same slot", indent=1)


def _pieces(found: JsonObject, *, cut: bool) -> Iterator[Text]:
    for stance, word in (("supports", "for"), ("contradicts", "against")):
        if found[stance]:
            yield line((word, STRONG))
        for piece in found[stance]:
            yield _piece(piece)
            by = piece["relationship"]
            until = piece["valid_until"] or "on"
            scope = "" if piece["scope"] is None else f"scope {plain(piece['scope'])}"
            valid = f"{piece['valid_from']} – {until}"
            yield line((f"by {_version(by)}", DIM), (valid, DIM), scope, indent=2)
    for rival in found["rivals"]:
        yield line(("rival", WARN), (_version(rival), ID), f"weight {rival['weight']:.2f}")
    for one in found["fallen"]:
        yield line((one["why"], WARN), (_version(one), ID), "on which it rests")
    if cut:
        yield line(("a limit cut the evidence: there is more", WARN))


def _piece(piece: JsonObject) -> Text:
    origin = "no origin of its own" if piece["cluster"] is None else f"origin {piece['cluster']}"
    why = "does not hold then" if piece["stands"] else "was withdrawn"
    named = [one for one in piece["sources"] if one != piece["memory"]["id"]]
    return line(
        (_version(piece["memory"]), ID),
        ", ".join(map(plain, named)),
        f"weight {piece['weight']:.2f}",
        origin if piece["holds"] else (why, WARN),
        indent=1,
    )


def _head(item: JsonObject) -> tuple[str, str]:
    return _version(item), ID


def _statement(item: JsonObject) -> str:
    named = {name: item[name] for name in ("subject", "predicate", "object", "scope")}
    return pairs(named) or "(its properties state nothing)"


def _status(item: JsonObject) -> tuple[str, str]:
    status = "no status" if item["status"] is None else plain(item["status"])
    return status, _STYLES.get(status, "")


def _by(one: JsonObject) -> Iterator[str | tuple[str, str]]:
    """Who gave a status, when, and by what."""
    yield f"by {plain(one['actor_id'])}"
    yield one["recorded_at"], DIM
    if one["policy"] is not None:
        yield f"under {plain(one['policy'])}"
    if one["assessment_id"] is not None:
        yield plain(one["assessment_id"]), ID


def _weights(item: JsonObject) -> str:
    told = f"{item['supports']} for, {item['contradicts']} against"
    return told + (f", {counted(len(item['rivals']), 'rival')}" if item["rivals"] else "")


def _missing(item: JsonObject) -> Iterator[Text]:
    if item["gaps"]:
        named = ", ".join(gap.replace("_", " ") for gap in item["gaps"])
        yield line(("missing", WARN), named, indent=1)


def _version(one: JsonObject) -> str:
    return f"{one['id']}@{one['version']}"


def _versions(found: Iterable[JsonObject]) -> str:
    return ", ".join(map(_version, found))


def _basis(said: JsonObject) -> tuple[str, str]:
    basis = said["basis"]
    return f"as of {basis['as_of']}, position {basis['position']}", DIM
