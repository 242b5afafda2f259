"""Schemathesis over the committed OpenAPI document: `make fuzz-http MINUTES=10`.

A server of its own is started over an empty folder and given a few records. What is sent follows
the document and leaves it; no answer may be a 5xx (but for a documented OVERLOADED), or one that
the document does not list, type or shape.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from domain.canonical import JsonObject
from tests.builders import properties
from tests.cli.processes import HOST_KEY, Server, serving
from tests.fuzz.hooks import IDS
from tests.inputs import envelope

ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENT: Final = ROOT / "docs" / "api" / "openapi.json"
HEADERS: Final = {
    "Authorization": f"Bearer {HOST_KEY}",
    "X-Workspace-Id": "w",
    "X-Actor-Id": "ana",
    "X-Permissions": "read,write,trace,forget,consolidate",
}
CONFIGURATION: Final = Path(__file__).with_name("schemathesis.toml")
CONTRACT: Final = "--include-path-regex=^/v1/memory/"
_PROGRAM: Final = "from schemathesis.cli import schemathesis; schemathesis()"


def fuzz(folder: Path, seconds: int, *more: str) -> list[subprocess.CompletedProcess[str]]:
    """Run Schemathesis for that long, half of it over the seven operations alone; its reports."""
    # A read that waits for a position that never comes would only cost time.
    with serving(folder / "data", host_key=HOST_KEY, wait_seconds_max="0.05") as server:
        ids = _a_few_records(server)
        time = f"--max-time={max(1, seconds // 2)}"
        return [_run(folder, server, ids, time, *more, *only) for only in ((CONTRACT,), ())]


def _run(
    folder: Path, server: Server, ids: JsonObject, *options: str
) -> subprocess.CompletedProcess[str]:
    headers = (f"--header={name}: {value}" for name, value in HEADERS.items())
    url = f"--url=http://{server.host}:{server.port}"
    said = ["run", str(DOCUMENT), url, *headers, "--generation-database=none", "--no-color"]
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, "--config-file", str(CONFIGURATION), *said, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), IDS: json.dumps(ids)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def _a_few_records(server: Server) -> dict[str, list[str]]:
    """Something of each kind, and the names by which it can be asked for."""
    with server.connect() as connection:
        memories = [
            _result(connection, "remember", content=properties(slot="s", object=number, note="sky"))
            ["record"]["id"]
            for number in range(4)
        ]  # fmt: skip
        edge = _result(connection, "relate", source_id=memories[0], target_id=memories[1])
        proposed = _result(connection, "consolidate", memory_ids=memories[1:3])
        recalled = _result(connection, "recall", objective="sky")
        _result(connection, "remember", identity_key="key")
        _result(connection, "forget", memory_id=memories[3])
    relationship = edge["relationship"]["id"]
    return {
        "memory": memories,
        "record": [*memories, relationship],
        "relationship": [relationship],
        "proposal": [proposed["proposal_id"]],
        "recall": [recalled["recall_id"]],
        "slot": ["s"],
        "key": ["key", "other"],
    }


def _result(connection: http.client.HTTPConnection, operation: str, **said: Any) -> JsonObject:
    key = f"{operation}-{len(json.dumps(said))}-{json.dumps(said)[-40:]}"
    body = json.dumps(envelope(operation, envelope_changes={"idempotency_key": key}, **said))
    headers = {**HEADERS, "Content-Type": "application/json"}
    connection.request("POST", "/v1/memory/operations", body, headers)
    answer = json.loads(connection.getresponse().read())
    result: JsonObject = answer["result"]["result"]
    return result


def main() -> int:
    """Run it for some minutes; the status is that of Schemathesis."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    options, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="memoranda-fuzz-") as folder:
        runs = fuzz(Path(folder), round(60 * options.minutes), *more)
    for done in runs:
        print(done.stdout, done.stderr, sep="")
    return max(done.returncode for done in runs)


if __name__ == "__main__":
    sys.exit(main())
