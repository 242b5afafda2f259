"""How each row of the table of visibility is asked: over HTTP, and by a command.

A question is asked in a world in which the memory is there, and in one in which it never was. What
it tells is one word, found in the two answers.
"""

from __future__ import annotations

import json

from domain.validation.shipped import SINGLE_TRUSTED
from tests.cli_operations.running import Names, run
from tests.http.api import ALL, edge, envelope, host_headers, memory, question
from tests.http.visibility_worlds import KEY, LINK, NEW, OLD, SLOT, consolidation
from tests.importer.lines import remember, update

LIMIT = "limit=200"
_POLICY = {"policy": SINGLE_TRUSTED}
_DERIVED = {"format": "text", "value": "something made of it"}
NEWEST = "newest-recorded/v1"


def _target(kind, name):
    return {"target": {"kind": kind, "id": name}}


def _apply(w):
    mode = {"mode": "apply_approved", "proposal_id": w.proposal, "approval_policy": "p"}
    return consolidation([w.mine, w.record], **mode)


def _patch(w):
    return {**_target("memory", w.record), "patch": {"confidence": 0.5}}


def _asked(w, **more):
    return question("otter", explain=True, **more)


GETS = {
    "memories": lambda _: f"/v1/memories?{LIMIT}",
    "memory": lambda w: f"/v1/memories/{w.record}",
    "memory then": lambda w: f"/v1/memories/{w.record}?as_known_position={w.known}",
    "memory version": lambda w: f"/v1/memories/{w.record}/versions/1",
    "relationships": lambda _: f"/v1/relationships?{LIMIT}",
    "relationship": lambda w: f"/v1/relationships/{w.edge}",
    "recalled": lambda w: f"/v1/recalls/{w.before}",
    "quoting": lambda w: f"/v1/recalls/{w.quoting}",
    "why not before": lambda w: f"/v1/recalls/{w.before}/why-not/{w.record}",
    "why not after": lambda w: f"/v1/recalls/{w.after}/why-not/{w.record}",
    "replay before": lambda w: f"/v1/recalls/{w.before}/replay",
    "replay after": lambda w: f"/v1/recalls/{w.after}/replay",
    "slot": lambda _: f"/v1/slots/{SLOT}",
    "slot newest": lambda _: f"/v1/slots/{SLOT}?policy={NEWEST}",
    "slot then": lambda w: f"/v1/slots/{SLOT}?as_known_position={w.known}",
    "slot history": lambda _: f"/v1/slots/{SLOT}/history",
    "slot h. newest": lambda _: f"/v1/slots/{SLOT}/history?policy={NEWEST}",
    "slots": lambda _: "/v1/slots",
    "slots changed": lambda w: f"/v1/slots?changed_since={w.known}",
    "proposals": lambda _: "/v1/proposals",
    "proposal": lambda w: f"/v1/proposals/{w.proposal}",
    "proposal again": lambda w: f"/v1/proposals/{w.proposal}/replay",
    "suggestions": lambda _: "/v1/proposals/suggestions",
    "graph": lambda w: f"/v1/evidence/graph?seed={w.claim}",
    "graph then": lambda w: f"/v1/evidence/graph?seed={w.claim}&as_known_position={w.judged}",
    "reviews": lambda _: f"/v1/reviews?{LIMIT}",
    "claims": lambda _: f"/v1/claims?{LIMIT}",
    "claims resting": lambda w: f"/v1/claims?rests_on={w.record}",
    "claim": lambda w: f"/v1/claims/{w.claim}",
    "evidence": lambda w: f"/v1/claims/{w.claim}/evidence",
    "evidence then": lambda w: f"/v1/claims/{w.claim}/evidence?as_known_position={w.judged}",
    "audit": lambda w: f"/v1/claims/{w.claim}/audit",
    "assessment": lambda w: f"/v1/assessments/{w.assessment}",
    "assessed again": lambda w: f"/v1/assessments/{w.assessment}/replay",
    "reassessments": lambda _: f"/v1/reassessments?policy={SINGLE_TRUSTED}",
    "log": lambda _: f"/v1/log?{LIMIT}",
    "stream": lambda w: f"/v1/streams/{w.record}",
    "stats": lambda _: "/v1/stats",
}
"""Rows that are the path of a GET."""

POSTS = {
    "reject": lambda w: (f"/v1/proposals/{w.proposal}/reject", {"reason": "r"}),
    "assess": lambda w: (f"/v1/claims/{w.claim}/assess", _POLICY),
    "assess without": lambda w: (
        f"/v1/claims/{w.claim}/assess",
        {**_POLICY, "exclude": [w.record]},
    ),
    "review": lambda w: (f"/v1/claims/{w.claim}/reviews", {**_POLICY, "verdict": "approved"}),
    "derive": lambda w: (
        "/v1/facts",
        {**_POLICY, "claims": [[w.record, 1]], "kind": "fact", "content": _DERIVED},
    ),
}
"""Rows that are the path and the body of a POST, under an idempotency key."""

OPERATIONS = {
    "recall": ("recall", _asked),
    "recall newest": ("recall", lambda w: _asked(w, slot=SLOT, policy=NEWEST)),
    "recall seeded": ("recall", lambda w: _asked(w, seed_ids=[w.record])),
    "recall then": ("recall", lambda w: _asked(w, as_known_position=w.known)),
    "trace": ("trace", lambda w: _target("memory", w.record)),
    "trace edge": ("trace", lambda w: _target("relationship", w.edge)),
    "trace recall": ("trace", lambda w: _target("recall", w.before)),
    "trace mutation": ("trace", lambda _: _target("mutation", "record")),
    "remember key": ("remember", lambda _: memory("new", identity_key=KEY)),
    "remember slot": ("remember", lambda w: w.own),
    "remember again": ("remember", lambda w: w.made),
    "relate": ("relate", lambda w: edge(w.record, w.mine)),
    "update": ("update", _patch),
    "forget": (
        "forget",
        lambda w: {"memory_id": w.record, "mode": "tombstone", "reason": "r"},
    ),
    "propose": ("consolidate", lambda w: consolidation([w.mine, w.record])),
    "apply": ("consolidate", _apply),
}
"""Rows that are the input of an operation of the contract."""

COMMANDS = {
    "why not after": lambda w: ("why-not", w.after, w.record),
    "replay before": lambda w: ("replay", w.before),
    "slot": lambda _: ("slot", SLOT),
    "slot then": lambda w: ("slot", SLOT, "--as-known-position", w.known),
    "slot history": lambda _: ("slot", SLOT, "--history"),
    "slots": lambda _: ("slots",),
    "proposals": lambda _: ("consolidate", "list"),
    "graph": lambda w: ("graph", w.claim),
    "graph then": lambda w: ("graph", w.claim, "--as-known-position", w.judged),
    "reviews": lambda _: ("review", "-n", "200"),
    "proposal again": lambda w: ("consolidate", "replay", w.proposal),
    "suggestions": lambda _: ("consolidate", "suggest"),
    "reject": lambda w: ("consolidate", "reject", w.proposal, "--reason", "r"),
    "claims": lambda _: ("claims",),
    "claims resting": lambda w: ("claims", "--rests-on", w.record),
    "claim": lambda w: ("claim", w.claim),
    "evidence": lambda w: ("claim", w.claim, "--evidence"),
    "audit": lambda w: ("claim", w.claim, "--audit"),
    "assess": lambda w: ("assess", w.claim, "--policy", SINGLE_TRUSTED),
    "assess without": lambda w: ("assess", w.claim, "--policy", SINGLE_TRUSTED,
                                 "--exclude", w.record),
    "assessment": lambda w: ("assessment", w.assessment),
    "assessed again": lambda w: ("assessment", w.assessment, "--replay"),
    "reassessments": lambda _: ("reassess", "--policy", SINGLE_TRUSTED),
    "derive": lambda w: ("derive", f"{w.record}@1", "--text", "made of it",
                         "--policy", SINGLE_TRUSTED),
    "log": lambda _: ("log", "-n", "200"),
    "recall": lambda _: ("recall", "otter", "--explain"),
    "recall then": lambda w: ("recall", "otter", "--explain", "--as-known-position", w.known),
    "trace": lambda w: ("trace", w.record),
    "trace mutation": lambda _: ("trace", "record"),
    "remember key": lambda _: ("remember", "new", "--key", KEY),
    "relate": lambda w: ("relate", w.record, w.mine, "--kind", "supports"),
    "update": lambda w: ("update", w.record, "--confidence", "0.5"),
    "forget": lambda w: ("forget", w.record, "--mode", "tombstone", "--reason", "r"),
    "propose": lambda w: ("consolidate", "propose", w.mine, w.record, "--reason", "same",
                          "--canonical", w.mine),
    "apply": lambda w: ("consolidate", "apply", w.proposal, w.mine, w.record, "--reason", "same",
                        "--canonical", w.mine, "--policy", "p"),
}  # fmt: skip
"""Rows that are the arguments of a command; `import` and `stats` are such, too."""

MUTATIONS = frozenset(
    {"remember key", "remember slot", "remember again", "relate", "update", "forget"}
    | {"propose", "apply", "reject", "batch", "import", "assess", "review", "derive"}
)
"""Rows that would change the world for the others, and get one of their own."""


_OWN_KEY = {"Authorization", "Idempotency-Key", "X-Session-Id"}
"""Headers that go with a key which says itself who acts."""


def over_http(world, row, operator, key_of):
    """Status and body of a row; with a `*`, of one who may not forget."""
    plain = row.removesuffix("*")
    names = dict(world.names)
    if plain != row:
        names["permissions"] = ALL.replace("forget,", "")
    if row == "import":
        named = {"workspace": names["workspace"], "actor": names["actor"]}
        return _answer(operator.lines(_lines(world), **named))
    if row == "stats":
        asked = {**operator.headers, "X-Workspace-Id": names["workspace"]}
        return _answer(operator.client.get(GETS[row](world), headers=asked))
    if row == "batch":
        body = {"items": [envelope("update", _patch(world), "asked")]}
        sent = world.api.client.post("/v1/memory/batch", json=body, headers=host_headers(**names))
        return _answer(sent)
    if row in POSTS:
        path, body = POSTS[row](world)
        sent = {**host_headers(**names), "Idempotency-Key": "asked"}
        if row == "review":
            # A permission that no header gives; by somebody who has written nothing.
            token = key_of(names["workspace"], "kim", "review")
            sent = {**sent, "Authorization": f"Bearer {token}"}
            sent = {name: said for name, said in sent.items() if name in _OWN_KEY}
        return _answer(world.api.client.post(path, json=body, headers=sent))
    if plain in GETS:
        return _answer(world.api.get(GETS[plain](world), **names))
    operation, said = OPERATIONS[plain]
    key = "record" if row == "remember again" else "asked"
    return _answer(world.api.send(operation, said(world), key, **names))


def _answer(response):
    return response.status_code, response.json()


def _lines(world):
    rows = (remember("fresh", key="fresh"), update(KEY, key="line", confidence=0.5))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def by_command(world, row, server, folder):
    """Exit status and answer of the command of a row, asked of a server."""
    names = world.names
    where = ("--json", "--url", server.url)
    if row == "stats":
        done = run(row, *where, key=server.key_of(names["workspace"], names["actor"], "operate"))
    elif row == "import":
        file = folder / f"{names['workspace']}.jsonl"
        file.write_bytes(_lines(world))
        named = ("--workspace", names["workspace"], "--actor", names["actor"])
        done = run(row, file, *named, *where, key=server.operator.token)
    else:
        session = ("--session", names["session"])
        key = server.key_of(names["workspace"], names["actor"], *ALL.split(","))
        done = run(*COMMANDS[row](world), *session, *where, key=key)
    return done.code, json.loads(done.out or done.err)


_POSITIONS = {"as_known_position", "head", "records", "evidence", "bundles"}


class _Names(Names):
    """Masks positions also where a question names them, and where all is counted."""

    def _member(self, name, value):
        counted = name in _POSITIONS and isinstance(value, int)
        return name if counted else super()._member(name, value)


def masked(world, answer):
    """An answer without ids, times, positions and the name of the workspace."""
    text = json.dumps(answer).replace(world.names["workspace"], "<workspace>")
    return _Names().bytes_of(json.loads(text))


def told(world, answer, without):
    """What an answer tells of the memory, in a word of the table."""
    if masked(world, answer) == without:
        return "absent"
    text = json.dumps(answer)
    for word, sign in (("text", OLD), ("newer", NEW), ("edge", LINK)):
        if sign in text:
            return word
    if world.record in text or world.edge in text:
        return _excluded(answer[1], world.record) or "id"
    return _refused(answer[1]) or "other"


def _objects(value):
    """All objects of an answer, the outer ones first."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _objects(one)


def _excluded(body, record):
    """Why the newest version that an answer names is no item of it."""
    named = [
        (one.get("version") or 0, one["reason"])
        for one in _objects(body)
        if record in (one.get("id"), one.get("memory_id")) and isinstance(one.get("reason"), str)
    ]
    return max(named)[1] if named else None


def _refused(body):
    """What a refusal says: the reason where it has one, else the code."""
    refusals = (one for one in _objects(body) if "retryable" in one)
    said = next((one.get("reason") or one["code"] for one in refusals), None)
    words = {
        "TARGET_DELETED": "gone",
        "VERSION_CONFLICT": "stale",
        "STALE_TARGET": "stale",
        "PROPOSAL_APPLIED": "applied",
    }
    return words.get(said, said)
