"""What the histories must come to, and what they cannot, each with its reason."""

from enum import StrEnum

from ledger.refusals import GeneralRefusal
from ledger.rules.admissions import AdmissionRefusal
from ledger.rules.agents import AgentRefusal
from ledger.rules.agreed import AgreedRefusal
from ledger.rules.amendment_graph import OperationRefusal
from ledger.rules.amendments import AmendmentRefusal
from ledger.rules.artifacts import ArtifactRefusal
from ledger.rules.beginning import BeginRefusal
from ledger.rules.bindings import BindingRefusal
from ledger.rules.channels import ChannelRefusal
from ledger.rules.completion import CompletionRefusal
from ledger.rules.decisions import DecisionRefusal
from ledger.rules.deferrals import DeferralRefusal
from ledger.rules.delegations import DelegationRefusal
from ledger.rules.digest_schedules import ScheduleRefusal
from ledger.rules.erasures import ErasureRefusal
from ledger.rules.gate_refusals import GateRefusal
from ledger.rules.goals import GoalRefusal
from ledger.rules.handoffs import HandoffRefusal
from ledger.rules.invitations import InvitationRefusal
from ledger.rules.lease_transfer import ModeRefusal
from ledger.rules.leases import LeaseRefusal
from ledger.rules.member_grants import GrantRefusal
from ledger.rules.members import MemberRefusal
from ledger.rules.plans import PlanRefusal
from ledger.rules.proposals import ProposalRefusal
from ledger.rules.requests import RequestRefusal
from ledger.rules.reviews import ReviewRefusal
from ledger.rules.runs import RunRefusal
from ledger.rules.slots import SlotRefusal
from ledger.rules.summaries import SummaryRefusal
from ledger.rules.todos import TodoRefusal

FAMILIES: tuple[type[StrEnum], ...] = (
    GoalRefusal, TodoRefusal, LeaseRefusal, ArtifactRefusal, ReviewRefusal, CompletionRefusal, DecisionRefusal,
    BeginRefusal, GateRefusal, PlanRefusal, AmendmentRefusal, OperationRefusal, RequestRefusal, HandoffRefusal,
    ModeRefusal, DelegationRefusal, DeferralRefusal, ErasureRefusal, SlotRefusal, AdmissionRefusal, RunRefusal,
    GrantRefusal, MemberRefusal, ProposalRefusal, AgreedRefusal, InvitationRefusal, BindingRefusal, ChannelRefusal,
    AgentRefusal, SummaryRefusal, ScheduleRefusal,
)  # fmt: skip
COMMON = frozenset({GeneralRefusal.BASIS_REQUIRED.value, GeneralRefusal.STALE_BASIS.value})
"""Families list these in their order, and one check says them for all."""


def name_of(code: StrEnum) -> str:
    """A refusal under its family; what several families share stands for each of them."""
    family = "" if code.value in COMMON else type(code).__name__
    return f"{family}.{code.value}"


ANOTHER_LIMIT = "it takes hundreds of revisions or thousands of entries to come to this limit"
SAID_FOR_ALL = "the family of members says it for this one"
DAMAGED = "only a damaged state contradicts itself"
CODE = "a one-time code is looked at by the daemon, which has the key; its tests play that"
CODES: tuple[StrEnum, ...] = (
    GateRefusal.STEP_UP_NOT_ENROLLED, GateRefusal.STEP_UP_WAIT, GateRefusal.STEP_UP_WRONG, GateRefusal.STEP_UP_USED,
)  # fmt: skip
LIMITS: tuple[StrEnum, ...] = (
    GoalRefusal.TOO_MANY_REVISIONS, TodoRefusal.TOO_MANY_TODOS, ArtifactRefusal.TOO_MANY_ARTIFACTS,
    ArtifactRefusal.TOO_MANY_CONSUMERS, ReviewRefusal.TOO_MANY_CHECKS, GateRefusal.TOO_MANY_GATES,
    PlanRefusal.TOO_MANY_PLANS, PlanRefusal.TOO_MANY_TODOS, AmendmentRefusal.TOO_MANY_AMENDMENTS,
    AmendmentRefusal.TOO_MANY_TODOS, RequestRefusal.TOO_MANY_REQUESTS, RequestRefusal.TOO_MANY_TODOS,
    DelegationRefusal.TOO_MANY_DELEGATIONS, SlotRefusal.TOO_MANY_SPENDS, RunRefusal.TOO_MANY_RUNS,
    GrantRefusal.TOO_MANY_GRANTS, ChannelRefusal.TOO_MANY_CHANNELS, SummaryRefusal.TOO_MANY_QUEUED,
)  # fmt: skip
UNREACHED: dict[str, str] = {
    **{name_of(code): ANOTHER_LIMIT for code in LIMITS},
    **{name_of(code): CODE for code in CODES},
    "workspace.created": "it is how every history begins, before anybody is asked",
    name_of(GoalRefusal.GOAL_NOT_FOUND): "the walk asks about goals that are there",
    name_of(GrantRefusal.MEMBER_NOT_FOUND): SAID_FOR_ALL,
    name_of(GrantRefusal.MEMBER_REVOKED): SAID_FOR_ALL,
    name_of(BindingRefusal.MEMBER_NOT_FOUND): SAID_FOR_ALL,
    name_of(BindingRefusal.MEMBER_REVOKED): SAID_FOR_ALL,
    name_of(AgentRefusal.MEMBER_NOT_FOUND): SAID_FOR_ALL,
    name_of(AgentRefusal.MEMBER_REVOKED): SAID_FOR_ALL,
    name_of(MemberRefusal.TOKEN_ACTION_UNKNOWN): "the walk names actions that are there",
    name_of(MemberRefusal.TOKEN_GOAL_UNKNOWN): "the walk names goals that are there",
    name_of(ScheduleRefusal.TIME_ZONE_UNKNOWN): "which time zones there are is looked up by the daemon",
    name_of(TodoRefusal.HANDOFF_MODE_LEASE_CLAIM_DIVERGENCE): DAMAGED,
    name_of(BeginRefusal.PROJECTION_REPAIR_REQUIRED): DAMAGED,
    name_of(CompletionRefusal.PROJECTION_REPAIR_REQUIRED): DAMAGED,
}
ACTIONS_OF_NOBODY = {"workspace.create": "a ledger is begun once, before anybody is asked"}
