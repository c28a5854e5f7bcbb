"""What parameters must be together, in the API's description.

The models check it in code (`model_validator`), of which JSON Schema is told nothing; here the same is said in its own
words. It stands in the API's description alone: the readers of `frontstage schema` include tools that know no
conditions. The run against a real daemon (tests/openapi_run.py) would notice where the two part.
"""

from ledger.rules.amendment_params import NEEDS, TAKES

Json = dict[str, object]

_NULL: Json = {"type": "null"}
_TEXT: Json = {"type": "string"}
_NUMBER: Json = {"type": "integer"}


def _is(name: str, value: object) -> Json:
    """The parameter is given, and is this."""
    return {"required": [name], "properties": {name: {"const": value}}}


def _given(name: str, schema: Json = _TEXT) -> Json:
    """The parameter is given, and is not null."""
    return {"required": [name], "properties": {name: schema}}


def _absent(*names: str) -> Json:
    """Each of them is absent, or null."""
    return {"properties": dict.fromkeys(names, _NULL)}


def _when(condition: Json, then: Json) -> Json:
    return {"anyOf": [{"not": condition}, then]}


def _either(condition: Json, then: Json, otherwise: Json) -> Json:
    return {"anyOf": [{"allOf": [condition, then]}, {"allOf": [{"not": condition}, otherwise]}]}


_MONITOR = _is("task_class", "continuous_monitor")
_ADDED: list[Json] = [
    _when(_is("task_class", "user_gate"), _is("role", "user")),
    _when(_given("unblocks_todo_id"), _is("task_class", "user_gate")),
    _either(_MONITOR, {"not": _is("role", "user")}, _absent("cadence_seconds", "max_no_change_before_replan")),
]

_ONE_OR_ALL = _either(_is("workspace", value=True), _absent("goal_id"), _given("goal_id"))
_IN_A_CHAT: list[Json] = [_given("channel_id"), _ONE_OR_ALL]
"""In a chat the chat is known; over HTTP it is named."""
_HOURS_GIVEN: Json = {"allOf": [_given("quiet_from"), _given("quiet_until")]}
_NO_HOURS = _absent("quiet_from", "quiet_until")

OF_ACTIONS: dict[str, list[Json]] = {
    "channel.bind": _IN_A_CHAT,
    "channel.unbind": _IN_A_CHAT,
    "channel.set-digest": [
        _given("channel_id"),
        _either(_is("off", value=True), _absent("cron"), _given("cron")),
        {"anyOf": [_HOURS_GIVEN, _NO_HOURS]},
    ],
    "member.set-quiet-hours": [_either(_is("off", value=True), _NO_HOURS, _HOURS_GIVEN)],
    "summary.post": [_ONE_OR_ALL],
    "goal.clarify": [_either(_given("question"), _absent("answer"), _given("answer"))],
    "artifact.review": [_when(_is("verdict", "reject"), _given("reason", {"type": "string", "pattern": "\\S"}))],
    "artifact.record-check": [
        _either(_is("timed_out", value=True), _absent("exit_code"), _given("exit_code", _NUMBER))
    ],
    "todo.add": _ADDED,
    "todo.claim": [_when(_given("todo_id"), {"not": _is("another", value=True)})],
    "todo.complete": [
        _when(_is("continuation", "successor"), _given("next_agent_todo")),
        _when(_given("next_agent_todo"), {"not": _given("continuation", {"enum": ["active_goal", "no_followup"]})}),
        _when(_given("next_claimed_by"), _given("next_agent_todo")),
    ],
    "quota.set": [
        _when(_is("unset_allowed_slots", value=True), _absent("allowed_slots")),
        # Both may be given where they say the same, which cannot be said here; one is enough.
        {"anyOf": [_absent("compute"), _absent("compute_permille")]},
    ],
}
"""By action."""


def _operation(op: str) -> Json:
    needed = [*NEEDS[op], *(() if op == "add" else ("todo_id",))]
    beyond = sorted(set().union(*TAKES.values()) - TAKES[op])
    one: Json = {
        "required": ["op", *needed],
        "properties": {
            "op": {"const": op},
            **{name: {"not": _NULL} for name in needed},
            # Not even null: whoever names it means something by it.
            **dict.fromkeys(beyond, False),
        },
    }
    if op == "restate":
        return {"allOf": [one, {"anyOf": [_given("title"), _given("acceptance")]}]}
    return one


OF_SCHEMAS: dict[str, list[Json]] = {"OperationParams": [{"anyOf": [_operation(op) for op in NEEDS]}]}
"""By the name of an object that parameters are made of."""


def with_something_to_read(schema: object) -> object:
    """The schema, in which a text that may not be empty may not be blank either: something in it can be seen.

    Every such text of the parameters is checked so (`ledger.params`); a pattern for it would be noise to a reader of
    `frontstage schema`, and is exact here.
    """
    if isinstance(schema, list):
        return [with_something_to_read(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    walked = {name: with_something_to_read(one) for name, one in schema.items()}
    if schema.get("type") == "string" and schema.get("minLength") and "pattern" not in schema and "enum" not in schema:
        return {**walked, "pattern": "[^\\p{C}\\p{Z}]"}
    return walked


def together(schema: object, name: str, rules: dict[str, list[Json]]) -> object:
    """The schema with what must be together in it."""
    if name not in rules or not isinstance(schema, dict):
        return schema
    return {**schema, "allOf": rules[name]}
