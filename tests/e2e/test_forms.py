"""A goal's whole way by forms in a chat with real processes: what is refused comes back, and every no says why."""

import json

import pytest
import pytest_asyncio

from tests.e2e.people import CRITERIA, SCOPES, everybody
from tests.e2e.world import has_button

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]
APPROVERS, BUDGET = "Who may approve", "Budget (optional)"
OWN_WORDS = "Or in your own words; what is typed here counts"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(tmp_path_factory):
    async with everybody(tmp_path_factory.mktemp("forms")) as found:
        yield found


def says(*words):
    """Whether a card says all of this."""
    return lambda one: all(word in json.dumps(one, ensure_ascii=False) for word in words)


async def pressed(room, who, message, label, inputs=None, *, confirm=False, kind="success"):
    """Press, and be told that it was done."""
    answer = await room.stack.press(who, message, label, inputs, confirm=confirm)
    assert answer["toast"]["type"] == kind, answer
    return answer["toast"]["content"]


async def test_a_goal_goes_its_whole_way_by_forms(room):
    goal_id, review = await room.proposed()
    direct, bos = await room.direct("ann"), await room.direct("bo")

    # Clarify: one question, with suggestions that only fill in the answer.
    await room.act("goal.clarify", goal_id=goal_id, question="Which folder?", option=["docs", "site"])
    asked = await room.card(goal_id, "Goal", also=has_button("Send answer"))
    await pressed(room, "ann", asked, "Send answer", {OWN_WORDS: "docs and site"})

    # Revise: the form comes directly, filled with what holds now.
    review = await room.card(goal_id, "Proposal", also=has_button("Confirm"))
    await pressed(room, "ann", review, "Revise…", kind="info")
    form = await room.stack.see("ann", direct, has_button("Submit revision"), "the form that revises")
    kept = {one["label"]: one["value"] for one in form["card"]["inputs"]}
    assert kept[CRITERIA] == "It works"
    refused = await room.stack.press("ann", form, "Submit revision", {SCOPES: "../secret"})
    assert refused["toast"]["type"] == "warning"
    again = await room.stack.see(
        "ann", direct, lambda one: has_button("Submit revision")(one) and says("Not submitted")(one), "what was wrong"
    )
    await pressed(room, "ann", again, "Submit revision", {SCOPES: "docs/**", CRITERIA: "It works\nIt is fast"})

    # Decline with a reason; the proposer is told, and what the other one typed too late is not lost.
    second = await room.card(goal_id, "Proposal", also=says("Changed since revision 1", "Confirm"))
    as_bo = await room.seen_by("bo", second)
    assert says("It is fast")(as_bo)
    await pressed(room, "bo", second, "拒绝", {"拒绝理由（选填）": "太早了"}, confirm=True)
    await room.stack.see("ann", direct, says("Decision on revision 2", "太早了"), "the decision")
    shared = await room.card(goal_id, "Proposal", also=says("Declined by", "太早了"))
    assert shared["message_id"] == second["message_id"]

    # Propose again, with an approver; the answer too late comes back as not sent.
    goal_id = await room.confirmed()
    card = await room.delivered(goal_id)
    back = await room.stack.press("bo", card, "要求修改", {"需要修改什么": "还要检查锚点"})
    assert back["toast"]["type"] == "success", back
    await room.stack.see("ann", direct, says("Decision on delivery 1", "还要检查锚点"), "that changes are wanted")
    again = await room.delivered(goal_id, "Anchors too.")
    await pressed(room, "ann", again, "Accept")
    done = await room.card(goal_id, "Goal", also=says("Accepted by Ann Lee"))
    assert says("Accepted")(done)
    assert bos != direct


async def test_a_no_that_came_too_late_is_shown_to_its_writer_alone(room):
    goal_id, review = await room.proposed()
    await room.stack.control(
        "faults", {"api": "messages.patch", "kind": "code", "code": 99991400, "status": 429, "count": 500}
    )
    await pressed(room, "ann", review, "Confirm")
    late = await room.stack.press("bo", review, "拒绝", {"拒绝理由（选填）": "请等一等"}, confirm=True)
    assert late["toast"]["type"] == "warning"
    assert "私聊" in late["toast"]["content"]
    await room.stack.control("faults", method="DELETE")
    bos = await room.direct("bo")
    await room.stack.see("bo", bos, says("已无法提交", "请等一等"), "what was not sent")
    closed = await room.card(goal_id, "Proposal", also=says("Confirmed by Ann Lee"))
    assert not says("请等一等")(closed)


async def test_a_proposal_with_an_approver_from_the_group(room):
    form = await room.form()
    approver = next(one for one in form["card"]["inputs"] if one["label"] == APPROVERS)
    assert approver["kind"] == "people"
    answer = await room.stack.press(
        "ann", form, "Submit", {CRITERIA: "It works", BUDGET: "little", "Who may approve": ["Sam Stranger", "陈博"]}
    )
    assert (answer["toast"]["type"], "paired" in answer["toast"]["content"]) == ("warning", True)
    direct = await room.direct("ann")
    again = await room.stack.see(
        "ann", direct, lambda one: has_button("Submit")(one) and says("little")(one), "the form"
    )
    kept = next(one for one in again["card"]["inputs"] if one["label"] == APPROVERS)
    assert "陈博" in kept["options"]
    await pressed(room, "ann", again, "Submit", {APPROVERS: ["陈博"]})
    listed = (await room.stack.cli("goal", "list", "--limit", "200"))["goals"]
    goal_id = max((one["goal_id"] for one in listed), key=lambda name: int(name.rpartition("-")[2]))
    shown = await room.stack.cli("goal", "show", "--goal-id", goal_id)
    assert next(one for one in shown["review"]["fields"] if one["name"] == "approvers")["items"] == ["陈博"]
