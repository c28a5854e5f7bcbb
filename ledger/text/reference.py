"""The reference of refusals: every code with its class, what it means on each surface, and its sentences.

`python -m ledger.text.reference > docs/refusals.md` writes it; a test keeps the file equal to what is said here.
"""

import sys
from collections.abc import Iterable
from enum import StrEnum

from ledger.refusals import STATUS, GeneralRefusal, class_of
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
from ledger.text.say import LOCALES, Locale, placeholders, say

RELAY_CODES = (
    "relay_only",
    "tenant_foreign",
    "button_forged",
    "button_elsewhere",
    "identity_unpaired",
    "button_expired",
    "channel_let_go",
    "form_submitted",
    "person_unpaired",
    "form_material_lost",
    "form_field_emptied",
    "form_field_missing",
)
"""Refusals of presses and messages that the bot relays."""

HOOK_CODES = ("hook_not_found",)
"""Refusals of what an owner asks about after-commit hooks."""

PAGE_CODES = ("page_port_taken", "page_not_kept")
"""Refusals of whoever asks for the local page."""

FAMILIES: dict[str, type[StrEnum]] = {
    "General": GeneralRefusal,
    "Members": MemberRefusal,
    "Invitations": InvitationRefusal,
    "Bindings": BindingRefusal,
    "Channels": ChannelRefusal,
    "Goals": GoalRefusal,
    "Todos": TodoRefusal,
    "Leases": LeaseRefusal,
    "Artifacts": ArtifactRefusal,
    "Reviews": ReviewRefusal,
    "What was agreed": AgreedRefusal,
    "Completion": CompletionRefusal,
    "Decisions": DecisionRefusal,
    "Beginning": BeginRefusal,
    "Handoffs": HandoffRefusal,
    "Handoff mode": ModeRefusal,
    "Deferrals": DeferralRefusal,
    "Proposals": ProposalRefusal,
    "Delegations": DelegationRefusal,
    "Erasures": ErasureRefusal,
    "Grants": GrantRefusal,
    "Agents": AgentRefusal,
    "Gates": GateRefusal,
    "Plans": PlanRefusal,
    "Admissions": AdmissionRefusal,
    "Runs": RunRefusal,
    "Quota": SlotRefusal,
    "Requests": RequestRefusal,
    "Summaries": SummaryRefusal,
    "Digests and quiet hours": ScheduleRefusal,
    "Amendments": AmendmentRefusal,
    "Operations of amendments": OperationRefusal,
}

_INTRODUCTION = """\
# Refusals

A refusal is an answer: nothing was done, the code says which rule was broken first, and the hint says what to do next.
Codes are listed in the order in which they are checked. A code that belongs to several families means the same in
each. The class alone decides the exit code of the command line and the status of the HTTP answer.

Words in braces stand for details of the refusal; what is missing is shown as a dash.
"""


def codes() -> dict[str, tuple[str, ...]]:
    """Every code by family, in order of precedence."""
    listed = {name: tuple(code.value for code in family) for name, family in FAMILIES.items()}
    return {**listed, "Relay": RELAY_CODES, "Hooks": HOOK_CODES, "Page": PAGE_CODES}


def reference() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, *_classes(), *(line for name in codes() for line in _family(name))])


def _classes() -> Iterable[str]:
    yield "## Classes\n"
    yield "| class | outcome | exit code | HTTP status |"
    yield "|---|---|---|---|"
    for name, status in STATUS.items():
        yield f"| {name.value} | {status.outcome} | {status.exit_code} | {status.http_status} |"
    yield ""


def _family(name: str) -> Iterable[str]:
    yield f"## {name}\n"
    for code in codes()[name]:
        kind = class_of(code)
        status = STATUS[kind]
        yield f"### `{code}`\n"
        yield f"class {kind.value} · exit {status.exit_code} · HTTP {status.http_status}\n"
        for locale in LOCALES:
            yield f"- {_said(code, 'message', locale)}  \n  {_said(code, 'hint', locale)}"
        yield ""


def _said(code: str, part: str, locale: Locale) -> str:
    """The sentence with its placeholders in braces, and nothing in it that would be markup."""
    key = f"refusal.{code}.{part}"
    text = say(key, locale, **{name: "{" + name + "}" for name in placeholders(key)})
    return "".join("\\" + sign if sign in "*_<>`[]|~" else sign for sign in text)


if __name__ == "__main__":
    sys.stdout.write(reference())
