"""A bot on an unmodified SDK, led step by step: the same script for both, so that both say the same of the simulator.

`python conformance_script.py PACKAGE BASE_URL APP_ID APP_SECRET CHAT_ID`, with PACKAGE `lark_oapi` or `lark_channel`.
Each line on stdin is a step as JSON; each line on stdout is what came of it, or what was heard. The steps make calls
until `serve`, which serves the long connection; from then on the bot is led by what people type and press: a press
does what its token says, and the message `update` uses the token of the last press.
"""

import importlib
import json
import sys

PACKAGE, BASE_URL, APP_ID, APP_SECRET, CHAT_ID = sys.argv[1:]
sdk = importlib.import_module(PACKAGE)
TOKENS = ("toast", "dict", "empty", "nothing", "crash", "coroutine", "object", "card", "form")


def say(kind, **facts):
    sys.stdout.write(json.dumps({"kind": kind, **facts}) + "\n")
    sys.stdout.flush()


def model(name):
    module = importlib.import_module(f"{PACKAGE}.api.im.v1.model.{name}")
    return getattr(module, "".join(part.title() for part in name.split("_"))).builder()


def card(text):
    elements = [{"tag": "div", "text": {"tag": "plain_text", "content": text}}]
    for token in TOKENS:
        label = {"tag": "plain_text", "content": token}
        button = {"tag": "button", "text": label, "behaviors": [{"type": "callback", "value": {"t": token}}]}
        if token == "form":
            button |= {"name": "send", "form_action_type": "submit"}
            entry = {"tag": "input", "name": "reason", "label": {"tag": "plain_text", "content": "Reason"}}
            button = {"tag": "form", "name": "form", "elements": [entry, button]}
        elements.append(button)
    label = {"tag": "plain_text", "content": "string"}
    elements.append({"tag": "button", "text": label, "behaviors": [{"type": "callback", "value": "text"}]})
    return {"schema": "2.0", "config": {"update_multi": True}, "body": {"elements": elements}}


class Calls:
    """The steps that call the open platform, by their names; each gives the SDK's own answer."""

    def __init__(self):
        self.client = sdk.Client.builder().app_id(APP_ID).app_secret(APP_SECRET).domain(BASE_URL).build()
        self.messages = self.client.im.v1.message

    def send(self, *, content, kind="interactive", to=CHAT_ID, uuid=None):
        body = model("create_message_request_body").receive_id(to).msg_type(kind).content(json.dumps(content))
        body = body.uuid(uuid) if uuid else body
        request = model("create_message_request").receive_id_type("chat_id").request_body(body.build()).build()
        return self.messages.create(request)

    def send_card(self, *, text, uuid=None):
        return self.send(content=card(text), uuid=uuid)

    def reply(self, *, to, text, in_thread=False):
        body = model("reply_message_request_body").msg_type("interactive").content(json.dumps(card(text)))
        request = model("reply_message_request").message_id(to)
        return self.messages.reply(request.request_body(body.reply_in_thread(in_thread).build()).build())

    def patch(self, *, message_id, text):
        body = model("patch_message_request_body").content(json.dumps(card(text))).build()
        return self.messages.patch(model("patch_message_request").message_id(message_id).request_body(body).build())

    def recall(self, *, message_id):
        return self.messages.delete(model("delete_message_request").message_id(message_id).build())

    def get(self, *, message_id):
        return self.messages.get(model("get_message_request").message_id(message_id).build())

    def raw(self, *, method, uri, body=None):
        request = sdk.BaseRequest.builder().http_method(getattr(sdk.HttpMethod, method)).uri(uri)
        request = request.token_types({sdk.AccessTokenType.TENANT})
        return self.client.request((request.body(body) if body else request).build())


def answered(answer):
    data = getattr(answer, "data", None)
    content = json.loads(answer.raw.content)
    headers = {key.lower(): value for key, value in answer.raw.headers.items()}
    say("answer", code=answer.code, body_code=content["code"], status=answer.raw.status_code,
        message_id=getattr(data, "message_id", None), thread_id=getattr(data, "thread_id", None),
        items=len(getattr(data, "items", None) or []), log_id=answer.get_log_id(),
        limit=headers.get("x-ogw-ratelimit-limit"), reset=headers.get("x-ogw-ratelimit-reset"))  # fmt: skip


class Bot:
    """What the bot does with what it hears."""

    def __init__(self, calls):
        self.calls = calls
        self.socket = None
        self.token = ""

    def on_message(self, event):
        message = event.event.message
        text = json.loads(message.content)["text"]
        say("message", text=text, sender=event.event.sender.sender_id.open_id, thread_id=message.thread_id,
            mentions=[mention.name for mention in message.mentions or []])  # fmt: skip
        if text == "crash":
            raise RuntimeError("as asked")
        if text == "update":
            body = {"token": self.token, "card": card("updated")}
            for _ in range(3):
                answered(self.calls.raw(method="POST", uri="/open-apis/interactive/v1/card/update", body=body))
        if text == "config":
            say("config", ping_interval=self.socket._ping_interval)

    def on_press(self, event):
        action = event.event.action
        self.token = event.event.token
        token = action.value["t"]
        say("press", token=token, form=action.form_value, operator=event.event.operator.open_id,
            message_id=event.event.context.open_message_id, chat_id=event.event.context.open_chat_id)  # fmt: skip
        toast = {"toast": {"type": "info", "content": "seen", "i18n": {"zh_cn": "看到了", "en_us": "seen"}}}
        responses = importlib.import_module(f"{PACKAGE}.event.callback.model.p2_card_action_trigger")
        match token:
            case "crash":
                raise RuntimeError("as asked")
            case "nothing":
                return None
            case "empty":
                return {}
            case "dict":
                return toast
            case "coroutine":
                return self.late()
            case "card":
                return responses.P2CardActionTriggerResponse({"card": {"type": "raw", "data": card("third")}})
            case "object":
                return responses.P2CardActionTriggerResponse({"card": responses.CallBackCard({"type": "raw"})})
        return responses.P2CardActionTriggerResponse(toast)

    async def late(self):
        return {}

    def serve(self, *, auto_reconnect=True):
        """Serve the long connection; what ends it is said."""
        handler = sdk.EventDispatcherHandler.builder("", "")
        handler = handler.register_p2_im_message_receive_v1(self.on_message)
        handler = handler.register_p2_card_action_trigger(self.on_press).build()
        client = importlib.import_module(f"{PACKAGE}.ws").Client
        self.socket = client(
            APP_ID, APP_SECRET, event_handler=handler, domain=BASE_URL, log_level=sdk.LogLevel.CRITICAL,
            auto_reconnect=auto_reconnect,
        )  # fmt: skip
        try:
            self.socket.start()
        except Exception as error:  # noqa: BLE001 - whatever ends it is what the test wants to know
            say("ended", error=type(error).__name__, code=getattr(error, "code", None))


def main():
    calls = Calls()
    bot = Bot(calls)
    say("ready")
    for line in sys.stdin:
        step = json.loads(line)
        name = step.pop("step")
        if name == "serve":
            bot.serve(**step)
        else:
            answered(getattr(calls, name)(**step))


main()
