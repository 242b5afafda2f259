"""Schemathesis over the committed OpenAPI document: `make fuzz-http MINUTES=10`.

A server of its own is started over an empty folder and given a few records. What is sent follows
the document and leaves it; no answer may be a 5xx (but for a documented OVERLOADED), or one that
the document does not list, type or shape.
"""

from __future__ import annotations

import argparse
import functools
import http.client
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from domain.canonical import JsonObject
from ops.wiring import open_api_keys
from tests.builders import properties
from tests.cli.processes import Server, serving
from tests.fuzz.hooks import IDS
from tests.inputs import envelope

ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENT: Final = ROOT / "docs" / "api" / "openapi.json"
HEADERS: Final = {
    "X-Workspace-Id": "w",
    "X-Actor-Id": "ana",
    "X-Permissions": "read,write,trace,forget,consolidate",
}
CONFIGURATION: Final = Path(__file__).with_name("schemathesis.toml")
CONTRACT: Final = "--include-path-regex=^/v1/memory/"
_PROGRAM: Final = "from schemathesis.cli import schemathesis; schemathesis()"


def fuzz(folder: Path, seconds: int, *more: str) -> list[subprocess.CompletedProcess[str]]:
    """Run Schemathesis for that long, half of it over the seven operations alone; its reports."""
    token, spare = _keys(folder / "data")
    # A read that waits for a position that never comes would only cost time.
    with serving(folder / "data", wait_seconds_max="0.05") as server:
        ids = _a_few_records(server, token) | {"key_id": [spare]}
        time = f"--max-time={max(1, seconds // 2)}"
        runs = [_run(folder, server, token, ids, time, *more, *only) for only in ((CONTRACT,), ())]
        # In order: a job that a killed server leaves behind would go on to write to the folder.
        server.stop()
        return runs


def _keys(data: Path) -> tuple[str, str]:
    """A host key that operates; and the id of a key that may be revoked."""
    with open_api_keys(data) as keys:
        token, _ = keys.create(
            name="fuzz", workspace=None, actor=None, permissions=["host", "operate"]
        )
        _, spare = keys.create(name="spare", workspace="w", actor="ana", permissions=["read"])
    return token, spare.key_id


def _run(
    folder: Path, server: Server, token: str, ids: JsonObject, *options: str
) -> subprocess.CompletedProcess[str]:
    named = {"Authorization": f"Bearer {token}", **HEADERS}
    headers = (f"--header={name}: {value}" for name, value in named.items())
    url = f"--url=http://{server.host}:{server.port}"
    said = ["run", str(DOCUMENT), url, *headers, "--generation-database=none", "--no-color"]
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, "--config-file", str(CONFIGURATION), *said, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), IDS: json.dumps(ids)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def _a_few_records(server: Server, token: str) -> dict[str, list[str]]:
    """Something of each kind, and the names by which it can be asked for."""
    with server.connect() as connection:
        result_of = functools.partial(_asked, connection, token)
        memories = [
            result_of("remember", content=properties(slot="s", object=number, note="sky"))
            ["record"]["id"]
            for number in range(4)
        ]  # fmt: skip
        edge = result_of("relate", source_id=memories[0], target_id=memories[1])
        proposed = result_of("consolidate", memory_ids=memories[1:3])
        recalled = result_of("recall", objective="sky")
        result_of("remember", identity_key="key")
        result_of("forget", memory_id=memories[3])
    relationship = edge["relationship"]["id"]
    return {
        "memory": memories,
        "record": [*memories, relationship],
        "relationship": [relationship],
        "proposal": [proposed["proposal_id"]],
        "recall": [recalled["recall_id"]],
        "slot": ["s"],
        "key": ["key", "other"],
        "job": ["job_0000000000000000"],
        "permission": ["read", "trace"],
        "seed": ["a" * 64],
    }


def _asked(
    connection: http.client.HTTPConnection, token: str, operation: str, **said: Any
) -> JsonObject:
    key = f"{operation}-{len(json.dumps(said))}-{json.dumps(said)[-40:]}"
    body = json.dumps(envelope(operation, envelope_changes={"idempotency_key": key}, **said))
    named = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/memory/operations", body, HEADERS | named)
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
