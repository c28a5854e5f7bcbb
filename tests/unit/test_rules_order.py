"""The order of every decision: two rules are broken at once, and the first one is the answer.

What the families' own modules do not climb is climbed here. The last tests hold that no refusal is left out: each code
of each family is given by a rung of some ladder, or by a test that is named here with the reason why no ladder can.
"""

import importlib
from dataclasses import replace
from enum import StrEnum
from functools import cache

import pytest

from ledger.refusals import GeneralRefusal as G
from ledger.rules import amendments, delegations, gate_opening, member_grants, plans, requests, runs, slots
from ledger.rules.agents import AgentRefusal
from ledger.rules.amendments import AmendmentRefusal as A
from ledger.rules.artifacts import ArtifactRefusal
from ledger.rules.beginning import BeginRefusal as B
from ledger.rules.channels import ChannelRefusal
from ledger.rules.delegations import DelegationRefusal as D
from ledger.rules.digest_schedules import ScheduleRefusal
from ledger.rules.erasures import ErasureRefusal as E
from ledger.rules.gate_refusals import GateRefusal as Gate
from ledger.rules.member_grants import GrantRefusal as Grant
from ledger.rules.members import MemberRefusal
from ledger.rules.plans import PlanRefusal as P
from ledger.rules.requests import RequestRefusal as Q
from ledger.rules.runs import RunRefusal as R
from ledger.rules.slots import SlotRefusal as S
from ledger.rules.summaries import SummaryRefusal
from ledger.rules.todos import TodoRefusal as T
from ledger.text.reference import FAMILIES
from tests.support import amendment_ladders, authority_ladders, begin_ladders, gate_ladders, turn_ladders
from tests.support.ladder import Ladder, cases, check, check_order
from tests.support.request_ladders import LADDERS as REQUEST_LADDERS
from tests.support.request_ladders import ONE
from tests.support.world import World
from tests.tidy.sources import ROOT
from tests.unit.test_rules_plans import CONFIRM, PROPOSE

HERE = (gate_ladders, amendment_ladders, turn_ladders, begin_ladders, authority_ladders)
LADDERS = tuple(ladder for module in HERE for ladder in module.LADDERS)
CASES = cases(*LADDERS)
SEND, COMMIT = (
    next(one for one in REQUEST_LADDERS if one.action == action and one.expected == "committed")
    for action in ("request.send", "request.commit")
)
ELSEWHERE = (
    "artifacts",
    "goals",
    "handoffs",
    "invitations",
    "leases",
    "members",
    "plans",
    "proposals",
    "requests",
    "reviews",
    "todos",
)
"""Families whose ladders are climbed in their own modules."""


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("number", range(len(LADDERS)))
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(number):
    check_order(LADDERS[number])


Limit = tuple[object, str, Ladder, StrEnum]
LIMITS: tuple[Limit, ...] = (
    (delegations, "DELEGATIONS_MAX", authority_ladders.DELEGATE, D.TOO_MANY_DELEGATIONS),
    (member_grants, "GRANTS_MAX", authority_ladders.GRANT, Grant.TOO_MANY_GRANTS),
    (gate_opening, "GATES_MAX", gate_ladders.OPEN, Gate.TOO_MANY_GATES),
    (plans, "PLANS_MAX", replace(PROPOSE, params=PROPOSE.params | {"plan_id": "plan_more"}), P.TOO_MANY_PLANS),
    (plans, "TODOS_MAX", CONFIRM, P.TOO_MANY_TODOS),
    (runs, "RUNS_MAX", turn_ladders.REPORT, R.TOO_MANY_RUNS),
    (runs, "USAGE_MAX", turn_ladders.USAGE, R.TOO_MANY_RUNS),
    (slots, "SPENDS_MAX", turn_ladders.SPEND, S.TOO_MANY_SPENDS),
    (requests, "REQUESTS_MAX", SEND, Q.TOO_MANY_REQUESTS),
    (requests, "TODOS_MAX", replace(COMMIT, params=ONE | {"text": "Check the links"}), Q.TOO_MANY_TODOS),
    (amendments, "AMENDMENTS_MAX", amendment_ladders.SUBMIT, A.TOO_MANY_AMENDMENTS),
    (amendments, "REACH_MAX", amendment_ladders.COMMIT, A.TOO_MANY_TODOS),
)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit[1] + " of " + limit[2].action)
def test_what_is_full_takes_no_more(limit, monkeypatch):
    module, name, ladder, code = limit
    assert ladder.outcome() == "committed"
    before = World.outcome

    def when_full(world, *asked, **given):
        monkeypatch.setattr(module, name, 0)
        return before(world, *asked, **given)

    monkeypatch.setattr(World, "outcome", when_full)
    assert ladder.outcome() == code.value


LOG = "it is decided by what the log says as well, which a ladder has not"
OTHERWISE: dict[StrEnum, tuple[str, str]] = {
    T.HANDOFF_MODE_LEASE_CLAIM_DIVERGENCE: ("unit/test_rules_todos.py", "only a damaged state gives it"),
    ArtifactRefusal.TOO_MANY_CONSUMERS: ("unit/test_rules_reviews.py", "a limit"),
    B.NOTHING_FREE: ("unit/test_rules_claim_next.py", "what no todo is named for, after every other refusal"),
    Gate.STEP_UP_REQUIRED: ("unit/test_rules_gates.py", "only a press in a chat gives it"),
    Gate.STEP_UP_NOT_ENROLLED: ("api/test_relay_step_up.py", "only a one-time code meets it"),
    Gate.STEP_UP_WAIT: ("api/test_relay_step_up.py", "only a one-time code meets it"),
    Gate.STEP_UP_WRONG: ("api/test_relay_step_up.py", "only a one-time code meets it"),
    Gate.STEP_UP_USED: ("api/test_relay_step_up.py", "only a one-time code meets it"),
    MemberRefusal.TOKEN_BEYOND_ITS_ISSUER: ("unit/test_rules_authority.py", "only a credential with a scope meets it"),
    P.GOAL_NOT_CONFIRMED: ("unit/test_rules_plans.py", "its world is a goal of another kind"),
    P.GOAL_NOT_EXECUTABLE: ("unit/test_rules_plans.py", "its world is a goal of another kind"),
    E.NOT_AN_OWNER: ("unit/test_rules_erasures.py", LOG),
    E.EVENT_NOT_FOUND: ("unit/test_rules_erasures.py", LOG),
    E.NOTHING_TO_ERASE: ("unit/test_rules_erasures.py", LOG),
    G.UNKNOWN_ACTION: ("api/test_daemon_bad_input.py", "the edge gives it"),
    G.METHOD_NOT_ALLOWED: ("api/test_daemon_bad_input.py", "the edge gives it"),
    ScheduleRefusal.TIME_ZONE_UNKNOWN: ("api/test_relay_posting.py", "the edge looks up which there are"),
    G.BODY_TOO_LARGE: ("api/test_daemon_bad_input.py", "the edge gives it"),
    G.MALFORMED_PARAMS: ("api/test_daemon_bad_input.py", "the edge gives it"),
    G.SEQ_NOT_REACHED: ("api/test_daemon_past.py", "a read of the past gives it"),
    G.UNAUTHENTICATED: ("api/test_daemon_principals.py", "the edge gives it"),
    G.CREDENTIAL_EXPIRED: ("api/test_daemon_principals.py", "the edge gives it"),
    G.CREDENTIAL_REVOKED: ("api/test_daemon_principals.py", "the edge gives it"),
    G.REQUEST_KEY_REQUIRED: ("api/test_daemon_request_keys.py", "the edge gives it"),
    G.REQUEST_KEY_MALFORMED: ("api/test_daemon_request_keys.py", "the edge gives it"),
    G.IDEMPOTENCY_CONFLICT: ("api/test_daemon_request_keys.py", "the receipts give it"),
    G.SURFACE_FORBIDDEN: ("api/test_daemon_principals.py", "the edge gives it"),
    G.TOKEN_SCOPE_FORBIDS: ("unit/test_rules_authority.py", "the credential gives it, before any family speaks"),
    G.NOT_PERMITTED: ("api/test_daemon_batch.py", "the table of actions gives it, before any family speaks"),
    G.CREDENTIAL_IN_TEXT: ("unit/test_privacy_filter.py", "the words give it, before any family speaks"),
    G.ORIGINALS_NOT_YOURS: ("unit/test_privacy_filter.py", "the way out gives it"),
    G.BASIS_REQUIRED: ("unit/test_rules_plans.py", "families give it in their own name"),
    G.STALE_BASIS: ("unit/test_rules_goals.py", "families give it in their own name"),
    G.BUSY: ("api/test_daemon_queue.py", "the queue gives it"),
    G.STORAGE_FULL: ("faults/test_disk_full.py", "the disk gives it"),
    G.SHUTTING_DOWN: ("faults/test_disk_full.py", "the daemon's end gives it"),
    G.FAULT: ("faults/test_disk_full.py", "a fault gives it"),
}
"""Where a code is given that no ladder gives, and why none does."""


IN_WORLDS_OF_THEIR_OWN = [
    *((code, "unit/test_rules_channels.py") for code in ChannelRefusal),
    *((code, "unit/test_rules_agents.py") for code in AgentRefusal),
    *((code, "unit/test_rules_summaries.py") for code in SummaryRefusal),
    *(
        (code, "unit/test_rules_summaries.py")
        for code in ScheduleRefusal
        if code is not ScheduleRefusal.TIME_ZONE_UNKNOWN
    ),
]
"""Families whose base is a world with chats or bindings in it, and whose order is climbed there by hand."""


@cache
def _given() -> frozenset[tuple[type[StrEnum], str]]:
    """By family and name: codes of two families that are spelt alike are equal."""
    found = list(LADDERS)
    for name in ELSEWHERE:
        module = importlib.import_module(f"tests.unit.test_rules_{name}")
        found += [value for value in vars(module).values() if isinstance(value, Ladder)]
        found += getattr(module, "LADDERS", ())
    codes = [rung.code for ladder in found for rung in ladder.rungs] + [code for *_, code in LIMITS]
    return frozenset((type(code), code.name) for code in codes)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES.keys())
def test_every_refusal_of_a_family_is_given_by_some_test(family):
    named = {(type(code), code.name) for code in (*OTHERWISE, *(code for code, _ in IN_WORLDS_OF_THEIR_OWN))}
    assert not [code for code in family if (family, code.name) not in _given() | named]
    assert not [name for of, name in _given() & named if of is family], "a ladder gives it: the exemption is over"


@pytest.mark.parametrize(
    ("code", "place"), [*((code, place) for code, (place, _) in OTHERWISE.items()), *IN_WORLDS_OF_THEIR_OWN]
)
def test_a_test_that_is_named_in_place_of_a_ladder_names_the_code(code, place):
    text = (ROOT / "tests" / place).read_text(encoding="utf-8")
    assert code.value in text or f".{code.name}" in text
