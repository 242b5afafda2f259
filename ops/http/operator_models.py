"""What is sent to and answered by the routes of operators: documentation, checks and tests."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.canonical import Json, JsonObject
from domain.context import PERMISSIONS
from domain.errors import invalid
from domain.events import Isolation
from domain.resolver.policies import PolicyName
from ops.http.models import Answer, Position, Timestamp
from ops.jobs import Command

Sent = TypeVar("Sent", bound=BaseModel)


class _Sent(BaseModel):
    """Members may not be added."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewKey(_Sent):
    """A key that is asked for; what it is bound to is that of the key that asks, if that is bound.

    No key can give more than it has: not another workspace, actor or agent than its own, no
    permission that it lacks (a host key has the five of the contract), no later end.
    """

    name: str
    permissions: Annotated[
        list[str],
        Field(
            min_length=1, max_length=len(PERMISSIONS), description=", ".join(sorted(PERMISSIONS))
        ),
    ]
    workspace: str | None = None
    actor: str | None = None
    agent: str | None = None
    expires_at: Annotated[str | None, Field(description="RFC 3339; null: never.")] = None


class NewSettings(_Sent):
    """What to change of a workspace's settings; what is not named is kept."""

    session_isolation: Annotated[
        Isolation | None,
        Field(description="Fixed once the workspace holds records. `strict`: each sees its own."),
    ] = None
    require_source: Annotated[
        bool | None, Field(description="Refuse a memory without a source in its provenance.")
    ] = None
    recall_policy: Annotated[
        PolicyName | None,
        Field(description="The policy of recalls, and of slots, where the question names none."),
    ] = None


class NewJob(_Sent):
    """A command on the whole store, as `memoranda <command> --json` runs it."""

    command: Command
    stream: Annotated[
        str | None,
        Field(max_length=64, pattern=r"^[^\x00]*$", description="mem_… or rel_…, for `parked`."),
    ] = None
    projection: Annotated[
        str | None,
        Field(max_length=64, pattern=r"^[^\x00]*$", description="For `parked retry` and `skip`."),
    ] = None

    def check(self) -> None:
        """INVALID_REQUEST for a member that the command does not take, or one that it lacks."""
        about = self.command in {"parked show", "parked retry", "parked skip"}
        if about != (self.stream is not None):
            verb = "needs" if about else "takes no"
            raise invalid(f"{self.command} {verb} stream", field="stream")
        if self.projection is not None and self.command not in {"parked retry", "parked skip"}:
            raise invalid(f"{self.command} takes no projection", field="projection")


class WorkspaceSettings(Answer):
    """What holds in a workspace; `version` is 0 where nobody has changed anything."""

    session_isolation: Isolation
    require_source: bool
    recall_policy: PolicyName
    version: Annotated[int, Field(ge=0)]


class Key(Answer):
    """What a key may do, and whether it is in force."""

    key_id: str
    name: str
    workspace: str | None
    actor: str | None
    agent: str | None
    permissions: list[str]
    expires_at: str | None
    created_at: Timestamp
    revoked_at: Timestamp | None


class MadeKey(Key):
    """A new key. `token` is shown this once and stored nowhere."""

    token: str


class KeyPage(Answer):
    """Keys, oldest first, the revoked ones too."""

    items: list[Key]
    next_after: Annotated[str | None, Field(description="`after` of the next page.")]


class Stats(Answer):
    """Counts and bytes. For one workspace what is only known of the whole store is null."""

    data: str | None
    events: int
    memories: int
    relationships: int
    recalls: int
    forgotten: int | None
    head: Position
    read_models: dict[str, int] | None
    workspaces: dict[str, dict[str, int]]
    files: dict[str, int] | None
    bytes: int | None
    bytes_per_memory: int | None


class JobState(Answer):
    """A job. `answer` or `error` is what the command printed for machines."""

    job_id: str
    command: Command
    state: Literal["running", "ended"]
    started_at: Timestamp
    ended_at: Timestamp | None
    status: Annotated[int | None, Field(description="Exit status: 0 is good.")]
    answer: Json
    error: JsonObject | None


class RefusedLineItem(Answer):
    """A line that was not executed, and why."""

    line: int
    code: str
    message: str
    field: str | None
    reason: str | None


class Imported(Answer):
    """How lines ended. Where `stopped` is not null those after `done` were not tried."""

    done: Annotated[int, Field(ge=0, description="The last line that has its verdict.")]
    accepted: int
    replayed: Annotated[int, Field(description="How many of the accepted were known before.")]
    refused: int
    refusals: list[RefusedLineItem]
    stopped: str | None


OPERATOR_MODELS: Final[tuple[type[BaseModel], ...]] = (
    NewKey,
    NewSettings,
    WorkspaceSettings,
    NewJob,
    Key,
    MadeKey,
    KeyPage,
    Stats,
    JobState,
    Imported,
)


def checked(model: type[Sent], value: Json) -> Sent:
    """A parsed body as its model; INVALID_REQUEST names the member that is wrong."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(map(str, first["loc"])) or None
        if first["type"] == "extra_forbidden":
            raise invalid(f"{field} is not part of this body: remove it", field=field) from None
        words = str(first["msg"]).replace("Input should be", "must be")
        raise invalid(f"{field or 'the body'}: {words}", field=field) from None
