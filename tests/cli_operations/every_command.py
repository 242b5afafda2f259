"""A row for every command: what is said to a data folder and, with `--url`, to a server.

A row is a history: it says commands, good ones and bad ones, and may use what they answered. Both
sides get the same ones in the same order.
"""

from __future__ import annotations

import json

from tests.capture.logs import CLAUDE, CODEX
from tests.importer.lines import relate, remember, written

ACTOR = "ana"
WORKSPACE = "every"
NOT_REMOTE = (
    *("serve", "demo", "migrate", "worker", "probe", "backup", "restore", "export"),
    "evaluate",
    "keys rotate-master",
)
"""Commands without --url; docs/how-to/command-line.md says why."""


def _made(side, text, *more):
    return side.memory("remember", text, *more).result["record"]["id"]


def _remember(side):
    side.memory("remember", "Otters hold hands.", "--key", "k", "--tag", "zoo", "--source", "a#b")
    side.memory("remember", "Otters hold paws.", "--key", "k", "--expected-version", "7")
    side.memory("remember", "-", "--properties", '{"n": [1]}', stdin="naïve\n")
    side.memory("remember")
    side.memory("remember", "x", "--confidence", "2")
    side.memory("remember", "x", "--properties", "{")


def _relate(side):
    ends = _made(side, "one end"), _made(side, "another end")
    side.memory("relate", *ends, "--kind", "supports")
    side.memory("relate", "mem_nothing", ends[1], "--kind", "supports")
    side.memory("relate", *ends)


def _recall(side):
    _made(side, "Quokkas smile.")
    side.memory("recall", "quokkas", "--explain")
    side.memory("recall", "quokkas", "--as-of", "yesterday")
    side.memory("recall", " ")


def _why_not(side):
    seen, missed = _made(side, "Bilbies dig."), _made(side, "Bandicoots dig in the garden.")
    recalled = side.memory("recall", "bilbies dig", "-n", "1").result["recall_id"]
    side.memory("why-not", recalled, seen)
    side.memory("why-not", recalled, missed)
    side.memory("why-not", recalled, "mem_nothing")
    side.memory("why-not", "recall_nothing", missed)
    side.memory("why-not", recalled)


def _slot(side):
    for name in ("a/b", "..", "a%2Fb", "ünï"):
        _made(side, "first", "--slot", name)
        _made(side, "second", "--slot", name)
        side.memory("slot", name, "--policy", "newest-recorded/v1")
    side.memory("slot", "a/b", "--history", "-n", "1")
    side.memory("slot", "a/b", "--history", "--after", "1", "--policy", "newest-recorded/v1")
    side.memory("slot", "a/b", "--history", "--as-known-position", "1")
    side.memory("slot", "a/b", "--after", "1")
    side.memory("slot", "nothing", "--history")
    side.memory("slot", "nothing")
    side.memory("slot", " ")
    side.memory("slot", "\udcff")
    side.memory("slot", "a/b", "--policy", "newest")
    side.memory("slot", "a/b", "--as-of", "yesterday")


def _slots(side):
    _made(side, "first", "--slot", "a")
    _made(side, "second", "--slot", "a")
    # Slots are listed by references that are each store's own: one alone is alike in both.
    side.memory("slots", "--changed-since", "0", "-n", "200")
    _made(side, "alone", "--slot", "b")
    side.memory("slots", "--conflicts")
    side.memory("slots", "--changed-since", "monday")
    side.memory("slots", "--cursor", "x")
    side.memory("slots", "-n", "0")


def _replay(side):
    _made(side, "Quolls climb.")
    recalled = side.memory("recall", "quolls").result["recall_id"]
    side.memory("replay", recalled)
    side.memory("replay", "recall_nothing")
    side.memory("replay")


def _update(side):
    made = _made(side, "to be corrected")
    side.memory("update", made, "corrected", "--tag", "t", "--expected-version", "1")
    side.memory("update", made, "--expected-version", "1", "--confidence", "0.5")
    side.memory("update", "mem_nothing", "x")


def _forget(side):
    made = _made(side, "to be forgotten")
    side.memory("forget", made, "--mode", "tombstone", "--reason", "r")
    side.memory("forget", made, "--mode", "tombstone", "--reason", "r")
    side.memory("forget", made, "--mode", "expire", "--reason", "r")
    side.memory("forget", made, "--mode", "never", "--reason", "r")


def _propose(side):
    both = [_made(side, text, "--slot", "s") for text in ("a quoll", "the quoll")]
    side.memory("consolidate", "propose", *both, "--reason", "same")
    side.memory("consolidate", "propose", both[0], "--reason", "alone")


def _apply(side):
    both = [_made(side, text, "--slot", "s") for text in ("a numbat", "the numbat")]
    proposed = side.memory("consolidate", "propose", *both, "--reason", "same").result
    named = (*both, "--reason", "same", "--policy", "by hand")
    side.memory("consolidate", "apply", proposed["proposal_id"], *named)
    side.memory("consolidate", "apply", "prop_nothing", *named)


def _proposed(side, *texts):
    both = [_made(side, text, "--slot", "s") for text in texts]
    proposed = side.memory("consolidate", "propose", *both, "--reason", "same").result
    return proposed["proposal_id"], both


def _proposals(side):
    _, both = _proposed(side, "a dunnart", "the dunnart")
    side.memory("update", both[0], "--tag", "t")
    side.memory("consolidate", "list", "--status", "stale")
    _proposed(side, "a dibbler", "the dibbler")
    side.memory("consolidate", "list", "--status", "open", "-n", "1")
    side.memory("consolidate", "list", "--status", "gone")
    side.memory("consolidate", "list", "--cursor", "x")
    side.memory("consolidate", "list", "-n", "0")


def _reject(side):
    proposal_id, both = _proposed(side, "a kowari", "the kowari")
    side.memory("consolidate", "reject", proposal_id, "--reason", "two of them")
    side.memory("consolidate", "reject", proposal_id, "--reason", "two", "--idempotency-key", "é%")
    side.memory("consolidate", "apply", proposal_id, *both, "--reason", "same", "--policy", "p")
    side.memory("consolidate", "list", "--status", "rejected")
    side.memory("consolidate", "reject", "prop_nothing", "--reason", "r")
    side.memory("consolidate", "reject", proposal_id, "--reason", " ")
    side.memory("consolidate", "reject", proposal_id)


def _proposal_again(side):
    proposal_id, both = _proposed(side, "a ningaui", "the ningaui")
    side.memory("consolidate", "replay", proposal_id)
    side.memory("consolidate", "apply", proposal_id, *both, "--reason", "same", "--policy", "p")
    side.memory("consolidate", "replay", proposal_id)
    side.memory("forget", both[1], "--mode", "application_delete", "--reason", "r")
    side.memory("consolidate", "replay", proposal_id)
    side.memory("consolidate", "replay", "prop_nothing")
    side.memory("consolidate", "replay")


def _graph(side):
    ends = _made(side, "a numbat claims", "--kind", "claim"), _made(side, "a source")
    side.memory("relate", ends[1], ends[0], "--kind", "supports")
    side.memory("graph", ends[0])
    side.memory("graph", ends[1], "--depth", "0", "-n", "1", "--edges", "0")
    side.memory("graph", ends[0], "--as-known-position", "0")
    side.memory("graph", ends[0], "--as-of", "yesterday")
    side.memory("graph", ends[0], "--mermaid")
    side.memory("graph", "mem_nothing")
    side.memory("graph", ends[0], "--depth", "9")


def _review(side):
    _proposed(side, "a planigale", "the planigale")
    origin, made = _made(side, "an origin"), _made(side, "made of it")
    side.memory("relate", made, origin, "--kind", "derived_from")
    side.memory("forget", origin, "--mode", "tombstone", "--reason", "r")
    side.memory("review", "-n", "200")
    side.memory("review", "--cursor", "x")
    side.memory("review", "-n", "0")


def _suggest(side):
    for text in ("one mulgara", "another mulgara", "a third"):
        _made(side, text, "--slot", "mulgara", "--property", "object=mulgara")
    side.memory("consolidate", "suggest")
    side.memory("consolidate", "suggest", "-n", "1")
    side.memory("consolidate", "suggest", "--cursor", "x")


def _revert(side):
    made = _made(side, "first", "--tag", "a", "--valid-from", "2020-01-01T00:00:00Z")
    side.memory("update", made, "second", "--tag", "b", "--confidence", "0.5")
    side.memory("revert", made, "--to", "1")
    side.memory("revert", made, "--to", "2", "--expected-version", "2")
    side.memory("revert", made, "--to", "3")
    side.memory("revert", made, "--to", "9", "--expected-version", "12")
    side.memory("revert", made, "--to", "0")
    side.memory("revert", "mem_nothing", "--to", "1")
    side.memory("forget", made, "--mode", "application_delete", "--scope", "event",
                "--version", "2", "--reason", "r")  # fmt: skip
    side.memory("revert", made, "--to", "2")


def _trace(side):
    made = _made(side, "traced", "--idempotency-key", "traced")
    side.memory("trace", made)
    side.memory("trace", "traced")
    side.memory("trace", "nothing")


def _log(side):
    _made(side, "logged")
    side.memory("log", "-n", "200")
    side.memory("log", "-n", "2", "--after", "1")
    side.memory("log", "-n", "0")


def _captured(side, client, log):
    where = ("--state", side.folder / "state")
    side.memory("capture", client, log, *where)
    side.memory("capture", client, log, *where)
    side.memory("capture", client, log, *where, "--finished")
    side.memory("capture", client, side.folder / "missing.jsonl", *where)
    side.memory("capture", client, log, *where, "--since", "monday")
    side.memory("capture", client, *where)


def _capture_codex(side):
    _captured(side, "codex", CODEX)


def _capture_claude_code(side):
    _captured(side, "claude-code", CLAUDE)
    file = side.folder / "proposals.json"
    file.write_text('[{"action": "no_output"}]', "utf-8")
    again = ("--state", side.folder / "again", "--proposals", file)
    side.memory("capture", "claude-code", CLAUDE, *again)
    side.memory("capture", "claude-code", CLAUDE, *again)


def _settings(side):
    side.memory("settings")


def _written(side, name, definition):
    file = side.folder / f"{name.replace('/', '-')}.json"
    file.write_text(json.dumps({"name": name, "definition": definition}), "utf-8")
    return file


def _policy_define(side):
    two = _written(side, "two/v1", {"independent_supports": 2, "sources": {"trusted": ["a", "ü*"]}})
    side.memory("policy", "define", two)
    side.memory("policy", "define", two)
    side.memory("policy", "define", "-", stdin=two.read_text("utf-8"))
    side.memory("policy", "define", _written(side, "two/v1", {"independent_supports": 3}))
    side.memory("policy", "define", _written(side, "Two/v1", {"independent_supports": 2}))
    side.memory("policy", "define", _written(side, "sure/v1", {"min_confidence": 0.9}))
    side.memory("policy", "define", _written(side, "odd/v1", {"sources": {"trusted": ["a*b"]}}))
    side.memory("policy", "define", _written(side, "none/v1", []))
    side.memory("policy", "define", side.folder / "missing.json")
    for text in (
        "no json",
        "[]",
        '{"name": "a/v1"}',
        '{"name": 1, "definition": {}}',
        '{"a": 1, "a": 2}',
    ):
        side.memory("policy", "define", "-", stdin=text)


def _policy_list(side):
    side.memory("policy", "define", _written(side, "listed/v1", {"approvals": 1}))
    side.memory("policy", "list")


def _policy_show(side):
    side.memory("policy", "define", _written(side, "shown/v1", {"approvals": 2}))
    side.memory("policy", "show", "shown/v1")
    side.memory("policy", "show", "single-trusted-source/v1")
    side.memory("policy", "show", "nothing/v1")
    side.memory("policy", "show", "..")


def _policy_retire(side):
    side.memory("policy", "define", _written(side, "ended/v1", {"approvals": 3}))
    side.memory("policy", "retire", "ended/v1", "--reason", "r")
    side.memory("policy", "retire", "ended/v1", "--reason", "another")
    side.memory("policy", "retire", "nothing/v1", "--reason", "r")
    side.memory("policy", "retire", "ended", "--reason", "r")
    side.memory("policy", "retire", "reviewer-approval/v1", "--reason", " ")
    side.memory("policy", "retire", "ended/v1")


SINGLE = "single-trusted-source/v1"


def _claimed(side, text, *more):
    """A claim, and a source that supports it."""
    claim = _made(side, text, "--kind", "claim", "--property", "object=x", *more)
    source = _made(side, f"a source of {text}", "--source", "a#b")
    side.memory("relate", source, claim, "--kind", "supports")
    return claim, source


def _claims(side):
    _, source = _claimed(side, "a potoroo", "--slot", "potoroo")
    side.memory("claims", "--slot", "potoroo", "--kind", "claim", "--gap", "no_assessment")
    side.memory("claims", "--rests-on", source)
    side.memory("claims", "--status", "validated", "-n", "1")
    side.memory("claims", "--gap", "nothing")
    side.memory("claims", "--kind", "note")
    side.memory("claims", "--cursor", "x")
    side.memory("claims", "-n", "0")


def _claim(side):
    claim, source = _claimed(side, "a bettong")
    side.memory("claim", claim)
    side.memory("claim", claim, "--evidence")
    side.memory("claim", claim, "--audit", "--as-known-position", "1")
    side.memory("claim", claim, "--audit")
    side.memory("claim", claim, "--audit", "--evidence")
    side.memory("claim", claim, "--as-of", "yesterday")
    side.memory("claim", source)
    side.memory("claim", "mem_nothing")
    side.memory("claim", "..")
    side.memory("claim")


def _assess(side):
    claim, source = _claimed(side, "a bilby")
    once = ("--idempotency-key", "assessed")
    side.memory("assess", claim, "--policy", SINGLE, *once)
    side.memory("assess", claim, "--policy", SINGLE, *once)
    side.memory("assess", claim, "--policy", SINGLE, "--apply", *once)
    side.memory("assess", claim, "--policy", SINGLE, "--exclude", source, "--exclude", "é%")
    side.memory("assess", claim, "--policy", SINGLE, "--exclude", source, "--apply")
    side.memory("assess", claim, "--policy", SINGLE, "--apply", "--expected-version", "7")
    side.memory("assess", claim, "--policy", SINGLE, "--apply", "--expected-version", "1")
    side.memory("assess", claim, "--policy", SINGLE, "--as-of", "2020-01-01T00:00:00Z")
    side.memory("assess", claim, "--policy", SINGLE, "--as-of", "yesterday")
    side.memory("assess", claim, "--policy", "nothing/v1")
    side.memory("assess", source, "--policy", SINGLE)
    side.memory("assess", claim)


def _approve(side):
    claim, source = _claimed(side, "a numbat")
    named = ("--policy", "reviewer-approval/v1")
    side.memory("approve", claim, *named)
    side.memory("approve", claim, "--reject", "--expected-version", "1", *named)
    side.memory("approve", claim, "--reject", "--expected-version", "2", *named)
    side.memory("approve", claim, "--reject", "--policy", "nothing/v1")
    side.memory("approve", source, *named)


def _assessment(side):
    claim, _ = _claimed(side, "a quokka")
    decided = side.memory("assess", claim, "--policy", SINGLE).json["assessment"]["id"]
    said = side.memory("approve", claim, "--policy", SINGLE, "--reject").json["review"]["id"]
    side.memory("assessment", decided)
    side.memory("assessment", decided, "--replay")
    side.memory("assessment", said)
    side.memory("assessment", said, "--replay")
    side.memory("assessment", "dec_nothing")


def _reassess(side):
    claim, source = _claimed(side, "a wallaby")
    done = side.memory("assess", claim, "--policy", SINGLE).json
    side.memory("forget", source, "--mode", "tombstone", "--reason", "r")
    since = str(done["receipt"]["position"] - 2)
    side.memory("reassess", "--policy", SINGLE, "--since", since)
    side.memory("reassess", "--policy", "reviewer-approval/v1")
    side.memory("reassess", "--policy", "nothing/v1")
    side.memory("reassess", "--policy", SINGLE, "--since", "-1")


def _derive(side):
    claim, source = _claimed(side, "a wombat")
    assessed = side.memory("assess", claim, "--policy", SINGLE).json["assessment"]["id"]
    named = ("--policy", SINGLE, "--assessment", assessed)
    side.memory("derive", f"{claim}@1", "--text", "Wombats.", *named)
    side.memory("derive", f"{source}@1", "--text", "-", "--policy", SINGLE, "--kind", "procedure",
                "--property", "n=1", stdin="Dig.\n")  # fmt: skip
    side.memory("derive", f"{claim}@2", "--text", "Wombats.", *named)
    side.memory("derive", f"{source}@1", "--text", "Wombats.", *named)
    side.memory("derive", f"{claim}@1", f"{claim}@1", "--text", "Wombats.", *named)
    side.memory("derive", f"{claim}@1", *named)
    side.memory("derive", claim, "--text", "Wombats.", *named)
    side.memory("derive", f"{claim}@one", "--text", "Wombats.", *named)


def _concept(side):
    return side.memory("bundle", "concepts").json["items"][0]["id"]


def _of_bundle(side):
    """The first claim of the store, which was corrected, and the window that corrected it."""
    claim = side.memory("bundle", "concept", _concept(side)).json["claims"][0]
    return claim["id"], claim["citations"][-1]["window_id"]


def _bundle_concepts(side):
    _concept(side)
    side.memory("bundle", "concepts", "--repo", "git@github.com:Acme/App.git", "-n", "1")
    side.memory("bundle", "concepts", "--repo", "", "--type", "pitfall")
    side.memory("bundle", "concepts", "--cursor", "x")
    side.memory("bundle", "concepts", "-n", "0")


def _bundle_concept(side):
    _of_bundle(side)
    side.memory("bundle", "concept", "con_nothing")
    side.memory("bundle", "concept", "..")
    side.memory("bundle", "concept", _concept(side), "--markdown")
    side.memory("bundle", "concept")


def _bundle_claim(side):
    claim, _ = _of_bundle(side)
    side.memory("bundle", "claim", claim)
    side.memory("bundle", "claim", "clm_nothing")


def _bundle_window(side):
    _, window = _of_bundle(side)
    side.memory("bundle", "window", window)
    side.memory("bundle", "window", "win_nothing")


def _bundle_resolve(side):
    side.memory("bundle", "resolve", _ambiguous(side), "0", "clm_nothing")
    side.memory("bundle", "resolve", _ambiguous(side), "1", "new")
    side.memory("bundle", "resolve", "win_nothing", "0", "new")
    side.memory("bundle", "resolve", _ambiguous(side), "zero", "new")
    side.memory("bundle", "resolve", _ambiguous(side), "0", "new")


def _ambiguous(side):
    return side.memory("bundle", "completeness").json["failures"][0]["window_id"]


def _bundle_completeness(side):
    side.memory("bundle", "completeness")
    side.memory("bundle", "completeness", "--session-id", "s-1")
    side.memory("bundle", "completeness", "--session-id", "never/é%")


def _bundle_export(side):
    # Both sides write the same bytes to the same place.
    side.memory("bundle", "export", side.folder / "tree", "--into")
    side.memory("bundle", "export", side.folder / "tree")


def _keys_create(side):
    bound = ("--workspace", WORKSPACE, "--actor", "bea")
    side.whole("keys", "create", "--name", "of bea", *bound, "--permissions", "read,trace")
    side.whole("keys", "create", "--name", "host", "--permissions", "host,operate")
    side.whole("keys", "create", "--name", "old", *bound, "--expires-at", "2020-01-01T00:00:00Z")
    for bad in (
        ("--name", "k", "--permissions", ","),
        ("--name", "k", "--permissions", "fly"),
        ("--name", " "),
        ("--name", "k", "--expires-at", "tomorrow"),
        ("--name", "k", "--agent", " "),
    ):
        side.whole("keys", "create", *bound, *bad)
    side.whole("keys", "create", "--name", "k", "--workspace", "system", "--actor", "a")
    side.whole("keys", "create", "--name", "k", "--workspace", WORKSPACE, "--actor", "")


def _keys_list(side):
    side.whole("keys", "list")


def _keys_revoke(side):
    bound = ("--workspace", WORKSPACE, "--actor", "bea")
    made = side.whole("keys", "create", "--name", "lost", *bound).json
    side.whole("keys", "revoke", made["key_id"])
    side.whole("keys", "revoke", made["key_id"])
    side.whole("keys", "revoke", "key_nothing")
    side.whole("keys", "list")


def _import(side):
    rows = [
        remember("wombat", "Wombats dig.", key=None),
        remember("tree", "Trees stand.", key="own"),
        b"no json\n",
        b"\n",
        relate("wombat", "tree", key="r"),
        relate("wombat", "nowhere", key="n"),
        b'{"a": 1, "a": 2}\n',
        remember("dug", "Dug.", key="d", context={"workspace": "elsewhere", "agent": "digger"}),
        b"\xff\n",
        remember("tree", "Trees fall.", key="own"),
    ]
    file = written(side.folder / "lines.jsonl", rows)
    named = ("--workspace", WORKSPACE, "--actor", ACTOR)
    side.whole("import", file, *named)
    side.whole("import", file, *named)
    side.memory("recall", "wombats trees")
    side.whole("import", side.folder / "missing.jsonl", *named)
    side.whole("import", file, "--workspace", WORKSPACE, "--actor", " ")
    side.whole("import", file, "--workspace", "system", "--actor", ACTOR)


def _rebuild(side):
    _made(side, "Numbers count.")
    side.whole("rebuild")
    side.memory("recall", "numbers")


def _counted(side):
    side.looked("stats")


def _verified(side):
    side.looked("verify")


def _examined(side):
    side.looked("doctor")


def _parked_stream(side):
    side.whole("parked", "list")
    return side.done[-1].json[0]["stream"]


def _parked_list(side):
    assert _parked_stream(side).startswith("mem_")


def _parked_show(side):
    side.whole("parked", "show", _parked_stream(side))
    side.whole("parked", "show", "mem_nothing")
    side.whole("parked", "show")


def _parked_retry(side):
    stream = _parked_stream(side)
    side.whole("parked", "retry", stream)
    side.whole("parked", "retry", stream, "--projection", "records")
    side.whole("parked", "retry", stream, "--projection", "nothing")
    side.whole("parked", "retry", "mem_nothing")


def _parked_skip(side):
    stream = _parked_stream(side)
    side.whole("parked", "skip", stream)
    side.whole("parked", "skip", "mem_nothing")
    side.whole("parked", "list")


ROWS = {
    "remember": _remember,
    "relate": _relate,
    "recall": _recall,
    "why-not": _why_not,
    "slot": _slot,
    "slots": _slots,
    "replay": _replay,
    "update": _update,
    "forget": _forget,
    "consolidate propose": _propose,
    "consolidate apply": _apply,
    "consolidate list": _proposals,
    "consolidate replay": _proposal_again,
    "consolidate reject": _reject,
    "consolidate suggest": _suggest,
    "graph": _graph,
    "review": _review,
    "revert": _revert,
    "trace": _trace,
    "log": _log,
    "claims": _claims,
    "claim": _claim,
    "assess": _assess,
    "approve": _approve,
    "assessment": _assessment,
    "reassess": _reassess,
    "derive": _derive,
    "capture codex": _capture_codex,
    "capture claude-code": _capture_claude_code,
    "bundle concepts": _bundle_concepts,
    "bundle concept": _bundle_concept,
    "bundle claim": _bundle_claim,
    "bundle window": _bundle_window,
    "bundle resolve": _bundle_resolve,
    "bundle completeness": _bundle_completeness,
    "bundle export": _bundle_export,
    "settings": _settings,
    "policy define": _policy_define,
    "policy list": _policy_list,
    "policy show": _policy_show,
    "policy retire": _policy_retire,
    "keys create": _keys_create,
    "keys list": _keys_list,
    "keys revoke": _keys_revoke,
    "import": _import,
    "rebuild": _rebuild,
    "parked list": _parked_list,
    "parked show": _parked_show,
    "parked retry": _parked_retry,
    "parked skip": _parked_skip,
    "stats": _counted,
    "verify": _verified,
    "doctor": _examined,
}
