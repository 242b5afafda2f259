"""Claims over HTTP in few words: who says what about them, and how they are refused."""

from __future__ import annotations

import itertools

from domain.validation.shipped import REVIEWER_APPROVAL, SINGLE_TRUSTED
from tests.http.api import edge, host_headers

KEYS = itertools.count(1)
SINGLE = {"policy": SINGLE_TRUSTED}


class People:
    """Ann claims, Sam has sources, Kim assesses, and Rae reviews with a key of hers."""

    def __init__(self, api, store):
        self.api = api
        bound = {"workspace": "w", "actor": "rae", "permissions": ["review"]}
        self.reviewer, _ = store.keys.create(name="rae", **bound)

    def claim(self, value="PostgreSQL", **more):
        properties = {"subject": "store", "predicate": "engine", "object": value}
        said = {"text": f"the store is {value}", "properties": properties}
        content = {"format": "text_and_properties", "value": said}
        return self.api.remember(kind="claim", content=content, **more)

    def source(self, name, claim, kind="supports"):
        source = self.api.remember(name, kind="source", names={"actor": "sam"})
        said = edge(source, claim, kind=kind)
        return source, self.api.do("relate", said, actor="sam")["relationship"]["id"]

    def post(self, path, body, key=..., actor="kim", headers=(), **names):
        sent = host_headers(actor=actor, **names) | dict(headers)
        if actor == "rae":
            sent = {"Authorization": f"Bearer {self.reviewer}"} | dict(headers)
        if key is ...:
            key = f"post {next(KEYS)}"
        if key is not None:
            sent["Idempotency-Key"] = key
        return self.api.client.post(path, json=body, headers=sent)

    def assess(self, claim, body=SINGLE, key=..., **more):
        return self.post(f"/v1/claims/{claim}/assess", body, key, **more)

    def review(self, claim, key=..., verdict="approved", actor="rae", **more):
        body = {"policy": more.pop("policy", REVIEWER_APPROVAL), "verdict": verdict}
        return self.post(f"/v1/claims/{claim}/reviews", body, key, actor, **more)

    def head(self):
        return self.api.client.get("/health/ready").json()["position"]


def done(response):
    assert response.status_code == 200, response.text
    return response.json()


def refusal(response):
    """Status and what problem details say."""
    assert response.headers["content-type"] == "application/problem+json"
    said = response.json()
    return response.status_code, said["code"], said.get("field"), said.get("reason")
