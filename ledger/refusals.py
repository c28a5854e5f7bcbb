"""Refusals: the first broken rule is the answer, as a value.

Every family lists its codes in order of precedence. This module says what a refusal is and which class each
code belongs to; the class alone decides exit code and HTTP status, in one table, for every surface.
"""

from enum import StrEnum
from typing import Literal

import msgspec

Outcome = Literal["committed", "partial", "all_gap", "stale", "rejected", "denied", "waiting", "noop"]


class RefusalClass(StrEnum):
    """How a refusal is answered; one row of `STATUS` each."""

    USAGE = "usage"
    METHOD = "method"
    NOT_FOUND = "not_found"
    DENIED = "denied"
    UNAUTHENTICATED = "unauthenticated"
    STALE = "stale"
    RULE = "rule"
    ALL_GAP = "all_gap"
    WAITING = "waiting"
    BUSY = "busy"
    FAULT = "fault"


class Status(msgspec.Struct, frozen=True):
    """What a class means on each surface."""

    outcome: Outcome
    exit_code: int
    http_status: int
    toast: Literal["info", "warning", "error"]


STATUS: dict[RefusalClass, Status] = {
    RefusalClass.USAGE: Status("rejected", 2, 400, "warning"),
    RefusalClass.METHOD: Status("rejected", 2, 405, "warning"),
    RefusalClass.NOT_FOUND: Status("rejected", 3, 404, "warning"),
    RefusalClass.DENIED: Status("denied", 5, 403, "error"),
    RefusalClass.UNAUTHENTICATED: Status("denied", 5, 401, "error"),
    RefusalClass.STALE: Status("stale", 4, 409, "warning"),
    RefusalClass.RULE: Status("rejected", 1, 422, "warning"),
    RefusalClass.ALL_GAP: Status("all_gap", 1, 422, "warning"),
    RefusalClass.WAITING: Status("waiting", 6, 423, "info"),
    RefusalClass.BUSY: Status("rejected", 7, 503, "warning"),
    RefusalClass.FAULT: Status("rejected", 8, 500, "error"),
}


class GeneralRefusal(StrEnum):
    """Refusals that belong to no family, in the order they are checked."""

    UNKNOWN_ACTION = "unknown_action"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    BODY_TOO_LARGE = "body_too_large"
    MALFORMED_PARAMS = "malformed_params"
    SEQ_NOT_REACHED = "seq_not_reached"
    UNAUTHENTICATED = "unauthenticated"
    CREDENTIAL_EXPIRED = "credential_expired"
    CREDENTIAL_REVOKED = "credential_revoked"
    REQUEST_KEY_REQUIRED = "request_key_required"
    REQUEST_KEY_MALFORMED = "request_key_malformed"
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"
    SURFACE_FORBIDDEN = "surface_forbidden"
    TOKEN_SCOPE_FORBIDS = "token_scope_forbids"  # noqa: S105  (the name of a rule)
    NOT_PERMITTED = "not_permitted"
    CREDENTIAL_IN_TEXT = "credential_in_text"
    ORIGINALS_NOT_YOURS = "originals_not_yours"
    BASIS_REQUIRED = "basis_required"
    STALE_BASIS = "stale_basis"
    BUSY = "busy"
    STORAGE_FULL = "storage_full"
    SHUTTING_DOWN = "shutting_down"
    FAULT = "fault"


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing was done. `details` are names and numbers, never words or secrets."""

    code: StrEnum
    details: dict[str, object] = {}
    basis: str | None = None

    @property
    def status(self) -> Status:
        """What this refusal means on every surface."""
        return STATUS[class_of(self.code.value)]


CLASS_OF: dict[str, RefusalClass] = {
    "unknown_action": RefusalClass.NOT_FOUND,
    "method_not_allowed": RefusalClass.METHOD,
    "body_too_large": RefusalClass.USAGE,
    "malformed_params": RefusalClass.USAGE,
    "seq_not_reached": RefusalClass.NOT_FOUND,
    "unauthenticated": RefusalClass.UNAUTHENTICATED,
    "credential_expired": RefusalClass.UNAUTHENTICATED,
    "credential_revoked": RefusalClass.UNAUTHENTICATED,
    "request_key_required": RefusalClass.USAGE,
    "request_key_malformed": RefusalClass.USAGE,
    "surface_forbidden": RefusalClass.DENIED,
    "not_permitted": RefusalClass.DENIED,
    "credential_in_text": RefusalClass.USAGE,
    "originals_not_yours": RefusalClass.DENIED,
    "not_an_owner": RefusalClass.DENIED,
    "not_the_proposer": RefusalClass.DENIED,
    "goal_not_granted": RefusalClass.DENIED,
    "actor_not_registered": RefusalClass.DENIED,
    "actor_excluded": RefusalClass.DENIED,
    "owner_not_registered": RefusalClass.DENIED,
    "claim_actor_mismatch": RefusalClass.DENIED,
    "basis_required": RefusalClass.USAGE,
    "stale_basis": RefusalClass.STALE,
    "version_required": RefusalClass.USAGE,
    "version_mismatch": RefusalClass.STALE,
    "lease_cas_mismatch": RefusalClass.STALE,
    "lease_not_active": RefusalClass.STALE,
    "goal_not_found": RefusalClass.NOT_FOUND,
    "todo_not_found": RefusalClass.NOT_FOUND,
    "member_not_found": RefusalClass.NOT_FOUND,
    "artifact_not_found": RefusalClass.NOT_FOUND,
    "token_not_found": RefusalClass.NOT_FOUND,
    "question_not_found": RefusalClass.NOT_FOUND,
    "pairing_code_unknown": RefusalClass.NOT_FOUND,
    "invalid_write_scope": RefusalClass.USAGE,
    "question_or_answer": RefusalClass.USAGE,
    "actor_required": RefusalClass.USAGE,
    "invalid_owner": RefusalClass.USAGE,
    "identity_unpaired": RefusalClass.DENIED,
    "button_forged": RefusalClass.DENIED,
    "button_expired": RefusalClass.STALE,
    "button_elsewhere": RefusalClass.DENIED,
    "tenant_foreign": RefusalClass.DENIED,
    "relay_only": RefusalClass.DENIED,
    "hook_not_found": RefusalClass.NOT_FOUND,
    "form_field_missing": RefusalClass.USAGE,
    "form_material_lost": RefusalClass.USAGE,
    "form_field_emptied": RefusalClass.USAGE,
    "person_unpaired": RefusalClass.USAGE,
    "busy": RefusalClass.BUSY,
    "storage_full": RefusalClass.BUSY,
    "shutting_down": RefusalClass.BUSY,
    "fault": RefusalClass.FAULT,
    "objective_review_required": RefusalClass.WAITING,
    "goal_not_confirmed": RefusalClass.WAITING,
    "dependency_unmet": RefusalClass.WAITING,
    # Handoffs and authority.
    "gate_blocks": RefusalClass.WAITING,
    "decision_scope_unapproved": RefusalClass.WAITING,
    "projection_repair_required": RefusalClass.WAITING,
    "amendment_holds": RefusalClass.WAITING,
    "request_holds": RefusalClass.WAITING,
    "todo_reserved": RefusalClass.WAITING,
    "nothing_free": RefusalClass.WAITING,
    "revision_waits": RefusalClass.WAITING,
    "proposer_only": RefusalClass.DENIED,
    "action_kind_not_granted": RefusalClass.DENIED,
    "write_scope_not_granted": RefusalClass.DENIED,
    "profile_role_not_yours": RefusalClass.DENIED,
    "proposal_needs_owner": RefusalClass.DENIED,
    "token_scope_forbids": RefusalClass.DENIED,
    "token_beyond_its_issuer": RefusalClass.DENIED,
    "token_action_unknown": RefusalClass.USAGE,
    "token_goal_unknown": RefusalClass.USAGE,
    "delegation_not_found": RefusalClass.NOT_FOUND,
    "grant_not_found": RefusalClass.NOT_FOUND,
    "grant_goal_not_found": RefusalClass.NOT_FOUND,
    "resume_todo_not_found": RefusalClass.NOT_FOUND,
    "delegation_names_nothing": RefusalClass.USAGE,
    "grant_names_nothing": RefusalClass.USAGE,
    # Erasures.
    "event_not_found": RefusalClass.NOT_FOUND,
    # Gates.
    "gate_not_found": RefusalClass.NOT_FOUND,
    "standing_grant_not_found": RefusalClass.NOT_FOUND,
    "gate_not_yours": RefusalClass.DENIED,
    "gate_proposer_excluded": RefusalClass.DENIED,
    "not_an_approver": RefusalClass.DENIED,
    "approver_not_entitled": RefusalClass.DENIED,
    "scope_beyond_approvers": RefusalClass.DENIED,
    "approver_unknown": RefusalClass.USAGE,
    "gate_target_ambiguous": RefusalClass.USAGE,
    "gate_target_required": RefusalClass.USAGE,
    "gate_unscoped": RefusalClass.USAGE,
    "expiry_required": RefusalClass.USAGE,
    "gate_stale": RefusalClass.STALE,
    "gate_already_resolved": RefusalClass.STALE,
    "gate_expired": RefusalClass.STALE,
    # Artifacts, reviews and completion.
    "revised_not_found": RefusalClass.NOT_FOUND,
    "input_not_found": RefusalClass.NOT_FOUND,
    "unblocked_not_found": RefusalClass.NOT_FOUND,
    "not_the_author": RefusalClass.DENIED,
    "reviewer_not_entitled": RefusalClass.DENIED,
    "reviewer_is_author": RefusalClass.DENIED,
    "artifact_superseded": RefusalClass.STALE,
    "artifact_invalidated": RefusalClass.STALE,
    "artifact_already_reviewed": RefusalClass.STALE,
    "digest_mismatch": RefusalClass.STALE,
    "decision_outcome_required": RefusalClass.USAGE,
    "decision_outcome_unexpected": RefusalClass.USAGE,
    "revision_of_another_todo": RefusalClass.USAGE,
    # Plans and amendments.
    "plan_not_found": RefusalClass.NOT_FOUND,
    "lane_repeated": RefusalClass.USAGE,
    "lane_not_found": RefusalClass.USAGE,
    "lane_cycle": RefusalClass.USAGE,
    "all_gap": RefusalClass.ALL_GAP,
    "amendment_not_found": RefusalClass.NOT_FOUND,
    "needs_rebase": RefusalClass.STALE,
    "gate_required": RefusalClass.WAITING,
    "amendment_required": RefusalClass.DENIED,
    "gate_rests_on_it": RefusalClass.DENIED,
    "adopted_by_another": RefusalClass.DENIED,
    "disposition_conflict": RefusalClass.USAGE,
    "disposition_required": RefusalClass.USAGE,
    "operation_conflict": RefusalClass.USAGE,
    # Quota, runs and usage.
    "turn_not_admitted": RefusalClass.WAITING,
    "slots_exhausted": RefusalClass.WAITING,
    "delivery_required": RefusalClass.WAITING,
    "run_not_reported": RefusalClass.WAITING,
    "admission_not_found": RefusalClass.NOT_FOUND,
    "spend_not_found": RefusalClass.NOT_FOUND,
    "run_not_found": RefusalClass.NOT_FOUND,
    "not_the_spender": RefusalClass.DENIED,
    # Requests between peers.
    "request_not_found": RefusalClass.NOT_FOUND,
    "request_not_yours": RefusalClass.DENIED,
    "receiver_not_registered": RefusalClass.DENIED,
    "request_too_large": RefusalClass.USAGE,
    "request_to_yourself": RefusalClass.USAGE,
    "reason_required": RefusalClass.USAGE,
    "work_required": RefusalClass.USAGE,
    "request_closed": RefusalClass.STALE,
    "request_answered": RefusalClass.STALE,
    "request_work_open": RefusalClass.WAITING,
    "request_not_returned": RefusalClass.WAITING,
    # Bindings of agents.
    "agent_not_bound": RefusalClass.NOT_FOUND,
    "token_of_another": RefusalClass.DENIED,
    "token_not_of_binding": RefusalClass.DENIED,
    "binding_changed": RefusalClass.STALE,
    "nothing_proven": RefusalClass.USAGE,
    "fact_contradicted": RefusalClass.USAGE,
    # Invitations, bindings and channels.
    "invitation_not_found": RefusalClass.NOT_FOUND,
    "invitation_not_yours": RefusalClass.DENIED,
    "invitation_closed": RefusalClass.STALE,
    "invitation_expired": RefusalClass.STALE,
    "inviter_gone": RefusalClass.DENIED,
    "organisation_foreign": RefusalClass.DENIED,
    "display_name_required": RefusalClass.USAGE,
    "binding_not_yours": RefusalClass.DENIED,
    "channel_target_required": RefusalClass.USAGE,
    "channel_required": RefusalClass.USAGE,
    "channel_unknown": RefusalClass.NOT_FOUND,
    "channel_not_bound": RefusalClass.NOT_FOUND,
    "channel_let_go": RefusalClass.STALE,
    # Summaries, digests and quiet hours.
    "summary_target_required": RefusalClass.USAGE,
    "posting_not_granted": RefusalClass.DENIED,
    "no_chat_shows_it": RefusalClass.NOT_FOUND,
    "summary_not_found": RefusalClass.NOT_FOUND,
    "schedule_or_off": RefusalClass.USAGE,
    "quiet_hours_incomplete": RefusalClass.USAGE,
    "time_zone_unknown": RefusalClass.USAGE,
    "cron_malformed": RefusalClass.USAGE,
    "cron_never_fires": RefusalClass.USAGE,
    "cron_too_frequent": RefusalClass.USAGE,
    "digest_not_scheduled": RefusalClass.NOT_FOUND,
    "digest_time_decided": RefusalClass.STALE,
    "hours_not_yours": RefusalClass.DENIED,
}
"""Codes that are not an ordinary broken rule (class `rule`)."""


def class_of(code: str) -> RefusalClass:
    """The class of a refusal code."""
    return CLASS_OF.get(code, RefusalClass.RULE)
