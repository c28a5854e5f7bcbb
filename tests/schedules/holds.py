"""What has to hold when the faults have stopped and time has flowed: read from the ledger, the platform and the chat.

None of it asks the bot. The ledger says what was done, the platform what is shown, and the note of the stage which seq
each version of a message was drawn of.
"""

import re
from collections import Counter, defaultdict

import msgspec
import orjson

from bot.steps import PATCH_AGE_MS_MAX
from cards.draw import draw, encode
from daemon.relay import missed
from daemon.relay.people import home_tenant, lark_proof
from daemon.relay.slots import addressee, desired, split
from ledger.codec import decode_body
from ledger.verify import verify

_TOKEN = re.compile(rb'"t":"[^"]*"')


def faults_of(stage, people):
    """Every way in which this schedule ended wrong, in words; nothing when all is well."""
    found = []
    for check in (
        _one_effect_for_each_press,
        _one_answer_for_each_message,
        _each_card_is_true,
        _no_older_version_after_a_newer_one,
        _no_message_is_doubled,
        _the_ledger_is_whole,
    ):
        found.extend(check(stage, people))
    return found


def _effects(stage):
    """The moments at which each event of the platform had an effect in the ledger."""
    made = defaultdict(set)
    for row in stage.daemon.records.events:
        body = decode_body(row.body)
        # That a chat is there again is found out by whatever comes from it, and is nothing that was asked for.
        if body.proof.kind == "lark" and body.kind != "channel.found":
            made[body.proof.reference].add((body.proof.reference[:8], body.at_ms))
    return made


def _one_effect_for_each_press(stage, _people):
    effects, intents = _effects(stage), defaultdict(set)
    answers = defaultdict(set)
    for body, document in stage.daemon.presses:
        reference = lark_proof(body["event_id"]).reference
        intents[body["token"], body["operator"]["open_id"]].add(reference)
        envelope = document["envelope"]
        outcome = tuple(event["seq"] for event in envelope.get("events", ())) or envelope.get("code")
        if envelope.get("code") not in ("busy", "fault", "shutting_down", "storage_full"):
            answers[body["event_id"]].add(outcome)
    for event_id, outcomes in answers.items():
        if len(outcomes) > 1:
            yield f"event {event_id[:8]} was answered in several ways: {outcomes}"
    for (_, operator), references in intents.items():
        done = set().union(*(effects[reference] for reference in references if reference in effects))
        if len(done) > 1:
            yield f"one press of {operator[:9]} was done {len(done)} times: {done}"


def _one_answer_for_each_message(stage, people):
    settled = {
        one.body["event"]["message"]["message_id"]: one.outcomes[-1:] == ["acked"]
        for one in stage.platform.wire.log
        if one.event_type == "im.message.receive_v1"
    }
    answers = defaultdict(list)
    for one in stage.platform.world.messages.values():
        if one.from_app and one.parent_id:
            answers[one.parent_id].append(one)
    for message in people.wrote:
        got = [one for one in answers[message.message_id] if one.message_id not in stage.replaced]
        taken = any(one.recalled for one in got)
        if len(got) > 1 and not taken and not _was_run_from_a_missed_card(stage, got):
            yield f"a message was answered {len(got)} times: {message.content}"
        if not settled.get(message.message_id) or got or stage.was_out_at(message.created_ms):
            continue
        if not _is_on_a_shared_card(stage, message):
            yield f"a message was acknowledged and not answered: {message.content}"


def _was_run_from_a_missed_card(stage, got):
    """A late message is shown and not run; whoever presses runs it, and what is opened then answers it as well.

    It is a press on that very card which has opened that very answer, and the answer did not stand there before.
    """
    late = [one for one in got if stage.shown[one.message_id] and stage.shown[one.message_id][0][0].missed]
    run = [one for one in got if one not in late]
    if (len(late), len(run)) != (1, 1) or not stage.shown[run[0].message_id]:
        return False
    records = {row.message_id: row.slot for row in stage.daemon.life.deliveries.all()}
    slots = [records.get(one.message_id) for one in (*late, *run)]
    _, shown_s = stage.shown[run[0].message_id][0]
    return any(
        document["envelope"].get("ok")
        and document["slots"] == slots
        and stage.daemon.pressed_s[body["event_id"]] <= shown_s
        for body, document in stage.daemon.presses
    )


def _is_on_a_shared_card(stage, message):
    """Late messages of one place share one card, which answers the first: whether a chat was shown this one there.

    Two that say the same at the same moment look alike; then there are as many such rows as there are messages.
    """
    records = {row.slot: row.message_id for row in stage.daemon.life.deliveries.all()}
    on_card = defaultdict(dict)
    for body, document in stage.daemon.messages:
        slot = (document.get("reply") or {}).get("slot", "")
        if slot.startswith(f"{missed.KIND}:"):
            on_card[slot][body["message_id"]] = (body["text"], body["create_time_ms"])
    for slot, written in on_card.items():
        if message.message_id not in written or split(slot)[0] == f"{missed.KIND}:{message.message_id}":
            continue
        this = written[message.message_id]
        alike = list(written.values()).count(this)
        for view, _ in stage.shown[records.get(slot)]:
            if [(row.text, row.at_ms) for row in view.missed.rows].count(this) >= alike:
                return True
    return False


def _wanted(stage):
    """Every slot that is listed or was delivered, with its view now, and what is on record of it."""
    life = stage.daemon.life
    workspace, now_ms = life.service.committed, life.service.clock.now_ms()
    tenant = home_tenant(workspace)
    records = {row.slot: row for row in life.deliveries.all()}
    for slot in dict.fromkeys((*(one.name for one in desired(workspace, now_ms)), *records)):
        view = life.views.view(slot, tenant)
        if view is not None:
            yield slot, view, records.get(slot)


def _each_card_is_true(stage, _people):
    for slot, view, record in _wanted(stage):
        if record is None or not record.message_id:
            if record is not None and record.state == "text":
                continue
            if (view.open or view.tells) and _is_listed(stage, slot):
                yield f"{slot} is wanted and there is no message: {record}"
            continue
        message = stage.platform.world.messages[record.message_id]
        if record.state in ("posting", "reposting", "paused"):
            yield f"{slot} is {record.state} at the end"
        if record.state in ("text", "gone"):
            continue
        if message.recalled:
            if view.open:
                yield f"{slot} is still wanted and its message was taken away: {record}"
            continue
        if stage.clock.now_ms() - message.created_ms >= PATCH_AGE_MS_MAX or _shows(stage, view, message):
            continue
        forgotten = _with_forgotten_draft(stage, slot, view, message)
        if forgotten is None or not _shows(stage, forgotten, message):
            yield f"{slot} shows something else than the ledger says: {record}"


def _shows(stage, view, message):
    card = encode(draw(view, locale="en", now_ms=stage.clock.now_ms()))
    return _bare(card) == _bare(orjson.dumps(message.content))


def _with_forgotten_draft(stage, slot, view, message):
    """The view as it is now, but for what one person typed before the daemon was killed; None if there is no such.

    A draft lives in memory. The card goes on showing it, for what somebody typed is not wiped, until something happens
    to its goal or to the card. All but the draft is as it is now; in a place that others read no draft was ever shown.
    """
    older, shown_s = stage.shown[message.message_id][-1]
    if addressee(split(slot)[1]) is None or shown_s >= stage.daemon.life.began_s or older.kind != view.kind:
        return None
    if view.revise is None or older.revise is None:
        return msgspec.structs.replace(view, typed=older.typed) if older.typed and not view.typed else None
    now, then = view.revise, older.revise
    if not (now.open and then.open) or now.problem_code is not None or then.problem_code is None:
        return None
    typed = {name: getattr(then, name) for name in ("values", "problem_code", "problem_details")}
    left = tuple(name for name in now.left_as_they_are if not then.values.get(name, "").strip())
    return msgspec.structs.replace(view, revise=msgspec.structs.replace(now, left_as_they_are=left, **typed))


def _is_listed(stage, slot):
    life = stage.daemon.life
    return any(one.name == slot for one in desired(life.service.committed, life.service.clock.now_ms()))


def _bare(card):
    """A card without its tokens, whose end moves on from day to day."""
    return orjson.dumps(
        orjson.loads(_TOKEN.sub(b'"t":""', orjson.dumps(orjson.loads(card)))), option=orjson.OPT_SORT_KEYS
    )


def _no_older_version_after_a_newer_one(stage, _people):
    for message_id, seqs in stage.versions.items():
        if seqs != sorted(seqs):
            yield f"{message_id[:9]} showed an older version after a newer one: {seqs}"


def _no_message_is_doubled(stage, _people):
    on_record = Counter(row.message_id for row in stage.daemon.life.deliveries.all() if row.message_id)
    for message_id, times in on_record.items():
        if times > 1:
            yield f"{message_id[:9]} is on record for {times} cards"
    known = {*on_record, *stage.replaced, *stage.unacknowledged}
    for message in stage.platform.bots_cards():
        if message.message_id not in known:
            yield f"{message.message_id[:9]} ({stage.subject_of(message)}) belongs to no card any more"


def _the_ledger_is_whole(stage, _people):
    store = stage.daemon.life.store
    report = verify(store.events(0), receipts=store.receipts(), refusals=store.refusals(0))
    if not report.holds:
        yield f"the ledger does not hold: {report}"
    if stage.daemon.life.fatal:
        yield f"the daemon broke: {stage.daemon.life.fatal}"
