"""Seeded faults in what becomes of a window: reconciling, its plans, its replay."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_RECONCILING: Final = "domain/bundles/reconciling.py"
_TAKEAWAYS: Final = "domain/bundles/takeaways.py"
_PLANS: Final = "commands/window_plans.py"
_FACTS: Final = "commands/window_facts.py"
_SHELF: Final = "domain/bundles/shelved.py"
_WINDOWS: Final = "commands/windows.py"
_SIMILAR: Final = "read_api/similar_memories.py"
_REACH: Final = "commands/erasure_reach.py"
_RECONCILES: Final = "tests/bundles/test_reconciling.py"
_INTAKE: Final = "tests/bundles/test_intake.py"
_ERASES: Final = "tests/bundles/test_erasure.py"

WINDOWING: Final = (
    Fault(
        3201,
        _RECONCILING,
        "    if evidence < takeaway.evidence:\n",
        "    if evidence > takeaway.evidence:\n",
        "Late evidence moves a claim, and new evidence does not.",
        (_RECONCILES,),
    ),
    Fault(
        3202,
        _RECONCILING,
        "    unfit = [one for one in proposal.primary_evidence_ids if one not in authority]\n",
        "    unfit: list[str] = []\n",
        "Any event authorises a claim.",
        (_INTAKE,),
    ),
    Fault(
        3203,
        _RECONCILING,
        "        if takeaway.concept_id != concept_id:\n            return None\n",
        "",
        "A claim of another concept is taken.",
        (_RECONCILES,),
    ),
    Fault(
        3204,
        _RECONCILING,
        "    existing = None if opens else known.takeaway(takeaway_id)\n",
        "    existing = None\n",
        "A claim that has changed begins a second time.",
        (_INTAKE,),
    ),
    Fault(
        3205,
        _TAKEAWAYS,
        'if fact.mode == "restated" else state.evidence',
        'if fact.mode == "late" else state.evidence',
        "A restatement makes no evidence newer.",
        (_INTAKE,),
    ),
    Fault(
        3206,
        _FACTS,
        "        self.facts.append(Fact(old, superseded))\n",
        "",
        "The memory before stays beside the new one.",
        (_RECONCILES, _INTAKE),
    ),
    Fault(
        3207,
        _FACTS,
        "        self._cited.add(said)\n        return known\n",
        "        self._cited.add(said)\n        return False\n",
        "A window that is processed again cites twice.",
        (_INTAKE, "tests/bundles/test_laws.py", "tests/bundles/test_crash_walk.py"),
    ),
    Fault(
        3208,
        _SHELF,
        "        return state.said.repo_identifier == self.shelf.repo\n",
        "        return True\n",
        "A repository is no border.",
        (_RECONCILES,),
    ),
    Fault(
        3209,
        _SHELF,
        "        return home.owner == viewer.actor and home.visible_to(viewer)\n",
        "        return True\n",
        "Another owner's claims are one's own.",
        (_RECONCILES,),
    ),
    Fault(
        3210,
        _PLANS,
        '    if index >= len(verdicts) or verdicts[index]["outcome"] not in',
        '    if index >= 0 or verdicts[index]["outcome"] not in',
        "What an earlier attempt did is done again.",
        (_RECONCILES, _INTAKE, _ERASES),
    ),
    Fault(
        3211,
        _WINDOWS,
        "        if not known or window.range in known:\n",
        "        if not known:\n",
        "The same window again is another part of its session.",
        (_RECONCILES,),
    ),
    Fault(
        3212,
        _WINDOWS,
        "        if state.resolved[index] == takeaway:\n            return True\n",
        "        return True\n",
        "A proposal is resolved twice, differently.",
        (_RECONCILES,),
    ),
    Fault(
        3213,
        _SIMILAR,
        "Filters(repo=repo or NO_REPOSITORY, private_owner=context.actor)",
        "Filters(repo=repo or NO_REPOSITORY)",
        "Memories that all see crowd out one's own.",
        ("tests/bundles/test_crowding.py",),
    ),
    Fault(
        3215,
        _PLANS,
        "        return [*facts, window, *([claim] if facts else [])]\n",
        "        return [*facts, window]\n",
        "Two processes take the same turn.",
        ("tests/bundles/test_two_processes.py",),
    ),
    Fault(
        3214,
        _REACH,
        "            self._add_repeating(reached)\n",
        "            pass\n",
        "An attempt that failed keeps the words of an erased memory.",
        (_ERASES,),
    ),
    Fault(
        3216,
        "commands/window_citations.py",
        'as_new if verdict.get("kept") else others',
        "others",
        "What stands in a window that failed is cited for old parts again, and not for this one.",
        (
            "tests/bundles/test_parts.py::test_rule_4_10_what_stands_in_a_window_that_fails_is_cited_for_each_part",
        ),
    ),
    Fault(
        3217,
        "commands/window_citations.py",
        "if state is None or state.forgotten is not None:",
        "if state is None:",
        "Who sends a window as another part tells again what was forgotten of it.",
        (
            "tests/bundles/test_parts.py::test_rule_4_10_what_was_forgotten_is_cited_for_no_further_part",
        ),
    ),
)
