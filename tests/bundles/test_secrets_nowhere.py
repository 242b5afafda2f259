"""Secrets of twenty kinds, in every field of a window, reach no disk, database, queue or log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ops.settings import ServerMode
from ops.wiring import open_memoranda, open_server
from projections.lexical.analyzer import analyze
from tests.bundles.secrets import Secret, secrets
from tests.bundles.story import Host
from tests.bundles.windows import proposal, window
from tests.cli.processes import HOST_KEY, serving
from tests.erasure.test_leak_laws import heard
from tests.server_mode.conftest import MASTER_KEY, working
from tests.walking import entries

SEED = 20241130
NAME_CHARACTERS = 200
"""Names are short: of a longer secret they hold the begin."""
FORM_CHARACTERS_MIN = 12
"""Shorter pieces of a secret are words that may be anywhere."""
TABLES = (
    "SELECT format('SELECT t::text FROM %I.%I t', schemaname, tablename) FROM pg_tables "
    "WHERE schemaname LIKE 'memoranda%'"
)


def everywhere(secret: Secret, number: int) -> Any:
    """A window whose every text holds the secret; the events are of all sorts."""
    text, short = secret.text, secret.text[:NAME_CHARACTERS]
    said = proposal(
        title=f"Credential {number} {short}",
        claim_text=f"They said {text}",
        durable_claim={
            "rule": f"Rotate credential {number} quarterly: {text}",
            "scope": f"service {number} {text}",
            "rationale": f"because {text}",
        },
        tags=[f"tag {short}"],
        reason=f"since {text}",
        citations=[f"https://docs.acme.test/{number}?q={text}"],
        covered_claim_id=f"clm {short}",
    )
    events = [
        {"kind": "user_message", "actor": "user", "text": f"Event {number}: {text}", "name": text},
        *(
            {"kind": kind, "actor": "tool", "text": text, "name": text, "more": {text: [text]}}
            for kind in ("tool_call", "tool_result", "error", "file_change", "reasoning")
        ),
        {"kind": "decision", "actor": text, "text": json.dumps({"said": text})},
    ]
    return window(
        said,
        client=f"codex {short}",
        session_id=f"session {number} {short}",
        trigger=f"stop {short}",
        workspace=f"app {short}",
        repo=f"https://oauth2:{secret.parts[0]}@github.com/acme/{number}.git",
        branch=f"feature/{short}",
        commit_sha=f"c0ffee {short}",
        history_window={"kind": f"turns {short}", "start": short, "end": short},
        events=events,
        transcript_markdown=f"user: {text}",
        receipt={"note": text, "deep": [{text: text}]},
    )


def sent(host: Host) -> str:
    """Windows with all secrets, and everything that is told of them."""
    told: list[str] = []
    for number, secret in enumerate(secrets(SEED)):
        answer = host.ask("POST", "/v1/agent-sessions/windows", everywhere(secret, number))
        assert answer["result"] == "knowledge_patched", secret.kind
        assert sum(answer["receipt"]["redactions"].values()) > 0
        verdict = answer["proposals"][0]
        told.append(json.dumps(answer, ensure_ascii=False))
        for path in (
            f"windows/{answer['window_id']}",
            f"claims/{verdict['claim_id']}",
            f"concepts/{verdict['concept_id']}",
            f"concepts/{verdict['concept_id']}.md",
        ):
            position = host.ask("GET", "/v1/log?limit=1")["position"]
            told.append(str(host.ask("GET", f"/v1/bundles/{path}?min_position={position}")))
    told.append(str(host.ask("GET", "/v1/bundles/completeness")))
    told.append(str(host.ask("GET", "/v1/log?limit=200")))
    return "\n".join(told)


def found_in(*said: bytes) -> set[str]:
    """The kinds of the secrets in what was said, in whatever case, as they are or as JSON."""
    small = [one.lower() for one in said]
    return {
        secret.kind
        for secret in secrets(SEED)
        for part in secret.parts
        for form in {part, json.dumps(part)[1:-1], *analyze(part)}
        if len(form) >= FORM_CHARACTERS_MIN and any(form.lower().encode() in one for one in small)
    }


def files(folder: Path) -> list[bytes]:
    return [data for _, data in entries(folder) if data is not None]


def opened(store: Any) -> Iterator[str]:
    """The payloads of the log, which stand there sealed."""
    with closing(store):
        for event in store.log.after(0, 100_000):
            yield from (json.dumps(fact.sealed(), ensure_ascii=False) for fact in event.facts)


@pytest.mark.timeout(300)
def test_no_secret_reaches_the_data_folder_the_log_or_an_answer(tmp_path):
    with serving(tmp_path / "data", host_key=HOST_KEY) as server:
        answers = sent(Host(server))
        _, out, err = server.stop()
    payloads = "\n".join(opened(open_memoranda(tmp_path / "data")))
    assert "[redacted:" in payloads
    assert found_in(answers.encode(), payloads.encode()) == set()
    assert found_in("".join([*server.lines, out, err]).encode()) == set()
    assert found_in(*files(tmp_path)) == set()


@pytest.mark.timeout(300)
def test_no_secret_reaches_the_database_or_the_queue(tmp_path, postgres_url, redis_url):
    settings = {
        "database_url": postgres_url,
        "redis_url": redis_url,
        "master_key": MASTER_KEY,
        "host_key": HOST_KEY,
    }
    with (
        heard(redis_url) as commands,
        working(settings) as worker,
        serving(tmp_path / "data", **settings) as server,
    ):
        answers = sent(Host(server))
        _, out, err = server.stop()
        worker.terminate()
        printed, _ = worker.communicate(timeout=60)
    mode = ServerMode(postgres_url, redis_url, bytes.fromhex(MASTER_KEY))
    payloads = "\n".join(opened(open_server(mode, None)))
    with psycopg.connect(postgres_url) as connection:
        statements = [row[0] for row in connection.execute(TABLES)]
        stored = "\n".join(
            row[0] for statement in statements for row in connection.execute(statement)
        )
    assert "[redacted:" in stored
    assert found_in(answers.encode(), payloads.encode(), stored.encode()) == set()
    assert found_in("".join([*server.lines, out, err, printed]).encode()) == set()
    assert found_in(commands[0]) == set()


def test_what_looks_for_secrets_would_find_them():
    for secret in secrets(SEED):
        assert secret.kind in found_in(f"… {secret.text.upper()} …".encode())
