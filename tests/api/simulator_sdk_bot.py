"""A bot on an unmodified SDK, run as a program: it says on stdout, one JSON line each, what it did and heard.

`python simulator_sdk_bot.py PACKAGE BASE_URL APP_ID APP_SECRET CHAT_ID`, with PACKAGE `lark_oapi` or `lark_channel`.
It sends, replies to and patches messages, then serves the long connection; what a press does is in its token.
"""

import importlib
import json
import sys

PACKAGE, BASE_URL, APP_ID, APP_SECRET, CHAT_ID = sys.argv[1:]
sdk = importlib.import_module(PACKAGE)


def model(name):
    module = importlib.import_module(f"{PACKAGE}.api.im.v1.model.{name}")
    return getattr(module, "".join(part.title() for part in name.split("_"))).builder()


def say(kind, **facts):
    sys.stdout.write(json.dumps({"kind": kind, **facts}) + "\n")
    sys.stdout.flush()


def card(text):
    elements = [{"tag": "div", "text": {"tag": "plain_text", "content": text}}]
    for token in ("toast", "card", "nothing", "crash", "form"):
        label = {"tag": "plain_text", "content": token}
        button = {"tag": "button", "text": label, "behaviors": [{"type": "callback", "value": {"t": token}}]}
        if token == "form":
            button |= {"name": "send", "form_action_type": "submit"}
            entry = {"tag": "input", "name": "reason", "label": {"tag": "plain_text", "content": "Reason"}}
            button = {"tag": "form", "name": "form", "elements": [entry, button]}
        elements.append(button)
    return {"schema": "2.0", "config": {"update_multi": True}, "body": {"elements": elements}}


def answered(answer):
    data = getattr(answer, "data", None)
    say("answer", code=answer.code, message_id=getattr(data, "message_id", None), log_id=answer.get_log_id())
    return data


def calls():
    client = sdk.Client.builder().app_id(APP_ID).app_secret(APP_SECRET).domain(BASE_URL).build()
    messages = client.im.v1.message
    text = model("create_message_request_body").receive_id(CHAT_ID).msg_type("text").content('{"text":"hello"}')
    request = model("create_message_request").receive_id_type("chat_id").request_body(text.uuid("u-1").build()).build()
    sent = answered(messages.create(request))
    answered(messages.create(request))
    body = model("reply_message_request_body").msg_type("interactive").content(json.dumps(card("first"))).build()
    reply = answered(
        messages.reply(model("reply_message_request").message_id(sent.message_id).request_body(body).build())
    )
    for text in ("second", "x" * 31_000):
        body = model("patch_message_request_body").content(json.dumps(card(text))).build()
        request = model("patch_message_request").message_id(reply.message_id).request_body(body).build()
        answered(messages.patch(request))


def on_message(event):
    message = event.event.message
    say("message", text=json.loads(message.content)["text"], sender=event.event.sender.sender_id.open_id,
        mentions=[mention.name for mention in message.mentions or []])  # fmt: skip


def on_press(event):
    action = event.event.action
    token = action.value["t"]
    say("press", token=token, form=action.form_value, operator=event.event.operator.open_id,
        message_id=event.event.context.open_message_id)  # fmt: skip
    if token == "crash":
        raise RuntimeError("as asked")
    if token == "nothing":
        return None
    answer = {"toast": {"type": "info", "content": "seen", "i18n": {"zh_cn": "看到了", "en_us": "seen"}}}
    if token == "card":
        answer["card"] = {"type": "raw", "data": card("third")}
    response = importlib.import_module(f"{PACKAGE}.event.callback.model.p2_card_action_trigger")
    return response.P2CardActionTriggerResponse(answer)


calls()
handler = sdk.EventDispatcherHandler.builder("", "")
handler = handler.register_p2_im_message_receive_v1(on_message).register_p2_card_action_trigger(on_press).build()
socket = importlib.import_module(f"{PACKAGE}.ws")
level = sdk.LogLevel.CRITICAL
socket.Client(APP_ID, APP_SECRET, event_handler=handler, domain=BASE_URL, log_level=level).start()
