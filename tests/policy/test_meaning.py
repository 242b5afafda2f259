"""The fingerprint of what a policy means: another order, bound or equality has another one."""

from __future__ import annotations

from itertools import permutations

import pytest

from domain.errors import MemorandaError
from domain.resolver import meaning
from domain.resolver.meaning import meaning_of
from domain.resolver.policies import NEWEST_RECORDED, POLICIES, SURFACE_ALL, Candidate

PINNED = {SURFACE_ALL: "df079904cf00", NEWEST_RECORDED: "4db80a59460c"}
"""For ever: where a test says that one differs, the policy needs another name."""


@pytest.fixture(autouse=True)
def fresh():
    meaning._fingerprint.cache_clear()
    yield
    meaning._fingerprint.cache_clear()


def test_every_policy_keeps_its_meaning():
    assert {name: meaning_of(name) for name in POLICIES} == PINNED


def test_what_is_no_policy_has_no_meaning():
    with pytest.raises(MemorandaError):
        meaning_of("mine/v1")


@pytest.mark.parametrize("order", [one for one in permutations(range(5)) if one != (0, 1, 2, 3, 4)])
def test_another_order_of_precedence_is_another_meaning(monkeypatch, order):
    was = Candidate.precedence.fget
    other = property(lambda one: tuple(was(one)[at] for at in order))
    monkeypatch.setattr(Candidate, "precedence", other)

    assert meaning_of(NEWEST_RECORDED) != PINNED[NEWEST_RECORDED]


@pytest.mark.parametrize("policy", POLICIES)
def test_another_bound_or_another_equality_is_another_meaning(monkeypatch, policy):
    own, was = meaning_of(policy), meaning.ended
    meaning._fingerprint.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(meaning, "ended", lambda start, *rest: was(start + 1, *rest))
        assert meaning_of(policy) != own
    meaning._fingerprint.cache_clear()
    monkeypatch.setattr(Candidate, "says", lambda one, other: one.value == other.value)
    assert meaning_of(policy) != own
