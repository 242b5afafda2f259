"""The seven operations as commands, on the local store or a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import typer

from domain.canonical import JsonObject
from domain.errors import invalid
from ops import cli_inputs as inputs
from ops.cli_arguments import CONTENT, Repeatable, Said, Validity
from ops.cli_where import Where, mutate

TextArgument = Annotated[
    str | None,
    typer.Argument(metavar="[TEXT]", help="The text; - reads it from standard input."),
]
TagOption = Annotated[list[str], typer.Option(help="A tag; repeat it for more.")]
SlotOption = Annotated[
    str | None,
    typer.Option(help="What it is about: the property slot.", rich_help_panel=CONTENT),
]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", help="Identity key: a second time it makes a new version."),
]
Lifecycle = Literal["active", "expired", "superseded", "tombstoned"]


@dataclass(frozen=True, kw_only=True)
class Remember(Repeatable, Said, Validity):
    """What `remember` takes."""

    text: TextArgument = None
    kind: Annotated[str, typer.Option(help="What kind of memory.")] = "note"
    key: KeyOption = None
    slot: SlotOption = None
    tag: TagOption = field(default_factory=list)
    private: Annotated[bool, typer.Option("--private", help="For the actor alone.")] = False
    schema_version: Annotated[str, typer.Option(help="Version of the content's form.")] = "1"
    expected_version: Annotated[
        int | None,
        typer.Option(help="Refuse it if --key has another version by now; 0: it is new."),
    ] = None

    def input(self) -> JsonObject:
        """The input of the contract."""
        properties = inputs.properties_of(self, self.slot)
        content = inputs.content_of(inputs.text_of(self.text), properties)
        if content is None:
            raise invalid(
                "there is nothing to remember: give a TEXT, - for standard input, or properties",
                field="TEXT",
            )
        return {
            "identity_key": self.key,
            "kind": self.kind,
            "schema_version": self.schema_version,
            "content": content,
            "provenance": inputs.sources_of(self.source),
            "confidence": self.confidence,
            **inputs.dates_of(self),
            "tags": self.tag,
            "visibility": "private" if self.private else "workspace",
            "expected_version": self.expected_version,
        }


def remember(said: Remember, where: Where) -> None:
    """Remember a statement. The same --key again makes a new version: it repairs."""
    from ops.cli_views import mutation

    mutate(where, "remember", said.input, mutation, key=said.idempotency_key, create=True)


@dataclass(frozen=True, kw_only=True)
class Relate(Repeatable, Said, Validity):
    """What `relate` takes."""

    source_id: Annotated[str, typer.Argument(help="mem_…, where the edge begins.")]
    target_id: Annotated[str, typer.Argument(help="mem_…, where it ends.")]
    kind: Annotated[str, typer.Option(help="What joins them: supports, contradicts, …")]
    key: KeyOption = None
    lifecycle: Annotated[Lifecycle, typer.Option(help="Whether it stands.")] = "active"

    def input(self) -> JsonObject:
        """The input of the contract."""
        properties = inputs.properties_of(self)
        return {
            "identity_key": self.key,
            "source_id": self.source_id,
            "target_id": self.target_id,
            "kind": self.kind,
            "properties": {} if properties is None else properties,
            "provenance": inputs.sources_of(self.source),
            "confidence": self.confidence,
            **inputs.dates_of(self),
            "lifecycle": self.lifecycle,
        }


def relate(said: Relate, where: Where) -> None:
    """Join two memories by a directed edge."""
    from ops.cli_views import mutation

    mutate(where, "relate", said.input, mutation, key=said.idempotency_key)


@dataclass(frozen=True, kw_only=True)
class Update(Repeatable, Said, Validity):
    """What `update` takes; what is not given stays as it is."""

    record_id: Annotated[str, typer.Argument(help="mem_… or rel_…")]
    text: TextArgument = None
    slot: SlotOption = None
    tag: Annotated[list[str], typer.Option(help="A further tag; repeat it for more.")] = field(
        default_factory=list
    )
    lifecycle: Annotated[Lifecycle | None, typer.Option(help="Whether it stands.")] = None
    clear: Annotated[
        list[str],
        typer.Option(help="confidence, expires_at, valid_from or valid_until: set to nothing."),
    ] = field(default_factory=list)
    expected_version: Annotated[
        int | None, typer.Option(help="Refuse it if the record has another version by now.")
    ] = None

    def input(self) -> JsonObject:
        """The input of the contract."""
        properties = inputs.properties_of(self, self.slot)
        return {
            "target": inputs.updatable(self.record_id),
            "expected_version": self.expected_version,
            "patch": {
                "content": inputs.content_of(inputs.text_of(self.text), properties),
                "confidence": self.confidence,
                "lifecycle": self.lifecycle,
                **inputs.dates_of(self),
                "add_provenance": inputs.sources_of(self.source),
                "add_tags": self.tag,
                "clear": self.clear,
            },
        }


def update(said: Update, where: Where) -> None:
    """Make a new version of a memory or an edge; text and properties are replaced as one."""
    from ops.cli_views import mutation

    mutate(where, "update", said.input, mutation, key=said.idempotency_key)


@dataclass(frozen=True, kw_only=True)
class Forget(Repeatable):
    """What `forget` takes."""

    memory_id: Annotated[str, typer.Argument(help="mem_…")]
    mode: Annotated[
        Literal["expire", "tombstone", "application_delete"],
        typer.Option(help="Hide it, forget it for good, or destroy its content."),
    ]
    reason: Annotated[str, typer.Option(help="Why; it stays.")]
    expires_at: Annotated[
        str | None, typer.Option(help="RFC 3339; expire needs it, and hides at once.")
    ] = None
    scope: Annotated[
        Literal["lineage", "event", "key"],
        typer.Option(help="The memory, one version of it, or all of its slot."),
    ] = "lineage"
    version: Annotated[int | None, typer.Option(help="The version, for scope event.")] = None

    def input(self) -> JsonObject:
        """The input of the contract."""
        return {
            "memory_id": self.memory_id,
            "mode": self.mode,
            "expires_at": self.expires_at,
            "reason": self.reason,
            "scope": self.scope,
            "version": self.version,
        }


def forget(said: Forget, where: Where) -> None:
    """Forget a memory; only expire can be taken back."""
    from ops.cli_views import mutation

    mutate(where, "forget", said.input, mutation, key=said.idempotency_key)
