"""What is told of a memory, by every way of asking × every state that it can be in.

States: the memory is of another `place` (workspace), private to another `owner`, of another
`session` where sessions are strict; or it is Ann's own, and was forgotten (`tombstone`, `erased` by
an application_delete), expired, consolidated away (`superseded`) or corrected; or it holds from a
day to come. Ann has all five permissions; a row with a `*` is asked without `forget`.

The words (spec/operations.md §5 to §8, spec/policy.md 2.5, 2.8 and 2.10):

- `absent`: byte for byte, but for ids, times and positions, what is answered where it never was.
- `text`: its text, or the answer that quotes it. Whoever reads at a basis, a version or the log of
  what was not forgotten, reads what stood there; a reason to be no answer is told beside it.
- `newer`: the text of its newest version, and nothing of the one that was corrected.
- `edge`: the text of a relationship of it, which nobody forgot, and nothing of its own.
- `deleted`, `expired`, `superseded`, `not_yet_valid`, `returned`: its id and this reason, no text.
- `id`: its id, no text.
- `other`: not what is answered where it never was, with neither its id nor its text: a count, or
  the cost of an edge that was looked at.
- `gone`, `stale`, `applied`: refused, since it was forgotten; since it changed after the proposal;
  since the proposal was applied.

So what expired, was superseded or is not yet valid can be addressed and is recalled at no present
basis; what was forgotten has no text left but for an audit, which needs `trace` and `forget`.
"""

from __future__ import annotations

from ops.http.permissions import OPEN

TABLE = """
               place  owner   session tombstone erased   expired  superseded corrected not_yet_valid
memories       absent absent  absent  absent    absent   text     text       newer     text
memory         absent absent  absent  absent    absent   text     text       newer     text
memory then    absent absent  absent  absent    absent   text     text       text      text
memory version absent absent  absent  absent    absent   text     text       text      text
relationships  absent absent  absent  absent    absent   edge     edge       edge      edge
relationship   absent absent  absent  absent    absent   edge     edge       edge      edge
recalled       absent absent  absent  edge      edge     text     text       text      other
recalled*      absent absent  absent  edge      edge     text     text       text      other
quoting        absent absent  absent  text      edge     text     text       text      text
quoting*       absent absent  absent  edge      edge     text     text       text      text
why not before absent absent  absent  returned  returned returned returned   returned  not_yet_valid
why not after  absent absent  absent  deleted   deleted  expired  superseded returned  not_yet_valid
replay before  absent absent  absent  id        id       id       id         id        other
replay after   absent absent  absent  other     other    other    other      id        other
slot           absent absent  absent  deleted   deleted  expired  superseded newer     not_yet_valid
slot newest    absent absent  absent  deleted   deleted  expired  superseded newer     not_yet_valid
slot then      absent absent  absent  deleted   deleted  text     text       text      not_yet_valid
slot history   absent absent  absent  absent    absent   id       id         id        id
slot h. newest absent absent  absent  id        id       id       id         id        id
slots          absent absent  absent  absent    absent   absent   absent     id        absent
slots changed  absent absent  absent  absent    absent   id       id         id        absent
proposals      absent absent  absent  id        id       id       id         id        id
proposal       absent absent  absent  id        id       id       id         id        id
proposal again absent absent  absent  id        id       id       id         id        id
suggestions    absent absent  absent  absent    absent   absent   absent     absent    absent
graph          absent absent  absent  id        id       text     text       newer     text
graph then     absent absent  absent  id        id       text     text       text      text
reviews        absent absent  absent  absent    absent   absent     absent     absent    id
claims         absent absent  absent  other     other    other    other      other     other
claims resting absent absent  absent  other     other    other    other      other     other
claim          absent absent  absent  id        id       id       id         id        id
evidence       absent absent  absent  id        id       text     text       id        text
evidence then  absent absent  absent  id        id       text     text       id        text
audit          absent absent  absent  id        id       text     text       id        text
assessment     absent absent  absent  id        id       id       id         id        id
assessed again absent absent  absent  id        id       id       id         id        id
reassessments  absent absent  absent  other     other    other    other      absent    absent
assess         absent absent  absent  id        id       id       id         id        id
assess without absent absent  absent  id        id       id       id         id        id
review         absent absent  absent  absent    absent   absent   absent     absent    absent
derive         absent absent  absent  gone      gone     stale    stale      stale     id
log            absent absent  absent  text      edge     text     text       text      text
log*           absent absent  absent  edge      edge     text     text       text      text
stream         absent absent  absent  id        id       text     text       text      text
stream*        absent absent  absent  id        id       text     text       text      text
recall         absent absent  absent  other     other    expired  superseded newer     not_yet_valid
recall newest  absent absent  absent  deleted   deleted  expired  superseded newer     not_yet_valid
recall seeded  absent absent  absent  other     other    expired  superseded newer     not_yet_valid
recall then    absent absent  absent  absent    absent   text     text       text      not_yet_valid
trace          absent absent  absent  text      id       text     text       text      text
trace*         absent absent  absent  id        id       text     text       text      text
trace edge     absent absent  absent  edge      edge     edge     edge       edge      edge
trace recall   absent absent  absent  text      id       text     text       text      other
trace recall*  absent absent  absent  id        id       text     text       text      other
trace mutation absent absent  absent  text      id       text     text       text      text
remember key   absent absent  absent  absent    absent   text     text       id        text
remember slot  absent absent  absent  absent    absent   absent   absent     id        absent
remember again absent absent  text    id        id       text     text       text      text
relate         absent absent  absent  gone      gone     id       id         id        id
update         absent absent  absent  gone      gone     text     text       newer     text
forget         absent absent  absent  gone      gone     id       id         id        id
propose        absent absent  absent  gone      gone     id       id         id        id
apply          absent absent  absent  gone      gone     stale    id         stale     id
reject         absent absent  absent  other     other    other    applied    other     other
batch          absent absent  absent  gone      gone     text     text       newer     text
import         absent absent  absent  absent    absent   other    other      other     other
stats          absent other   other   other     other    other    other      other     other
"""

RULED = {
    ("session", "remember again"),
    ("owner", "stats"),
    ("session", "stats"),
}
"""Cells in which something is told of what is somebody else's, and why that is no leak:

the same request of the same actor under the same idempotency key is answered from its receipt in
every session (spec/operations.md §5); `stats` counts all of a workspace for whoever operates it.
"""

AUDITS = {"quoting", "log", "trace", "trace recall", "trace mutation"}
"""Rows in which an auditor reads what a tombstone hides, or the question that quoted it."""

ROUTES = {
    ("GET", "/v1/memories"): ("memories",),
    ("GET", "/v1/memories/{memory_id}"): ("memory", "memory then"),
    ("GET", "/v1/memories/{memory_id}/versions/{version}"): ("memory version",),
    ("GET", "/v1/relationships"): ("relationships",),
    ("GET", "/v1/relationships/{relationship_id}"): ("relationship",),
    ("GET", "/v1/recalls/{recall_id}"): ("recalled", "recalled*", "quoting", "quoting*"),
    ("GET", "/v1/recalls/{recall_id}/why-not/{memory_id}"): ("why not before", "why not after"),
    ("GET", "/v1/recalls/{recall_id}/replay"): ("replay before", "replay after"),
    ("GET", "/v1/slots"): ("slots", "slots changed"),
    ("GET", "/v1/slots/{slot}"): ("slot", "slot newest", "slot then"),
    ("GET", "/v1/slots/{slot}/history"): ("slot history", "slot h. newest"),
    ("GET", "/v1/proposals"): ("proposals",),
    ("GET", "/v1/proposals/suggestions"): ("suggestions",),
    ("GET", "/v1/proposals/{proposal_id}"): ("proposal",),
    ("GET", "/v1/proposals/{proposal_id}/replay"): ("proposal again",),
    ("POST", "/v1/proposals/{proposal_id}/reject"): ("reject",),
    ("GET", "/v1/evidence/graph"): ("graph", "graph then"),
    ("GET", "/v1/reviews"): ("reviews",),
    ("GET", "/v1/claims"): ("claims", "claims resting"),
    ("GET", "/v1/claims/{claim_id}"): ("claim",),
    ("GET", "/v1/claims/{claim_id}/evidence"): ("evidence", "evidence then"),
    ("GET", "/v1/claims/{claim_id}/audit"): ("audit",),
    ("POST", "/v1/claims/{claim_id}/assess"): ("assess", "assess without"),
    ("POST", "/v1/claims/{claim_id}/reviews"): ("review",),
    ("POST", "/v1/facts"): ("derive",),
    ("GET", "/v1/reassessments"): ("reassessments",),
    ("GET", "/v1/assessments/{assessment_id}"): ("assessment",),
    ("GET", "/v1/assessments/{assessment_id}/replay"): ("assessed again",),
    ("GET", "/v1/log"): ("log", "log*"),
    ("GET", "/v1/streams/{stream_id}"): ("stream", "stream*"),
    ("GET", "/v1/stats"): ("stats",),
    ("POST", "/v1/import"): ("import",),
    ("POST", "/v1/memory/batch"): ("batch",),
    ("POST", "/v1/memory/operations"): (
        *("recall", "recall newest", "recall seeded", "recall then"),
        *("trace", "trace*", "trace edge", "trace recall", "trace recall*", "trace mutation"),
        *("remember key", "remember slot", "remember again", "relate", "update", "forget"),
        *("propose", "apply"),
    ),
}

COMMANDS = {
    "recall": ("recall", "recall then"),
    "why-not": ("why not after",),
    "replay": ("replay before",),
    "slot": ("slot", "slot then", "slot history"),
    "slots": ("slots",),
    "claims": ("claims", "claims resting"),
    "claim": ("claim", "evidence", "audit"),
    "assess": ("assess", "assess without"),
    "assessment": ("assessment", "assessed again"),
    "reassess": ("reassessments",),
    "derive": ("derive",),
    "log": ("log",),
    "trace": ("trace", "trace mutation"),
    "remember": ("remember key",),
    "relate": ("relate",),
    "update": ("update",),
    "forget": ("forget",),
    "consolidate propose": ("propose",),
    "consolidate apply": ("apply",),
    "consolidate list": ("proposals",),
    "graph": ("graph", "graph then"),
    "review": ("reviews",),
    "consolidate replay": ("proposal again",),
    "consolidate reject": ("reject",),
    "consolidate suggest": ("suggestions",),
    "import": ("import",),
    "stats": ("stats",),
}
"""Commands ask a server, as one who has all permissions, and print what the routes answer."""

_WHOLE = "works on the whole store for its operator, and prints counts, names of checks and ids"
_KEYS = "tells of keys"
_SETTINGS = "tells how a workspace is set"
_BUNDLES = "tells an owner of bundles alone; tests/bundles asks all of them as somebody else"
_POLICIES = "tells the rules by which a workspace judges, and of no record"

SILENT_ROUTES = {
    **{("GET", path): "needs no key, so that it tells of no record" for path in OPEN},
    ("GET", "/v1/settings"): _SETTINGS,
    ("PATCH", "/v1/settings"): _SETTINGS,
    ("GET", "/v1/policies"): _POLICIES,
    ("GET", "/v1/policies/{name}/{version}"): _POLICIES,
    ("POST", "/v1/policies"): _POLICIES,
    ("POST", "/v1/policies/{name}/{version}/retire"): _POLICIES,
    ("GET", "/v1/bundles/concepts"): _BUNDLES,
    ("GET", "/v1/bundles/concepts/{concept_id}.md"): _BUNDLES,
    ("GET", "/v1/bundles/concepts/{concept_id}"): _BUNDLES,
    ("GET", "/v1/bundles/claims/{claim_id}"): _BUNDLES,
    ("GET", "/v1/bundles/windows/{window_id}"): _BUNDLES,
    ("GET", "/v1/agent-sessions/windows/{window_id}"): _BUNDLES,
    ("GET", "/v1/bundles/completeness"): _BUNDLES,
    ("POST", "/v1/agent-sessions/windows"): _BUNDLES,
    ("POST", "/api/agent-sessions/windows"): _BUNDLES,
    ("POST", "/api/v1/agent-sessions/windows"): _BUNDLES,
    ("POST", "/v1/agent-sessions/windows/{window_id}/resolve"): _BUNDLES,
    ("GET", "/v1/agent-sessions/windows/{window_id}/replay"): _BUNDLES,
    ("GET", "/v1/keys"): _KEYS,
    ("POST", "/v1/keys"): _KEYS,
    ("POST", "/v1/keys/{key_id}/revoke"): _KEYS,
    ("POST", "/v1/jobs"): _WHOLE,
    ("GET", "/v1/jobs/{job_id}"): _WHOLE,
}
"""Routes without a row, each with the reason."""

SILENT_COMMANDS = {
    "settings": _SETTINGS,
    **dict.fromkeys(("policy define", "policy list", "policy show", "policy retire"), _POLICIES),
    **dict.fromkeys(("keys create", "keys list", "keys revoke", "keys rotate-master"), _KEYS),
    **dict.fromkeys(("parked list", "parked show", "parked retry", "parked skip"), _WHOLE),
    **dict.fromkeys(("verify", "doctor", "rebuild", "migrate", "probe"), _WHOLE),
    **dict.fromkeys(
        ("bundle concepts", "bundle concept", "bundle claim", "bundle window"), _BUNDLES
    ),
    **dict.fromkeys(("bundle completeness", "bundle export", "bundle resolve"), _BUNDLES),
    **dict.fromkeys(("capture codex", "capture claude-code"), "sends, and prints counts"),
    "backup": "copies the sealed log into a file, and prints counts",
    "export": "writes a workspace into a file, for its operator",
    "restore": "puts a copy of the sealed log back, and prints counts",
    "serve": "answers over HTTP",
    "worker": "answers nobody",
    "demo": "has a store of its own",
    "evaluate": "reads a file of cases, and no store",
    **dict.fromkeys(
        ("capture codex", "capture claude-code"), "sends a file, and prints what became of it"
    ),
    "approve": "says of a claim what the row `review` of its route does",
    "revert": "reads as `memory` and `memory version` do, and then updates",
}
"""Commands without a row, each with the reason."""


def _parsed():
    head, *lines = TABLE.strip("\n").splitlines()
    states = head.split()
    rows = [line.rsplit(maxsplit=len(states)) for line in lines]
    return {state: {row[0]: row[at] for row in rows} for at, state in enumerate(states, start=1)}


EXPECTED = _parsed()
"""For each state what each row tells."""
