"""Made-up advisory histories, and a fold of import lines that knows only spec/operations.md §5."""

from __future__ import annotations

from collections import Counter

from hypothesis import strategies as st

from ops.advisories import import_lines
from ops.advisory_ranges import intervals, symbols

PATHS = [f"vulns/{place}.yaml" for place in ("a/PYSEC-1", "a/PYSEC-2", "b/PYSEC-1")]
WITHDRAWN = ["2023-12-31 10:00:00+00:00", "2024-02-01T00:00:00Z"]
RANGES = [
    {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.2"}]},
    {"type": "ECOSYSTEM", "events": [{"introduced": "2"}, {"fixed": "2.3"}]},
    {"type": "ECOSYSTEM", "events": [{"introduced": 2.1}]},
    {"type": "GIT", "events": [{"fixed": "c0ffee"}]},
    {"type": None, "events": []},
]


def row(path=PATHS[0], action="update", number=0, **members):
    base = {"commit": f"c{number}", "recorded_at": f"2024-01-01T00:00:{number:02}+02:00"}
    base |= {"action": action, "path": path}
    if action == "remove":
        return base
    stated = {"ranges": [RANGES[0]], "aliases": ["CVE-1"], "references": [], "withdrawn": None}
    stated |= members
    affected = [{"package": path.split("/")[1], "ranges": stated.pop("ranges")}]
    name = path.split("/")[-1].removesuffix(".yaml")
    return {**base, "id": name, "details": "A hole.", "affected": affected, **stated}


@st.composite
def histories(draw):
    rows, present = [], set()
    for number in range(draw(st.integers(1, 12))):
        path = draw(st.sampled_from(PATHS))
        action = draw(st.sampled_from(["update", "update", "remove"]))
        if path not in present:
            action = "create"
        present = present - {path} if action == "remove" else present | {path}
        members = {
            "ranges": draw(st.lists(st.sampled_from(RANGES), max_size=4)),
            "aliases": draw(st.lists(st.sampled_from(["CVE-1", "CVE-2", "GHSA-3"]), max_size=2)),
            "references": draw(st.lists(st.sampled_from(["http://x", "http://y"]), max_size=3)),
            "withdrawn": draw(st.sampled_from([None, None, *WITHDRAWN])),
            "details": draw(st.sampled_from(["A hole.", "A bigger hole."])),
        }
        rows.append(row(path, action, number, **members))
    return rows


class LineFold:
    """What the operations of spec/operations.md §5 make of the lines, and no more than that."""

    def __init__(self, lines):
        self.memories, self.edges = {}, {}
        for line in lines:
            getattr(self, line["operation"])(line["input"])

    def remember(self, given):
        old = self.memories.get(given["identity_key"], {"versions": 0})
        self.memories[given["identity_key"]] = {
            "kind": given["kind"],
            "content": given["content"]["value"],
            "lifecycle": "active",
            "expires_at": None,
            "versions": old["versions"] + 1,
        }

    def relate(self, given):
        ends = [given[end]["identity_key"] for end in ("source_id", "target_id")]
        assert all(end in self.memories for end in ends)
        old = self.edges.setdefault(given["identity_key"], {"kind": given["kind"], "ends": ends})
        assert old["ends"] == ends
        old["lifecycle"] = given["lifecycle"]

    def update(self, given):
        kind, key = given["target"]["kind"], given["target"]["id"]["identity_key"]
        record = (self.memories if kind == "memory" else self.edges)[key]
        record["versions"] = record.get("versions", 0) + 1
        patch = given["patch"]
        record["lifecycle"] = patch.get("lifecycle", record["lifecycle"])
        if "content" in patch:
            old, new = record["content"]["properties"], patch["content"]["value"]["properties"]
            assert old.get("slot") == new.get("slot")
            record["content"] = patch["content"]["value"]

    def forget(self, given):
        record = self.memories[given["memory_id"]["identity_key"]]
        assert given["mode"] == "expire"
        record |= {"lifecycle": "expired", "expires_at": given["expires_at"]}
        record["versions"] += 1

    def claims(self, place):
        prefix = f"claim:{place}:"
        return [memory for key, memory in self.memories.items() if key.startswith(prefix)]

    def ends(self, kind, place):
        return Counter(
            next(end for end in edge["ends"] if end != f"advisory:{place}")
            for edge in self.edges.values()
            if edge["kind"] == kind
            and edge["lifecycle"] == "active"
            and f"advisory:{place}" in edge["ends"]
        )


def assert_lines_leave_what_rows_say(rows):
    store = LineFold(import_lines(rows))
    for last in {row["path"]: row for row in rows}.values():
        place = last["path"].removeprefix("vulns/").removesuffix(".yaml")
        document = store.memories.get(f"advisory:{place}")
        visible = [m for m in store.claims(place) if m["lifecycle"] == "active"]
        if last["action"] == "remove":
            assert visible == []
            assert document is None or document["lifecycle"] == "expired"
            continue
        stated = Counter(
            symbols(intervals(_events(part)))
            for affected in last["affected"]
            for part in affected["ranges"]
            if part["events"]
        )
        if last["withdrawn"]:
            date = last["withdrawn"].replace(" ", "T").replace("+00:00", "Z")
            ended = [m for m in store.claims(place) if m["expires_at"] == date]
            assert visible == []
            assert document["expires_at"] == date
            assert Counter(m["content"]["properties"]["object"] for m in ended) >= stated
        else:
            assert document["lifecycle"] == "active"
            assert Counter(m["content"]["properties"]["object"] for m in visible) == stated
        assert document["content"]["text"].endswith(last["details"])
        aliases = {f"alias:{name}" for name in last["aliases"]}
        assert store.ends("alias_of", place) == Counter(aliases)
        cited = {f"reference:{address}" for address in last["references"]}
        assert store.ends("cites", place) == Counter(cited)


def _events(part):
    return [part["events"]] if isinstance(part["events"], dict) else part["events"]
