"""Keys of those who operate, and what they send."""

from __future__ import annotations

WHOLE = {"workspace": None, "actor": None, "permissions": ["host", "operate"]}
OWN = {"workspace": "w", "actor": "ann", "permissions": ["operate", "read", "write"]}


class Operator:
    """A client with a key."""

    def __init__(self, client, store, **key):
        self.client = client
        self.token, self.info = store.keys.create(name="operator", **key)
        self.headers = {"Authorization": f"Bearer {self.token}"}

    def get(self, path, **more):
        """The response to a question."""
        return self.client.get(path, headers=self.headers, **more)

    def post(self, path, body=None, **more):
        """The response to something that is sent."""
        return self.client.post(path, json=body, headers=self.headers, **more)

    def lines(self, body, seed="a" * 64, **named):
        """The response to lines of an import."""
        headers = {**self.headers, "Content-Type": "application/x-ndjson"}
        asked = {"seed": seed, **named}
        return self.client.post("/v1/import", content=body, params=asked, headers=headers)
