"""Plans of windows that wait for an extractor: kept until it answers, failed if it does not."""

from __future__ import annotations

from dataclasses import dataclass

from commands.window_plans import overtaken, recorded, version_of
from commands.working import View
from domain.bundles.extracting import Unread, unread_verdict
from domain.bundles.sending import Sent
from domain.decisions import Decision, Fact


@dataclass(frozen=True, slots=True)
class WaitPlan:
    """Keep a window whose proposals an extractor has to write first."""

    sent: Sent
    seen: int

    def needs(self, view: View) -> set[str]:
        return view.missing([self.sent.id])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        if version_of(view, self.sent.id) != self.seen:
            raise overtaken()
        return [recorded(d, self.sent, "accepted", {}, [], 0)]

    def committed(self, facts: list[Fact], _: View) -> tuple[str, int]:
        return self.sent.id, self.seen + 1


@dataclass(frozen=True, slots=True)
class UnreadPlan:
    """Record that a window failed, since its extractor gave nothing that can be read."""

    sent: Sent
    seen: int
    unread: Unread

    def needs(self, view: View) -> set[str]:
        return view.missing([self.sent.id])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        if version_of(view, self.sent.id) != self.seen:
            raise overtaken()
        return [recorded(d, self.sent, "failed", {}, [unread_verdict(self.unread)], 0)]

    def committed(self, facts: list[Fact], _: View) -> tuple[str, int]:
        return self.sent.id, self.seen + 1
