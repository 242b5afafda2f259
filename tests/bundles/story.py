"""A takeaway about a scheduler begins in one session and changes in a later one.

`make bundle-story` prints it.
Over HTTP, as an agent's host sends it, against a server in a process of its own: the claim's page
before and after, the old memory with the reason why it is none any more, and the words that a
citation opens.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bundles.windows import proposal, says, window
from tests.cli.processes import HOST_KEY, Server, serving

FIRST = "The scheduler tries a failed job again three times"
LATER = "The scheduler tries a failed job again five times, with growing pauses"
SCOPE = "src/scheduler"


@dataclass
class Host:
    """Speaks for one agent's host."""

    server: Server
    actor: str = "ana"

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer's JSON, or its text; AssertionError for a refusal."""
        headers = {
            "Authorization": f"Bearer {HOST_KEY}",
            "X-Workspace-Id": "team",
            "X-Actor-Id": self.actor,
            "X-Session-Id": "default",
            "X-Permissions": "read,write,trace",
            "Content-Type": "application/json",
        }
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=30)
        with contextlib.closing(connection):
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            assert answer.status == 200, text
            kind = answer.getheader("Content-Type") or ""
        return json.loads(text) if "json" in kind else text

    def send(self, rule: str, words: str, on: int, **more: Any) -> Any:
        """One window with one proposal; its verdict with the window's id."""
        said = proposal(
            title="Scheduler",
            claim_text=f"The user said: {words}",
            durable_claim={"rule": rule, "scope": SCOPE, "rationale": "jobs are idempotent"},
            **more,
        )
        body = window(
            said,
            events=[says(words)],
            observed_at=f"2024-06-{on:02d}T10:00:00Z",
            session_id=f"s{on}",
        )
        answer = self.ask("POST", "/v1/agent-sessions/windows", body)
        return {**answer["proposals"][0], "window_id": answer["window_id"]}


@dataclass
class Told:
    """What the story has shown."""

    before: str
    after: str
    claim: Any
    first: Any
    second: Any
    opened: Any
    trace: Any


def told(server: Server) -> Told:
    """Live the story on a server."""
    host = Host(server)
    first = host.send(FIRST, "From now on, three tries for a failed job.", 3)
    page = f"/v1/bundles/concepts/{first['concept_id']}.md"
    position = f"?min_position={_head(host)}"
    before = host.ask("GET", page + position)
    named = {"concept_id": first["concept_id"], "claim_id": first["claim_id"]}
    second = host.send(
        LATER,
        "Three tries were too few: five, with growing pauses.",
        9,
        action="update_existing_claim",
        reason="three tries were too few",
        **named,
    )
    position = f"?min_position={_head(host)}"
    after = host.ask("GET", page + position)
    claim = host.ask("GET", f"/v1/bundles/claims/{first['claim_id']}{position}")
    opened = host.ask("GET", f"/v1/bundles/windows/{second['window_id']}{position}")
    asked = {"target": {"kind": "memory", "id": first["memory_id"]}}
    envelope = {"contract_version": "v1", "operation": "trace", "input": asked}
    trace = host.ask("POST", "/v1/memory/operations", envelope)["result"]["result"]
    return Told(before, after, claim, first, second, opened, trace)


def _head(host: Host) -> int:
    """How far the log goes by now."""
    return int(host.ask("GET", "/v1/log?limit=1")["position"])


@contextlib.contextmanager
def embedded() -> Iterator[Server]:
    """A server over a new data folder."""
    with (
        tempfile.TemporaryDirectory(prefix="bundle-story-") as folder,
        serving(Path(folder) / "data", host_key=HOST_KEY) as server,
    ):
        yield server
        server.stop()


def main() -> None:
    """Print the story as a person would read it."""
    with embedded() as server:
        story = told(server)
    print(f"--- before\n{story.before}\n--- after\n{story.after}\n--- the memory before")
    print(json.dumps(story.claim["former"], indent=2, ensure_ascii=False))
    print("--- what the citation opens")
    print(json.dumps(story.opened["events"], indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
