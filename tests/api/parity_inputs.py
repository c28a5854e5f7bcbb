"""What is asked on every surface, written out by hand: who asks what, with which parameters, and what must come of it.

The inputs are asked in this order on each ledger, so that ids made from seqs are the same on all of them. Where an id is
made by the ledger, `@` and its kind stand for the newest one at that moment.
"""

from typing import NamedTuple

from tests.support.homes import sha256

DOCS = {"goal_id": "docs"}
ONE = {"todo_id": "todo_000"}
NASTY = "--reason 'x'; $(rm -rf ~) \"q\" `w` \\ \t目标 😀 <at id=all></at> **b** #!"
MANY_LINES = "first\n  second\n\n--third"
STALE = "b1:" + "0" * 32


class Input(NamedTuple):
    """One input: who, what, with which parameters, and what must come of it."""

    who: str
    action: str
    params: dict[str, object]
    expected: str
    """The outcome, or the code of the refusal."""
    basis: str | None = None
    """Which basis to add: one that the goal shows at that moment, or the one of the gate, plan or amendment itself."""
    again: bool = False
    """Asked under the key of the one before it."""


# ruff: noqa: E501  (one input, one line)
FIRST = (
    Input("ann", "goal.propose", {"objective": MANY_LINES, "criterion": ["It works", NASTY], "title": NASTY}, "committed"),
    Input("ann", "goal.propose", {"objective": "Two", "criterion": ["x"], "goal_id": "docs"}, "goal_id_taken"),
    Input("ann", "goal.propose", {"objective": "Two", "criterion": ["x"], "write_scope": ["../x"]}, "invalid_write_scope"),
    Input("builder", "goal.propose", {"objective": "B", "criterion": ["x"], "goal_id": "two", "priority": "P0"}, "committed"),
    Input("builder", "goal.clarify", {"goal_id": "two", "question": "Which?", "option": ["a", "-b"]}, "committed"),
    Input("ann", "goal.confirm", {"goal_id": "two"}, "question_open", basis="confirm"),
    Input("ann", "goal.clarify", {"goal_id": "two", "answer": NASTY}, "committed"),
    Input("ann", "goal.confirm", {"goal_id": "two"}, "basis_required"),
    Input("ann", "goal.confirm", {"goal_id": "two", "basis": STALE}, "stale_basis"),
    Input("ann", "goal.confirm", {"goal_id": "nowhere", "basis": STALE}, "goal_not_found"),
    Input("bob", "goal.confirm", {"goal_id": "two"}, "not_an_owner", basis="confirm"),
    Input("ann", "goal.confirm", {"goal_id": "two"}, "committed", basis="confirm"),
    Input("ann", "goal.decline", {"goal_id": "two", "reason": "Late"}, "nothing_to_confirm", basis="state"),
    Input("ann", "goal.pause", {**DOCS, "reason": NASTY}, "committed", basis="state"),
    Input("ann", "goal.pause", DOCS, "goal_state_forbids", basis="state"),
    Input("ann", "goal.resume", {**DOCS, "basis": STALE}, "stale_basis"),
    Input("ann", "goal.resume", DOCS, "committed", basis="state"),
    Input("builder", "todo.claim", {**DOCS, **ONE}, "committed"),
    Input("builder", "todo.claim", {**DOCS, **ONE}, "committed", again=True),
    Input("builder", "todo.claim", {**DOCS, "todo_id": "todo_001"}, "idempotency_conflict", again=True),
    Input("builder", "todo.claim", {**DOCS, **ONE}, "noop"),
    Input("helper", "todo.claim", {**DOCS, **ONE}, "claim_owner_mismatch"),
    Input("builder", "todo.update", {**DOCS, **ONE, "note": MANY_LINES}, "committed"),
    Input("builder", "todo.update", {**DOCS, **ONE, "priority": "P1"}, "amendment_required"),
    Input("builder", "task-lease.acquire", {**DOCS, **ONE, "idempotency_key": "run/1", "ttl_seconds": 600}, "committed"),
    Input("helper", "task-lease.acquire", {**DOCS, **ONE, "idempotency_key": "run/2"}, "todo_lease_conflict"),
    Input("builder", "task-lease.renew", {**DOCS, **ONE, "idempotency_key": "run/1", "expected_version": 7}, "version_mismatch"),
    Input("builder", "task-lease.renew", {**DOCS, **ONE, "idempotency_key": "run/1"}, "version_required"),
    Input("builder", "artifact.submit", {**DOCS, **ONE, "label": NASTY, "sha256": sha256("a"), "size_bytes": 0}, "committed"),
    Input("builder", "todo.complete", {**DOCS, **ONE}, "lease_fence_required"),
    Input("builder", "todo.complete", {**DOCS, "todo_id": "todo_none"}, "todo_not_found"),
    Input("ann", "todo.cancel", {**DOCS, "todo_id": "todo_001", "reason": "-"}, "committed"),
    Input("builder", "goal.deliver", {**DOCS, "summary": "Done"}, "work_open"),
    Input("builder", "goal.confirm", {**DOCS, "basis": STALE}, "not_permitted"),
    Input("ann", "goal.accept", {**DOCS, "basis": STALE}, "goal_state_forbids"),
    Input("ann", "goal.request-changes", {**DOCS, "basis": STALE, "reason": "More"}, "goal_state_forbids"),
    Input("ann", "member.add", {"member_id": "carl", "kind": "person", "display_name": NASTY, "role": ["viewer"]}, "committed"),
    Input("ann", "member.add", {"member_id": "carl", "kind": "agent", "display_name": "Carl"}, "member_exists"),
    Input("ann", "button-key.rotate", {"grace_seconds": 3_600}, "committed"),
    Input("ann", "todo.add", {**DOCS, "text": "x", "bound_agent": None, "acceptance": ""}, "committed"),
    Input("ann", "quota.set", {**DOCS, "compute_permille": 500, "window_hours": 48}, "committed"),
    Input("bob", "quota.set", {**DOCS, "compute_permille": 1000}, "not_an_owner"),
    Input("builder", "quota.reserve", {**DOCS, "turn_instance_id": "turn/1", "slots": 2}, "committed"),
    Input("helper", "quota.reserve", {**DOCS, "turn_instance_id": "turn/2", "agent_id": "builder"}, "claim_actor_mismatch"),
    Input("builder", "run.report", {**DOCS, **ONE, "turn_instance_id": "turn/1", "delivery_outcome": "surface_only", "summary": NASTY}, "committed"),
    Input("builder", "quota.spend-slot", {**DOCS, **ONE, "turn_instance_id": "turn/1"}, "delivery_required"),
    Input("builder", "run.replan", {**DOCS, "summary": MANY_LINES}, "replan_not_due"),
    Input("builder", "usage.report", {**DOCS, "source": "provider", "tokens_in": 0, "usage_id": "usage_1"}, "committed"),
    Input("builder", "usage.report", {**DOCS, "source": "provider", "usage_id": "usage_1"}, "usage_id_reused"),
    Input("ann", "quota.void-slot", {**DOCS, "spend_id": "spend_000001", "reason": NASTY}, "spend_not_found"),
    Input("ann", "goal.stop", {**DOCS, "reason": MANY_LINES}, "committed", basis="state"),
    Input("ann", "goal.resume", DOCS, "goal_state_forbids"),
)  # fmt: skip

LATER = {"goal_id": "later"}
WHOLE = {"goal_id": "whole"}
PART, MORE = ({**WHOLE, "todo_id": f"todo_{name}"} for name in ("part", "more"))
IDEA, OTHER_IDEA = ({**LATER, "todo_id": f"todo_{name}"} for name in ("idea", "other"))
LINKS, PAGES, SITE = ({**LATER, "todo_id": f"todo_{name}"} for name in ("links", "pages", "site"))
LEFT = {"goal_id": "left", "todo_id": "todo_000"}
GATE, GATE_TWO, GATE_ALL = ({**LATER, "gate_id": f"gate_{name}"} for name in ("one", "two", "all"))
PLAN, OTHER_PLAN = ({**LATER, "plan_id": f"plan_{name}"} for name in ("one", "two"))
CHANGE, OTHER_CHANGE = ({**LATER, "amendment_id": f"amend_{name}"} for name in ("one", "two"))
ASK, OTHER_ASK, THIRD_ASK = ({**LATER, "request_id": f"request_{name}"} for name in ("one", "two", "three"))
LANE = {"lane_id": "extra", "title": "Check the extras"}
BRIEF = {"purpose": "Check", "acceptance": ["A list"], "return_requirement": "A list"}
GRANT = {"member_id": "helper", "goal_id": ["later"], "action_kind": ["check"]}
FENCE = {"idempotency_key": "run/7", "expected_version": 1}

FAMILIES = (
    Input("ann", "goal.propose", {**LATER, "objective": "Later", "criterion": ["It works"], "approver": ["ann", "bob"], "write_scope": ["**"], "review": "independent"}, "committed"),
    Input("ann", "goal.revise", {**LATER, "budget": NASTY}, "committed"),
    Input("ann", "goal.revise", {"goal_id": "nowhere", "budget": "x"}, "goal_not_found"),
    Input("ann", "goal.confirm", LATER, "committed", basis="confirm"),
    Input("ann", "goal.revise", {**LATER, "budget": "less"}, "committed"),
    Input("builder", "goal.adopt", {**LATER, "revision": 7}, "revision_unknown"),
    Input("ann", "goal.confirm", LATER, "committed", basis="confirm"),
    Input("builder", "goal.adopt", {**LATER, "revision": 3}, "committed"),
    Input("helper", "goal.adopt", {**LATER, "revision": 3}, "committed"),
    Input("ann", "goal.propose", {"goal_id": "gone", "objective": "Gone", "criterion": ["x"]}, "committed"),
    Input("ann", "goal.withdraw", {"goal_id": "gone", "reason": NASTY}, "committed"),
    Input("ann", "goal.withdraw", {"goal_id": "gone"}, "nothing_to_confirm"),
    Input("ann", "goal.set-handoff-mode", {**LATER, "handoff_mode": "hard_lease", "reason": NASTY}, "committed"),
    Input("ann", "goal.set-handoff-mode", {**LATER, "handoff_mode": "optional_lease"}, "committed"),
    Input("bob", "goal.set-handoff-mode", {**LATER, "handoff_mode": "soft_claim"}, "not_an_owner"),
    Input("ann", "todo.add", {**LINKS, "text": NASTY}, "committed"),
    Input("ann", "todo.add", {**PAGES, "text": "Mend the pages"}, "committed"),
    Input("ann", "todo.add", {**SITE, "text": "Publish"}, "committed"),
    Input("builder", "run.observe", {**LINKS, "result_hash": sha256("seen")}, "not_a_monitor"),
    Input("builder", "todo.claim", LINKS, "committed"),
    Input("builder", "todo.release", LINKS, "committed"),
    Input("helper", "todo.release", {**LATER, "todo_id": "todo_none"}, "todo_not_found"),
    Input("builder", "todo.block", {**LINKS, "reason": NASTY}, "committed"),
    Input("ann", "todo.update", {**LINKS, "status": "open"}, "committed"),
    Input("ann", "todo.block", {**LATER, "todo_id": "todo_none", "reason": "x"}, "todo_not_found"),
    Input("ann", "todo.defer", {**LINKS, "resume_when": "pr_merged:41", "reason": NASTY}, "committed"),
    Input("ann", "todo.defer", {**PAGES, "resume_when": "todo_done:todo_none"}, "resume_todo_not_found"),
    Input("ann", "todo.resume", {**LINKS, "reason": MANY_LINES}, "committed"),
    Input("ann", "todo.resume", LINKS, "todo_not_deferred"),
    Input("builder", "task-lease.acquire", {**LINKS, "idempotency_key": "run/7"}, "committed"),
    Input("builder", "task-lease.transfer", {**LINKS, "idempotency_key": "run/7", "expected_version": 9, "new_owner": "helper", "new_idempotency_key": "run/8"}, "version_mismatch"),
    Input("builder", "task-lease.transfer", {**LINKS, **FENCE, "new_owner": "helper", "new_idempotency_key": "run/8"}, "committed"),
    Input("helper", "task-lease.release", {**LINKS, "idempotency_key": "run/8"}, "version_required"),
    Input("helper", "task-lease.release", {**LINKS, "idempotency_key": "run/8", "expected_version": 2}, "committed"),
    Input("builder", "todo.claim", LINKS, "committed"),
    Input("builder", "todo.handoff", {**LINKS, "context": NASTY, "remaining_work": MANY_LINES}, "committed"),
    Input("builder", "todo.handoff", {**LATER, "todo_id": "todo_none", "context": "x"}, "todo_not_found"),
    Input("helper", "todo.adopt", {**LEFT, "idempotency_key": "run/9", "expected_version": 9}, "version_mismatch"),
    Input("helper", "todo.adopt", {**LEFT, "idempotency_key": "run/9", "expected_version": 1, "ttl_seconds": 86_400}, "committed"),
    Input("ann", "todo.delegate", {**LATER, "agent_id": "builder", "on_behalf_of": "helper", "allowed_action": ["complete"], "todo_id": ["todo_pages"], "reason": NASTY}, "committed"),
    Input("ann", "todo.delegate", {**LATER, "agent_id": "nobody", "on_behalf_of": "helper", "allowed_action": ["complete"], "reason": "x"}, "actor_not_registered"),
    Input("ann", "todo.undelegate", {**LATER, "grant_id": "@delegation", "reason": NASTY}, "committed"),
    Input("ann", "todo.undelegate", {**LATER, "grant_id": "dlg_999999"}, "delegation_not_found"),
    Input("builder", "artifact.submit", {**LATER, "label": NASTY, "sha256": sha256("b"), "size_bytes": 1}, "committed"),
    Input("helper", "artifact.record-check", {**LATER, "artifact_id": "@artifact", "name": "links", "argv_sha256": sha256("c"), "exit_code": 0, "duration_ms": 8}, "committed"),
    Input("helper", "artifact.record-check", {**LATER, "artifact_id": "art_999999", "name": "links", "argv_sha256": sha256("c"), "exit_code": 1, "duration_ms": 8}, "artifact_not_found"),
    Input("builder", "artifact.review", {**LATER, "artifact_id": "@artifact", "verdict": "accept"}, "reviewer_is_author"),
    Input("helper", "artifact.review", {**LATER, "artifact_id": "@artifact", "verdict": "accept", "reason": NASTY}, "committed"),
    Input("builder", "quota.reserve", {**LATER, "turn_instance_id": "turn/9"}, "committed"),
    Input("builder", "quota.release", {**LATER, "turn_instance_id": "turn/9"}, "committed"),
    Input("builder", "quota.release", {**LATER, "turn_instance_id": "turn/9"}, "admission_not_found"),
    Input("builder", "gate.open", {**GATE, "question": NASTY, "option": ["-a", "b"], "default": "-a", "blocks_todo": ["todo_site"], "approver": ["ann", "bob"], "quorum": 2}, "committed"),
    Input("builder", "gate.open", {**GATE, "question": "Again?", "blocks_goal": True}, "gate_exists"),
    Input("builder", "gate.revise", {**GATE, "question": MANY_LINES}, "committed"),
    Input("builder", "gate.revise", {**LATER, "gate_id": "gate_none", "question": "x"}, "gate_not_found"),
    Input("ann", "gate.approve", {**GATE, "basis": STALE}, "gate_stale"),
    Input("ann", "gate.approve", {**GATE, "reason": NASTY}, "committed", basis="gate"),
    Input("ann", "gate.delegate", {**GATE, "to": "nobody"}, "delegate_not_eligible"),
    Input("bob", "gate.delegate", {**GATE, "to": "carl", "for_seconds": 600}, "committed"),
    Input("bob", "gate.defer", {**GATE, "remind_in_seconds": 600}, "committed", basis="gate"),
    Input("bob", "gate.reject", {**GATE, "reason": NASTY}, "committed", basis="gate"),
    Input("bob", "gate.reject", GATE, "gate_already_resolved", basis="gate"),
    Input("builder", "gate.open", {**GATE_TWO, "question": "Two?", "blocks_todo": ["todo_site"]}, "gate_too_weak"),
    Input("builder", "gate.open", {**GATE_TWO, "question": "Two?", "kind": "budget", "blocks_todo": ["todo_site"]}, "committed"),
    Input("bob", "gate.defer", {**GATE_TWO, "basis": STALE}, "gate_stale"),
    Input("ann", "gate.cancel", {**GATE_TWO, "reason": MANY_LINES}, "committed", basis="gate"),
    Input("ann", "gate.cancel", GATE_TWO, "gate_already_resolved", basis="gate"),
    Input("builder", "gate.withdraw", GATE_TWO, "gate_already_resolved"),
    Input("ann", "gate.open", {**GATE_ALL, "question": "All?", "decision_scope": "publish:goal:*"}, "committed"),
    Input("ann", "gate.withdraw", {**GATE_ALL, "reason": NASTY}, "committed"),
    Input("builder", "gate.open", {**LATER, "gate_id": "gate_wide", "question": "All?", "kind": "publish", "decision_scope": "publish:goal:*"}, "committed"),
    Input("ann", "gate.approve", {**LATER, "gate_id": "gate_wide"}, "committed", basis="gate"),
    Input("ann", "gate.revoke-grant", {"grant_id": "@standing", "reason": NASTY}, "committed"),
    Input("ann", "gate.revoke-grant", {"grant_id": "standing_999999"}, "standing_grant_not_found"),
    Input("builder", "plan.propose", {**PLAN, "lane": [LANE]}, "committed"),
    Input("builder", "plan.propose", {**OTHER_PLAN, "lane": [LANE, LANE]}, "lane_repeated"),
    Input("ann", "plan.confirm", {**PLAN, "basis": STALE}, "stale_basis"),
    Input("ann", "plan.confirm", PLAN, "committed", basis="plan"),
    Input("builder", "plan.propose", {**OTHER_PLAN, "lane": [{**LANE, "lane_id": "more"}]}, "committed"),
    Input("bob", "plan.reject", OTHER_PLAN, "not_an_owner"),
    Input("ann", "plan.reject", {**OTHER_PLAN, "reason": NASTY}, "committed"),
    Input("builder", "plan.propose", {**LATER, "plan_id": "plan_back", "lane": [{**LANE, "lane_id": "most"}]}, "committed"),
    Input("helper", "plan.withdraw", {**LATER, "plan_id": "plan_back"}, "not_the_proposer"),
    Input("builder", "plan.withdraw", {**LATER, "plan_id": "plan_back"}, "committed"),
    Input("builder", "amendment.submit", {**CHANGE, "amendment_class": "shared_work_graph", "why": NASTY, "operation": [{"op": "reprioritise", "todo_id": "todo_links", "priority": "P0"}], "rebase_todo": ["todo_links"]}, "committed"),
    Input("builder", "amendment.submit", {**CHANGE, "amendment_class": "lane_route", "why": "x", "operation": [{"op": "cancel", "todo_id": "todo_none"}]}, "amendment_exists"),
    Input("helper", "amendment.commit", {**CHANGE, "basis": STALE}, "stale_basis"),
    Input("helper", "amendment.commit", CHANGE, "committed", basis="amendment"),
    Input("builder", "amendment.adopt", {**CHANGE, "todo_id": "todo_none"}, "nothing_to_adopt"),
    Input("builder", "amendment.adopt", {**CHANGE, "todo_id": "todo_links"}, "committed"),
    Input("builder", "amendment.submit", {**OTHER_CHANGE, "amendment_class": "lane_route", "why": MANY_LINES, "operation": [{"op": "reprioritise", "todo_id": "todo_pages", "priority": "P1"}]}, "committed"),
    Input("ann", "todo.update", {**PAGES, "priority": "P3"}, "committed"),
    Input("builder", "amendment.rebase", OTHER_CHANGE, "committed"),
    Input("helper", "amendment.rebase", OTHER_CHANGE, "not_the_proposer"),
    Input("ann", "amendment.reject", {**OTHER_CHANGE, "reason": NASTY}, "committed"),
    Input("builder", "amendment.withdraw", OTHER_CHANGE, "amendment_decided"),
    Input("builder", "amendment.submit", {**LATER, "amendment_id": "amend_back", "amendment_class": "lane_route", "why": "x", "operation": [{"op": "reprioritise", "todo_id": "todo_pages", "priority": "P1"}]}, "committed"),
    Input("builder", "amendment.withdraw", {**LATER, "amendment_id": "amend_back"}, "committed"),
    Input("builder", "request.send", {**ASK, **BRIEF, "to": "helper", "context": NASTY}, "committed"),
    Input("builder", "request.send", {**OTHER_ASK, **BRIEF, "to": "nobody"}, "receiver_not_registered"),
    Input("helper", "request.receive", ASK, "committed"),
    Input("builder", "request.receive", ASK, "request_not_yours"),
    Input("helper", "request.respond", {**ASK, "decision": "adopt", "reason": NASTY}, "committed"),
    Input("builder", "request.respond", {**ASK, "decision": "reject"}, "request_not_yours"),
    Input("helper", "request.commit", {**ASK, "text": NASTY}, "committed"),
    Input("builder", "request.commit", {**ASK, "text": "x"}, "request_not_yours"),
    Input("helper", "request.return", {**ASK, "artifact": ["@artifact"], "summary": "x"}, "request_work_open"),
    Input("builder", "request.send", {**THIRD_ASK, **BRIEF, "to": "helper"}, "committed"),
    Input("helper", "request.respond", {**THIRD_ASK, "decision": "adopt"}, "committed"),
    Input("helper", "artifact.submit", {**LATER, "label": "found", "sha256": sha256("d"), "size_bytes": 1}, "committed"),
    Input("helper", "request.return", {**THIRD_ASK, "artifact": ["@artifact"], "summary": MANY_LINES}, "committed"),
    Input("helper", "request.acknowledge", THIRD_ASK, "request_not_yours"),
    Input("builder", "request.acknowledge", THIRD_ASK, "committed"),
    Input("builder", "request.send", {**OTHER_ASK, **BRIEF, "to": "helper"}, "committed"),
    Input("helper", "request.withdraw", OTHER_ASK, "request_not_yours"),
    Input("builder", "request.withdraw", {**OTHER_ASK, "reason": NASTY}, "committed"),
    Input("ann", "member.add", {"member_id": "dreamer", "kind": "agent", "display_name": "D", "profile_role": "dreaming_proposer"}, "committed"),
    Input("ann", "member.profile", {"member_id": "builder", "scope_summary": NASTY, "preferred_action_kind": ["check"]}, "committed"),
    Input("builder", "member.profile", {"member_id": "helper", "scope_summary": "x"}, "not_an_owner"),
    Input("ann", "member.grant", {**GRANT, "reason": NASTY}, "committed"),
    Input("bob", "member.grant", GRANT, "not_an_owner"),
    Input("ann", "member.revoke-grant", {"grant_id": "@grant", "reason": NASTY}, "committed"),
    Input("ann", "member.revoke-grant", {"grant_id": "grant_999999"}, "grant_not_found"),
    Input("ann", "member.pair", {"member_id": "carl", "code_digest": sha256("carl")}, "committed"),
    Input("ann", "member.pair", {"member_id": "builder", "code_digest": sha256("x")}, "not_a_person"),
    Input("ann", "token.issue", {"member_id": "carl", "secret_digest": sha256("t1")}, "committed"),
    Input("ann", "token.issue", {"member_id": "nobody", "secret_digest": sha256("t2")}, "member_not_found"),
    Input("ann", "token.rotate", {"token_id": "@token", "secret_digest": sha256("t3"), "grace_seconds": 60}, "committed"),
    Input("ann", "token.rotate", {"token_id": "tok_999999", "secret_digest": sha256("t4")}, "token_not_found"),
    Input("ann", "token.revoke", {"token_id": "@token"}, "committed"),
    Input("ann", "token.revoke", {"token_id": "tok_999999"}, "token_not_found"),
    Input("ann", "words.erase", {"seq": [2], "reason_code": "personal_data"}, "committed"),
    Input("ann", "words.erase", {"seq": [999_999], "reason_code": "personal_data"}, "event_not_found"),
    Input("ann", "member.revoke", {"member_id": "carl"}, "committed"),
    Input("ann", "member.revoke", {"member_id": "nobody"}, "member_not_found"),
)  # fmt: skip

LIFE = (
    Input("ann", "goal.propose", {**WHOLE, "objective": "Whole", "criterion": ["It works"], "review": "owner", "write_scope": ["**"]}, "committed"),
    Input("ann", "goal.clarify", {**WHOLE, "question": "Which?", "answer": "That"}, "question_or_answer"),
    Input("ann", "goal.confirm", WHOLE, "committed", basis="confirm"),
    Input("ann", "goal.propose", {"goal_id": "not-now", "objective": "Not now", "criterion": ["x"]}, "committed"),
    Input("ann", "goal.decline", {"goal_id": "not-now", "reason": NASTY}, "committed", basis="confirm"),
    Input("ann", "goal.stop", {"goal_id": "not-now"}, "goal_state_forbids", basis="state"),
    Input("ann", "todo.add", {**PART, "text": "A part", "depends_on": ["todo_none"]}, "dependency_not_found"),
    Input("ann", "todo.add", {**PART, "text": "A part"}, "committed"),
    Input("ann", "todo.update", {**WHOLE, "todo_id": "todo_none", "note": "x"}, "todo_not_found"),
    Input("ann", "todo.cancel", {**WHOLE, "todo_id": "todo_none"}, "todo_not_found"),
    Input("builder", "task-lease.acquire", {**PART, "idempotency_key": "run/1"}, "committed"),
    Input("builder", "task-lease.renew", {**PART, "idempotency_key": "run/1", "expected_version": 1}, "committed"),
    Input("builder", "artifact.submit", {**WHOLE, "todo_id": "todo_none", "label": "x", "sha256": sha256("e"), "size_bytes": 1}, "todo_not_found"),
    Input("builder", "artifact.submit", {**PART, "label": NASTY, "sha256": sha256("e"), "size_bytes": 1}, "committed"),
    Input("builder", "todo.complete", {**PART, "evidence": ["@result"], "note": NASTY, "task_lease_idempotency_key": "run/1", "task_lease_expected_version": 2}, "committed"),
    Input("builder", "run.report", {**WHOLE, "todo_id": "todo_none", "turn_instance_id": "t/1", "delivery_outcome": "surface_only"}, "todo_not_found"),
    Input("builder", "run.report", {**PART, "turn_instance_id": "t/1", "delivery_outcome": "outcome_progress", "evidence": ["@result"], "summary": NASTY}, "committed"),
    Input("builder", "quota.spend-slot", {**PART, "turn_instance_id": "t/1"}, "committed"),
    Input("builder", "quota.void-slot", {**WHOLE, "spend_id": "@spend", "reason": NASTY}, "committed"),
    Input("builder", "goal.deliver", {**WHOLE, "summary": MANY_LINES}, "committed"),
    Input("ann", "goal.request-changes", {**WHOLE, "reason": "More"}, "committed", basis="accept"),
    Input("ann", "todo.add", {**MORE, "text": "More"}, "committed"),
    Input("builder", "todo.claim", MORE, "committed"),
    Input("builder", "artifact.submit", {**MORE, "label": "more", "sha256": sha256("f"), "size_bytes": 1}, "committed"),
    Input("builder", "todo.complete", {**MORE, "evidence": ["@result"]}, "committed"),
    Input("builder", "goal.deliver", {**WHOLE, "summary": "All"}, "committed"),
    Input("ann", "goal.accept", WHOLE, "committed", basis="accept"),
    Input("helper", "run.report", {**PAGES, "turn_instance_id": "t/2", "delivery_outcome": "surface_only"}, "committed"),
    Input("helper", "run.report", {**PAGES, "turn_instance_id": "t/3", "delivery_outcome": "surface_only"}, "committed"),
    Input("helper", "run.replan", {**LATER, "summary": MANY_LINES}, "committed"),
    Input("ann", "amendment.reject", {**CHANGE, "reason": "x"}, "amendment_decided"),
    Input("ann", "member.profile", {"member_id": "helper", "profile_role": "dreaming_proposer"}, "committed"),
    Input("helper", "todo.add", {**IDEA, "text": NASTY}, "committed"),
    Input("helper", "todo.add", {**OTHER_IDEA, "text": "Other"}, "committed"),
    Input("ann", "todo.admit", IDEA, "committed"),
    Input("bob", "todo.admit", OTHER_IDEA, "proposal_needs_owner"),
    Input("ann", "todo.decline", {**OTHER_IDEA, "reason": NASTY}, "committed"),
    Input("ann", "todo.decline", {**LATER, "todo_id": "todo_none"}, "todo_not_found"),
    Input("ann", "button-key.rotate", {"grace_seconds": -1}, "malformed_params"),
)  # fmt: skip

INPUTS = (*FIRST, *FAMILIES, *LIFE)
