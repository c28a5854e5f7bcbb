"""One-time codes: a yes that needs more than a button, from the enrolment to the last try."""

import json

import pyotp
import pytest

from daemon.buttons import ButtonKeys, audience_of
from daemon.codes import STEP_S, TRIES_MAX, TRIES_WINDOW_MS
from ledger.catalogue import ACTIONS
from ledger.ids import OPERATOR
from ledger.store.memory import Records
from tests.support.homes import CHAT, TENANT, activate, pair
from tests.support.presses import Table, everybody
from tests.support.served import HandClock, home_in_memory, served, serving

SLOT = "gate:docs:gate_site:1"
GATE = {"goal_id": "docs", "gate_id": "gate_site"}
ASKED = GATE | {"question": "May the pages be published?", "severity": "critical"}


def asked(scribe):
    """A gate of the highest severity, which Ann and Chen decide together."""
    everybody(scribe)
    activate(scribe)
    scribe.do(OPERATOR, "member.add", member_id="dora", kind="person", display_name="Dora Roy")
    pair(scribe, "dora")
    scribe.do("builder", "gate.open", **ASKED, approver=("ann", "chen"), quorum=2, blocks_goal=True)


async def enrolled(daemon, who="ann"):
    """What the authenticator of somebody was given."""
    answer = await daemon.act("member.enrol-code", {"member_id": who}, who="ann")
    assert answer.status == 200, answer.document
    return pyotp.parse_uri(answer.document["secret"])


async def another_gate(daemon):
    """A second question of the same gravity."""
    more = {"gate_id": "gate_two", "blocks_goal": True, "approver": ["ann", "chen"]}
    await daemon.do("gate.open", ASKED | more, who="builder")


def code_at(daemon, otp, steps=0):
    """What it shows now, or so many steps from now."""
    return otp.generate_otp(daemon.service.clock.now_ms() // 1_000 // STEP_S + steps)


def wrong_at(daemon, otp):
    """Six digits that are of no step about now."""
    near = {code_at(daemon, otp, steps) for steps in range(-3, 4)}
    return next(text for text in (f"{number:06d}" for number in range(10)) if text not in near)


async def press(daemon, who="ann", **form):
    table = Table(daemon)
    return await table.press(who, await table.token(SLOT, "gate.approve"), form)


async def basis(daemon):
    return (await daemon.read("gate.show", "?goal_id=docs&gate_id=gate_site")).document["basis"]


def stored(daemon):
    """Everything that the ledger keeps, as bytes."""
    events = b"".join(row.body + (row.words or b"") for row in daemon.store.events(0))
    return events + b"".join(row.body for row in daemon.store.refusals(0))


async def test_a_code_and_a_press_are_a_yes_whose_proof_says_so():
    async with served(asked) as daemon:
        otp = await enrolled(daemon)
        code = code_at(daemon, otp)
        pressed = await press(daemon, code=code)
        assert (pressed.kinds, pressed.en) == (["gate.vote_recorded"], "Your yes was recorded: 1 of 2.")
        proof = json.loads(list(daemon.store.events(0))[-1].body)["proof"]
        assert proof["code_step"] == daemon.service.clock.now_ms() // 1_000 // STEP_S
        assert (proof["kind"], proof["relayed_by"]) == ("lark", "bot")
        rows = (await daemon.read("history.list", "?goal_id=docs&limit=50")).document["events"]
        told = [row["proof"]["stepped_up"] for row in rows if row["kind"] == "gate.vote_recorded"]
        assert told == [True]
        assert code.encode() not in stored(daemon)
        assert code not in json.dumps(pressed.document)


async def test_a_plain_press_is_not_enough_even_for_whoever_is_enrolled():
    async with served(asked) as daemon:
        await enrolled(daemon)
        before = daemon.seq
        pressed = await press(daemon)
        assert (pressed.code, daemon.seq) == ("step_up_required", before)
        assert "one-time code" in pressed.en
        assert "一次性验证码" in pressed.zh


async def test_whoever_is_not_enrolled_is_told_how_to_be():
    async with served(asked) as daemon:
        pressed = await press(daemon, "chen", code="123456")
        assert pressed.code == "step_up_not_enrolled"
        assert "frontstage member enrol-code --member-id chen" in pressed.en
        assert "frontstage member enrol-code --member-id chen" in pressed.zh


@pytest.mark.parametrize(("steps", "code"), [(-2, "step_up_wrong"), (-1, ""), (0, ""), (1, ""), (2, "step_up_wrong")])
async def test_two_clocks_may_be_one_step_apart_and_no_more(steps, code):
    async with served(asked) as daemon:
        otp = await enrolled(daemon)
        assert (await press(daemon, code=code_at(daemon, otp, steps))).code == code


async def test_a_code_is_read_as_people_type_it():
    async with served(asked) as daemon:
        otp = await enrolled(daemon)
        code = code_at(daemon, otp)
        wide = "".join(chr(ord(sign) + 0xFEE0) for sign in code)
        assert (await press(daemon, code=f" {wide[:3]} {wide[3:]} ")).code == ""


async def test_each_step_counts_once_for_a_person_and_a_later_one_counts_again():
    async with served(asked) as daemon:
        await another_gate(daemon)
        otp = await enrolled(daemon)
        code = code_at(daemon, otp)
        assert (await press(daemon, code=code)).code == ""
        table = Table(daemon)
        token = await table.token("gate:docs:gate_two:1", "gate.approve")
        again = await table.press("ann", token, {"code": code})
        assert (again.code, again.kinds) == ("step_up_used", [])
        assert "next code" in again.en
        # A step before the one that counted is past as well.
        assert (await table.press("ann", token, {"code": code_at(daemon, otp, -1)})).code == "step_up_used"
        daemon.clock.advance(STEP_S * 1_000)
        assert (await table.press("ann", token, {"code": code_at(daemon, otp)})).code == ""


async def test_the_same_press_again_is_answered_and_not_counted_again():
    async with served(asked) as daemon:
        otp = await enrolled(daemon)
        table, code = Table(daemon), code_at(daemon, otp)
        token = await table.token(SLOT, "gate.approve")
        await table.press("ann", token, {"code": code})
        before = daemon.seq
        again = await table.press("ann", token, {"code": code})
        assert (again.replayed, again.code, daemon.seq) == (True, "", before)


async def test_the_same_press_with_the_next_code_is_the_same_press():
    async with served(asked) as daemon:
        otp = await enrolled(daemon)
        table = Table(daemon)
        token = await table.token(SLOT, "gate.approve")
        await table.press("ann", token, {"code": code_at(daemon, otp)})
        again = await table.press("ann", token, {"code": code_at(daemon, otp, 1)})
        assert (again.replayed, again.code) == (True, "")


async def test_a_used_step_stays_used_when_the_daemon_starts_anew():
    records = Records()
    with home_in_memory(records, asked) as (made, now_ms):
        clock = HandClock(now_ms)
        async with serving(made, records, clock) as daemon:
            otp = await enrolled(daemon)
            code = code_at(daemon, otp)
            assert (await press(daemon, code=code)).code == ""
            await another_gate(daemon)
        async with serving(made, records, clock) as daemon:
            table = Table(daemon)
            token = await table.token("gate:docs:gate_two:1", "gate.approve")
            assert (await table.press("ann", token, {"code": code})).code == "step_up_used"


async def test_after_a_few_wrong_tries_not_even_a_good_code_is_looked_at_for_a_while():
    async with served(asked) as daemon:
        anns, chens = await enrolled(daemon), await enrolled(daemon, "chen")
        wrong = wrong_at(daemon, anns)
        codes = [(await press(daemon, code=wrong)).code for _ in range(TRIES_MAX)]
        assert codes == ["step_up_wrong"] * TRIES_MAX
        good = await press(daemon, code=code_at(daemon, anns))
        assert (good.code, good.kinds) == ("step_up_wait", [])
        assert "Wait 600 seconds" in good.en
        # Whoever guesses keeps nobody else waiting.
        assert (await press(daemon, "chen", code=code_at(daemon, chens))).code == ""
        daemon.clock.advance(TRIES_WINDOW_MS)
        assert (await press(daemon, code=code_at(daemon, anns))).code == ""
        audited = {row["code"] for row in daemon.audited()}
        assert {"step_up_wrong", "step_up_wait"} <= audited
        assert wrong.encode() not in stored(daemon)


async def test_a_code_is_kept_for_no_form_to_be_filled_in_with():
    async with served(asked) as daemon:
        otp = await enrolled(daemon)
        wrong = wrong_at(daemon, otp)
        await press(daemon, code=wrong)
        table = Table(daemon)
        refused = await table.press("vic", await table.token(SLOT, "gate.reject"), {"reason": "No", "code": wrong})
        assert refused.code == "not_an_approver"
        for place in ("oc_tests", "direct:ann", "direct:vic"):
            view = await daemon.view(f"{SLOT}@{place}")
            assert wrong not in json.dumps(view["typed"])
        assert [one["values"] for one in view["typed"]] == [{"reason": "No"}]


async def test_enrolling_again_ends_the_codes_of_before():
    async with served(asked) as daemon:
        old = await enrolled(daemon)
        new = await enrolled(daemon)
        assert old.secret != new.secret
        assert (await press(daemon, code=code_at(daemon, old))).code == "step_up_wrong"
        assert (await press(daemon, code=code_at(daemon, new))).code == ""


async def test_a_code_is_for_one_person_alone():
    async with served(asked) as daemon:
        await enrolled(daemon)
        chens = await enrolled(daemon, "chen")
        assert (await press(daemon, "ann", code=code_at(daemon, chens))).code == "step_up_wrong"


async def test_in_a_shell_a_code_is_taken_the_same_way_and_stands_in_no_answer():
    async with served(asked) as daemon:
        otp = await enrolled(daemon)
        wrong = await daemon.act("gate.approve", GATE | {"basis": await basis(daemon), "code": wrong_at(daemon, otp)})
        assert wrong.code == "step_up_wrong"
        code = code_at(daemon, otp)
        done = await daemon.act("gate.approve", GATE | {"basis": await basis(daemon), "code": code}, key="one")
        assert (done.status, code in json.dumps(done.document)) == (200, False)
        assert "--code" not in done.document["cli"]
        assert json.loads(list(daemon.store.events(0))[-1].body)["proof"]["code_step"]
        again = await daemon.act("gate.approve", GATE | {"basis": await basis(daemon), "code": code}, key="one")
        assert again.document["replayed"] is True


async def test_a_batch_takes_a_code_as_well():
    async with served(asked) as daemon:
        otp = await enrolled(daemon)
        one = {"action": "gate.approve", "request_key": "b1"}
        params = GATE | {"basis": await basis(daemon), "code": wrong_at(daemon, otp)}
        body = json.dumps({"actions": [one | {"params": params}]}).encode()
        answer = await daemon.ask("POST", "/v1/batch", body=body)
        assert answer.document["answers"][0]["code"] == "step_up_wrong", answer.document


async def test_the_secret_is_shown_to_whoever_enrols_and_is_nowhere_else():
    async with served(asked) as daemon:
        answer = await daemon.act("member.enrol-code", {"member_id": "ann"}, accept="text/plain")
        text = answer.body.decode()
        assert "▄" in text
        uri = next(line for line in text.splitlines() if line.startswith("secret: ")).removeprefix("secret: ")
        secret = pyotp.parse_uri(uri).secret
        assert uri.startswith("otpauth://totp/Docs%20team:ann?")
        assert secret.encode() not in stored(daemon)
        key = (daemon.made.path / "step-up.key").read_text().strip()
        assert key.encode() not in stored(daemon)
        assert (daemon.made.path / "step-up.key").stat().st_mode & 0o777 == 0o600


async def test_a_relayed_press_is_told_no_secret_and_the_journal_keeps_none():
    async with served(asked) as daemon:
        keys = ButtonKeys(bytes.fromhex((daemon.made.path / "button.key").read_text().strip()))
        token = keys.mint(
            daemon.service.committed.button_key_id,
            action=ACTIONS["member.enrol-code"],
            subject="goal:docs",
            basis=None,
            audience=audience_of(TENANT, CHAT),
            expires_at_ms=daemon.service.clock.now_ms() + 60_000,
        )
        pressed = await Table(daemon).press("ann", token, {"member_id": "ann"})
        assert pressed.kinds == ["member.code_enrolled"]
        assert "otpauth" not in json.dumps(pressed.document)


@pytest.mark.parametrize(
    ("who", "member", "code"),
    [("bob", "bob", "not_permitted"), ("builder", "ann", "not_permitted"), ("ann", "builder", "not_a_person"),
     ("ann", "rex", "member_revoked"), ("ann", "nobody", "member_not_found")],
)  # fmt: skip
async def test_only_an_owner_enrols_and_only_people_are_enrolled(who, member, code):
    async with served(asked) as daemon:
        before = daemon.seq
        answer = await daemon.act("member.enrol-code", {"member_id": member}, who=who)
        assert (answer.code, daemon.seq) == (code, before)
        assert "secret" not in answer.document


async def test_a_gate_that_a_button_is_enough_for_takes_a_yes_without_a_code():
    def plain(scribe):
        everybody(scribe)
        activate(scribe)
        scribe.do("builder", "gate.open", **(ASKED | {"severity": "normal"}), approver=("ann",), blocks_goal=True)

    async with served(plain) as daemon:
        assert (await press(daemon)).code == ""
