"""A window as it was sent, ready to be decided: redacted, canonical, with its identity. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from domain.bundle_events import Window
from domain.bundles.evidence import CanonicalEvent, authority, canonical_events, window_hash
from domain.bundles.identity import Shelf
from domain.bundles.redaction import redacted
from domain.bundles.repositories import repo_identifier
from domain.bundles.takeaways import Evidence
from domain.bundles.thresholds import THRESHOLDS
from domain.bundles.window_body import ProposalBody, WindowBody, parse_window, refuse_future
from domain.canonical import Json, JsonObject
from domain.instants import Micros, parse_instant, server_time
from domain.visibility import Viewer

CALLER: JsonObject = {"kind": "caller"}
"""The author of proposals that came with their window."""


class Author(NamedTuple):
    """Who wrote the proposals on a window: `said` names it, `raw` is what an extractor answered."""

    said: JsonObject
    raw: str | None


class Sent(NamedTuple):
    """A window of an owner in a repository, and the proposals on it."""

    shelf: Shelf
    id: str
    body: WindowBody
    events: tuple[CanonicalEvent, ...]
    window_hash: str
    observed_us: Micros
    redactions: dict[str, int]
    proposals: Sequence[ProposalBody]
    author: Author

    @property
    def evidence(self) -> Evidence:
        """Where the window stands among others."""
        return Evidence(self.observed_us, self.window_hash, self.id)

    @property
    def authority(self) -> frozenset[str]:
        """The events that may authorise a takeaway."""
        return authority(self.events)

    @property
    def range(self) -> JsonObject | None:
        """The part of the session that it is, as its client counts."""
        return _range(self.body)

    @property
    def source_id(self) -> str:
        """What a memory of it cites as its source."""
        return f"agent-sessions/{self.body.client}"

    @property
    def observed_at(self) -> str:
        """When it was observed, as server times are written."""
        return server_time(self.observed_us)

    def citation(self, evidence_ids: Sequence[str], citations: Sequence[str]) -> JsonObject:
        """A citation of events of this window; it opens their words as long as they are kept."""
        wanted = dict.fromkeys(evidence_ids)
        return {
            "window_id": self.id,
            "window_hash": self.window_hash,
            "citation_url": f"/v1/bundles/windows/{self.id}#{','.join(wanted)}",
            "observed_at": self.observed_at,
            "history_window": self.range,
            "evidence": [
                {"id": one.id, "kind": one.kind, "actor": one.actor, "text": one.text}
                for one in self.events
                if one.id in wanted
            ],
            "citations": list(citations),
        }

    def with_proposals(self, proposals: Sequence[ProposalBody], author: Author) -> Sent:
        """The same window with what an extractor proposed on it."""
        return self._replace(proposals=proposals, author=author)

    def recorded(self, verdicts: list[JsonObject], position: int) -> Window:
        """What is stored of it."""
        body = self.body
        return Window(
            client=body.client,
            session_id=body.session_id,
            trigger=body.trigger,
            workspace=body.workspace,
            repo_identifier=self.shelf.repo,
            branch=body.branch,
            commit_sha=body.commit_sha,
            history_window=self.range,
            window_hash=self.window_hash,
            observed_at=self.observed_at,
            events=[event.as_json() for event in self.events],
            transcript=None if self.events else body.transcript_markdown,
            proposals=[as_json(one) for one in self.proposals],
            author=self.author.said,
            raw=self.author.raw,
            basis={"position": position, "thresholds": THRESHOLDS.version},
            redactions=self.redactions,
            receipt=body.receipt,
            verdicts=verdicts,
        )


def as_json(proposal: ProposalBody) -> JsonObject:
    """A proposal as it is stored, and as it counts for the identity of its window."""
    said: JsonObject = proposal.model_dump(mode="json", exclude_defaults=True)
    return said


def sent(value: Json, viewer: Viewer, secret: bytes, now_us: Micros) -> Sent:
    """The window of a request's body; INVALID_REQUEST for what is none.

    Checked as it came, so that a refusal names the field that was sent; then every string of it
    is redacted, and nothing of what came is kept. Without `observed_at` it was observed now.
    """
    parse_window(value)
    clean, redactions = redacted(value)
    body = parse_window(clean)
    observed_us = body.observed_us()
    if observed_us is not None:
        refuse_future(observed_us, now_us)
    events = canonical_events(body.events)
    content = window_hash(events, body.transcript_markdown)
    shelf = Shelf(secret, viewer, repo_identifier(body.repo))
    return Sent(
        shelf=shelf,
        id=shelf.window_id(content, [as_json(one) for one in body.proposals]),
        body=body,
        events=events,
        window_hash=content,
        observed_us=now_us if observed_us is None else observed_us,
        redactions=redactions,
        proposals=body.proposals,
        author=Author(CALLER, None),
    )


def restored(window_id: str, said: Window, viewer: Viewer, secret: bytes) -> Sent:
    """A window as it was stored, to be decided about again."""
    value: JsonObject = {
        "schema_version": "agent-session-window/v1",
        "client": said.client,
        "session_id": said.session_id,
        "trigger": said.trigger,
        "workspace": said.workspace,
        "branch": said.branch,
        "commit_sha": said.commit_sha,
        "history_window": said.history_window,
        "transcript_markdown": said.transcript,
        "receipt": said.receipt,
    }
    return Sent(
        shelf=Shelf(secret, viewer, said.repo_identifier),
        id=window_id,
        body=WindowBody.model_validate(value),
        events=tuple(CanonicalEvent(**event) for event in said.events),
        window_hash=said.window_hash,
        observed_us=parse_instant(said.observed_at, "observed_at"),
        redactions=said.redactions,
        proposals=[ProposalBody.model_validate(one) for one in said.proposals],
        author=Author(said.author, said.raw),
    )


def _range(body: WindowBody) -> JsonObject | None:
    said = body.history_window
    return None if said is None else said.model_dump(mode="json")
