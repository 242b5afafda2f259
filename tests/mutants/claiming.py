"""Faults in claims: what counts as evidence, as one origin, and as missing."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_CHAINS: Final = "domain/claims/chains.py"
_DECISIONS: Final = "domain/claims/decisions.py"
_KNOWN: Final = "domain/claims/known.py"
_GATHERING: Final = "domain/claims/gathering.py"
_INDEPENDENCE: Final = "domain/claims/independence.py"
_MISSING: Final = "domain/claims/gaps.py"
_STATUSES: Final = "domain/claims/statuses.py"

_GATHERED: Final = "tests/claims/known/test_gathering.py::"
_WITHDRAWN: Final = _GATHERED + "test_a_contradiction_that_is_taken_back_is_known_as_withdrawn"
_ORIGINS: Final = "tests/claims/known/test_independence.py::"
_GAPS: Final = "tests/claims/test_gaps.py::"
_DECIDED: Final = "tests/claims/test_assessing.py::"
_ROUTES: Final = "tests/http/test_claims.py::"

CLAIMING: Final = (
    Fault(
        2401,
        _GATHERING,
        "if other == self.claim or circular:",
        "if other == self.claim:",
        "Two claims that support one another are both supported.",
        (_GATHERED + "test_nothing_supports_itself_nor_in_a_circle[sqlite]",),
    ),
    Fault(
        2402,
        _GATHERING,
        "        if stance == SUPPORTS:\n            self._falls(",
        "        if stance == CONTRADICTS:\n            self._falls(",
        "A claim does not show that a source of its support was forgotten.",
        (
            _GATHERED + "test_whatever_a_source_falls_by_is_seen_in_the_claim_at_once"
            "[sqlite-tombstone]",
        ),
    ),
    Fault(
        2403,
        _GATHERING,
        "until_us=min(until(version) for version in versions),",
        "until_us=until(versions[0]),",
        "Support holds on when its source has expired.",
        (_GATHERED + "test_a_support_ends_where_its_source_ends[sqlite]",),
    ),
    Fault(
        2404,
        _GATHERING,
        "return start < min(until(one), until(other))",
        "return start <= min(until(one), until(other))",
        "A claim is the rival of the one that it follows in time.",
        (_GATHERED + "test_touching_intervals_are_no_rivals[sqlite]",),
    ),
    Fault(
        2405,
        _GATHERING,
        "if statement_of(state.content).status == REJECTED or not _overlap(mine, other):",
        "if not _overlap(mine, other):",
        "A claim that was rejected is a rival for ever.",
        (_GATHERED + "test_a_rival_says_something_else_in_the_slot_meanwhile[sqlite]",),
    ),
    Fault(
        2406,
        _GATHERING,
        "{edge[-1].state.id, other} & self.without",
        "{other} & self.without",
        "What if a relationship were not there is answered as if it were.",
        (_GATHERED + "test_what_if_something_were_not_there[sqlite]",),
    ),
    Fault(
        2407,
        _GATHERING,
        "[spoken, *(link for link in chain if link is not None)]",
        "[spoken]",
        "Forgetting the source of a contradiction withdraws it without a trace.",
        (_WITHDRAWN + "[sqlite-root-superseded]",),
    ),
    Fault(
        2418,
        _KNOWN,
        "holds = version.state.lifecycle in ANSWERING and as_of_us < until(version)",
        "holds = stands(version) and as_of_us < until(version)",
        "Who forgets what contradicts a claim withdraws it without a trace.",
        (_WITHDRAWN + "[sqlite-memory-tombstoned]",),
    ),
    Fault(
        2419,
        _KNOWN,
        "gone = said and not stands(versions[-1])",
        "gone = False",
        "Who erases all that a contradiction says withdraws it without a trace.",
        (_WITHDRAWN + "[sqlite-memory-hollowed]",),
    ),
    Fault(
        2420,
        "read_api/claim_site.py",
        "        except CorruptEventError:",
        "        except ZeroDivisionError:",
        "One damaged decision takes every list of claims and every recall with it.",
        (
            "tests/claims/test_reports.py::test_report_24_a_damaged_decision_costs_what_it_says_and_nothing_else",
        ),
    ),
    Fault(
        2421,
        "read_api/claim_site.py",
        "self.gathered(ids, challenged=True, limits=GLANCE)",
        "self.gathered(ids, limits=GLANCE)",
        "A recalled fact does not say that a claim it was made of is contradicted.",
        (
            "tests/claims/test_deriving.py::test_a_fact_whose_claim_is_contradicted_says_so_wherever_it_is_told[sqlite]",
        ),
    ),
    Fault(
        2422,
        "read_api/known_in_views.py",
        "_contradicted(_EDGE.source_id, _EDGE.target_id),",
        "_contradicted(_EDGE.target_id, _EDGE.source_id),",
        "A source that contradicts something is not contradicted by it.",
        (_GATHERED + "test_a_source_that_is_contradicted_is_seen_in_the_claim_at_once",),
    ),
    Fault(
        2408,
        _GATHERING,
        'self.private |= last.state.home.visibility == "private"',
        "self.private |= False",
        "What was judged on private evidence is told to everybody.",
        (_DECIDED + "test_what_is_judged_on_private_evidence_is_told_to_nobody_else[sqlite]",),
    ),
    Fault(
        2409,
        _CHAINS,
        "return ends or [min(chain)]",
        "return ends",
        "Copies that name one another as their source are independent.",
        (_ORIGINS + "test_a_circle_of_copies_is_one_origin[sqlite]",),
    ),
    Fault(
        2410,
        _CHAINS,
        "if len(read.get(one, ())) > most\n",
        "if len(read.get(one, ())) > most + 1\n",
        "A claim is validated on evidence that was cut.",
        (_ROUTES + "test_a_claim_with_more_than_ten_thousand_supports_is_never_validated",),
    ),
    Fault(
        2411,
        _INDEPENDENCE,
        '"http" if scheme == "https" else scheme',
        "scheme",
        "A document is another one by https.",
        (_ORIGINS + "test_the_usual_uri_is_read_as_every_other_one",),
    ),
    Fault(
        2412,
        _INDEPENDENCE,
        "return max(piece.weight for piece in self.pieces)",
        "return sum(piece.weight for piece in self.pieces)",
        "Copies of one source weigh more than the source.",
        (_ORIGINS + "test_a_cluster_weighs_as_much_as_its_heaviest_piece[sqlite]",),
    ),
    Fault(
        2413,
        _INDEPENDENCE,
        "return any(piece.independent for piece in self.pieces)",
        "return True",
        "Support that says it is not independent opens a cluster.",
        (
            _ORIGINS + "test_a_relationship_may_say_that_it_opens_no_cluster_and_nev"
            "er_that_it_does[sqlite]",
        ),
    ),
    Fault(
        2414,
        _DECISIONS,
        "if one.approved is not None and stated.get(one.claim[1]) == now",
        "if one.approved is not None",
        "An approval counts for a statement that the reviewer never saw.",
        (_GATHERED + "test_an_approval_is_of_what_is_stated_and_not_of_its_status[sqlite]",),
    ),
    Fault(
        2415,
        _STATUSES,
        "return next((one for one in newest_first if stated.get(one.claim[1]) == now), None)",
        "return next(iter(newest_first), None)",
        "A claim counts as assessed when it states something else since.",
        (
            _DECIDED + "test_an_assessment_of_what_a_claim_stated_before_is_none_of_"
            "what_it_states_now",
        ),
    ),
    Fault(
        2416,
        _MISSING,
        "evidence.newest_at > assessed.seen",
        "evidence.newest_at >= assessed.seen",
        "Evidence that an assessment has read is called newer than it.",
        (_GAPS + "test_evidence_that_an_assessment_has_seen_is_not_newer",),
    ),
    Fault(
        2417,
        _MISSING,
        "decided = said.status in DECIDED or assessed.assessment.recommended in DECIDED",
        "decided = said.status in DECIDED",
        "A candidate that should be contested lacks nothing.",
        (_GAPS + "test_each_gap_is_told_alone[status_differs_from_assessment-<lambda>]",),
    ),
    Fault(
        2423,
        _GATHERING,
        "            grounds.cut.add(one)\n            del crowd",
        "            del crowd",
        "A claim is validated though not all rivals were looked at.",
        (
            _GATHERED + "test_others_of_the_slot_that_a_limit_left_unread_are_told_as_in"
            "complete[sqlite]",
        ),
    ),
)
