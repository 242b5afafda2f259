"""An extractor behind OpenAI's chat completions: one request for a window, again if it may help.

What comes back for good is recorded, whatever it is. Only where the program ends meanwhile nothing
is, and the window goes on waiting.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from domain.bundles.evidence import CanonicalEvent
from domain.bundles.extracting import Came, Extracted, kept
from domain.bundles.redaction import redacted_text
from domain.canonical import JsonObject, canonical, parse_json
from domain.errors import MemorandaError
from ops.extraction import posting, prompt
from ops.extraction.answer_schema import response_format
from ops.extraction.posting import Endpoint, NoAnswerError, StoppedError, TooLargeError

PAUSE_SECONDS: Final = 0.5
"""Before the second try; twice as long before each further one."""
PAUSE_SECONDS_MAX: Final = 30.0
"""The longest pause, also where `Retry-After` names a longer one."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model behind an endpoint, and how long it is waited for."""

    endpoint: Endpoint
    name: str
    key: str | None = field(repr=False)
    seconds: float
    tries: int

    @property
    def seconds_max(self) -> float:
        """How long one window can take at most."""
        return self.tries * (self.seconds + posting.CONNECT_SECONDS_MAX + PAUSE_SECONDS_MAX)


class _AgainError(Exception):
    """This try came to nothing; another one may not. `after` is what the endpoint asked for."""

    def __init__(self, why: str, after: float = 0.0) -> None:
        super().__init__(why)
        self.after = after


@dataclass(frozen=True, slots=True)
class ChatExtractor:
    """`commands.extracting.Extractor` over a chat endpoint.

    `rest(seconds)` waits, and says True where the program is ending; `stopping` says so at once.
    """

    model: Model
    rest: Callable[[float], bool]
    stopping: Callable[[], bool]
    dice: random.Random = field(default_factory=random.Random)

    def propose(self, events: Sequence[CanonicalEvent]) -> Extracted:
        """What the model makes of the evidence. Raises StoppedError where the program ends."""
        body = canonical(request_of(self.model.name, events))
        said: JsonObject = {
            "model": self.model.name,
            "prompt": prompt.VERSION,
            "prompt_sha256": prompt.SYSTEM_SHA256,
            "request_sha256": hashlib.sha256(body).hexdigest(),
        }
        came, raw, problem = self._asked(body)
        return Extracted(said, came, raw, problem)

    def _asked(self, body: bytes) -> tuple[Came, str | None, str]:
        why = ""
        for number in range(self.model.tries):
            try:
                return self._once(body)
            except _AgainError as again:
                why = str(again)
                if number + 1 < self.model.tries and self.rest(self._pause(number, again.after)):
                    raise StoppedError from None
        return "nothing", None, f"{why} (tried {self.model.tries} times)"

    def _once(self, body: bytes) -> tuple[Came, str | None, str]:
        model = self.model
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if model.key is not None:
            headers["Authorization"] = f"Bearer {model.key}"
        try:
            found = posting.post(model.endpoint, body, headers, model.seconds, self.stopping)
        except NoAnswerError as error:
            raise _AgainError(str(error)) from None
        except TooLargeError:
            return "nothing", None, f"more than {posting.ANSWER_BYTES_MAX} bytes came"
        if found.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise _AgainError("it said 429, too many requests", _seconds(found.retry_after))
        if found.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _AgainError(f"it said {found.status}", _seconds(found.retry_after))
        if found.status != HTTPStatus.OK:
            return "nothing", None, f"it refused with status {found.status}"
        return content_of(found.body)

    def _pause(self, number: int, asked: float) -> float:
        """Exponential with full jitter from half of it on, and never less than was asked for."""
        pause = PAUSE_SECONDS * 2.0**number * self.dice.uniform(0.5, 1.0)
        return min(max(pause, asked), PAUSE_SECONDS_MAX)


def request_of(model: str, events: Sequence[CanonicalEvent]) -> JsonObject:
    """The body of a request about the evidence of a window."""
    return {
        "model": model,
        "messages": prompt.messages(events),
        "temperature": 0,
        "response_format": response_format(),
    }


def content_of(body: bytes) -> tuple[Came, str | None, str]:
    """What the model wrote, out of a chat completion; else the body as it came."""
    try:
        content = parse_json(body)["choices"][0]["message"]["content"]
    except (MemorandaError, LookupError, TypeError):
        content = None
    if isinstance(content, str):
        return "content", kept(content), ""
    raw = redacted_text(body.decode(errors="replace"))[0]
    return "no_completion", raw, "choices[0].message.content is missing"


def _seconds(retry_after: str | None) -> float:
    """A number of seconds; a date counts for nothing, since clocks differ (RFC 9110 §10.2.3)."""
    said = (retry_after or "").strip()
    return float(said) if said.isascii() and said.isdigit() else 0.0
