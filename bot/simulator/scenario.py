"""Who is there at the start: read from a JSON file, or the demo's small tenant.

    {"tenants": [{"tenant_key": "…",
       "apps":   [{"app_id": "cli_…", "app_secret": "…", "name": "…"}],
       "people": [{"key": "ann", "name": "Ann Lee", "language": "en_us"}],
       "groups": [{"name": "Launch room", "people": ["ann"], "apps": ["cli_…"]}]}]}

Every person gets a direct chat with every bot of the tenant. `people` and `apps` of a group default to all.
"""

import re

from bot.simulator.ids import stable_id
from bot.simulator.model import App, Person
from bot.simulator.wire import JsonObject, objects_at, text_at
from bot.simulator.world import World

DEMO_APP_ID = "cli_frontstage_demo"
DEMO_GROUP = "Launch room"

DEMO: JsonObject = {
    "tenants": [
        {
            "tenant_key": "2ca1d211f64f6438",
            "apps": [{"app_id": DEMO_APP_ID, "app_secret": "demo-secret-of-the-simulator", "name": "Frontstage"}],
            "people": [
                {"key": "ann", "name": "Ann Lee", "language": "en_us", "timezone": "Europe/London"},
                {"key": "bo", "name": "陈博", "language": "zh_cn", "timezone": "Asia/Shanghai"},
                {"key": "sam", "name": "Sam Stranger", "language": "en_us", "timezone": "America/New_York"},
            ],
            "groups": [{"name": DEMO_GROUP}],
        }
    ]
}

_KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def _needed(source: JsonObject, key: str, of_what: str) -> str:
    value = text_at(source, key)
    if not value:
        raise ValueError(f"{of_what} needs {key!r}")
    return value


def read_person(source: JsonObject, tenant_key: str) -> Person:
    """A person from JSON; what is missing or unknown is a ValueError."""
    key = _needed(source, "key", "a person")
    if not _KEY.fullmatch(key):
        raise ValueError(f"the person key {key!r} may hold small letters, digits, _ and - only")
    language = text_at(source, "language", "en_us")
    if language not in {"en_us", "zh_cn"}:
        raise ValueError(f"{key!r} speaks {language!r}; the simulator knows en_us and zh_cn")
    return Person(
        key=key,
        name=_needed(source, "name", f"person {key!r}"),
        language="zh_cn" if language == "zh_cn" else "en_us",
        tenant_key=tenant_key,
        timezone=text_at(source, "timezone", "Asia/Shanghai"),
    )


def _members(group: JsonObject, key: str, everyone: list[str]) -> list[str]:
    value = group.get(key)
    if value is None:
        return everyone
    if not isinstance(value, list):
        raise ValueError(f"{key!r} of a group must be a list")  # noqa: TRY004 - bad bytes are a ValueError here, whatever their type
    members = [str(item) for item in value]
    unknown = sorted(set(members) - set(everyone))
    if unknown:
        raise ValueError(f"{key!r} of a group names {', '.join(unknown)}, who is not in the tenant")
    return members


def populate(world: World, scenario: JsonObject) -> None:
    """Put a scenario's tenants into an empty world; a scenario that makes no sense is a ValueError."""
    tenants = objects_at(scenario, "tenants")
    if not tenants:
        raise ValueError("a scenario needs at least one tenant in 'tenants'")
    for tenant in tenants:
        tenant_key = text_at(tenant, "tenant_key") or stable_id("", "tenant", str(len(world.apps)))[:16]
        apps = objects_at(tenant, "apps")
        people = [read_person(source, tenant_key) for source in objects_at(tenant, "people")]
        for source in apps:
            app = App(
                app_id=_needed(source, "app_id", "an app"),
                app_secret=_needed(source, "app_secret", "an app"),
                name=text_at(source, "name", "Bot"),
                tenant_key=tenant_key,
            )
            world.add_app(app)
        for person in people:
            world.add_person(person)
        app_ids = [text_at(source, "app_id") for source in apps]
        for group in objects_at(tenant, "groups"):
            members = _members(group, "people", [person.key for person in people])
            bots = _members(group, "apps", app_ids)
            world.add_group(_needed(group, "name", "a group"), tenant_key, members, set(bots))
