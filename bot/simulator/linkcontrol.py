"""What can be made to go wrong with the long connection, from the control interface.

{"close": true, "code"?: 1001}   close the open connections
{"zombie": true|false}           open connections answer pings but deliver nothing
{"born_zombie": true|false}      so do new ones
{"no_pong": true|false}          open connections do not answer pings
{"fragments": N, "count"?: 1}    the next pushes come in N frames
{"lost_fragments": N}            and of the next N of those the last frame is lost
{"swapped": N}                   the next N pushes are held back until another one has been written
{"reversed_fragments": N}        the frames of the next N pushes that have several come last first
{"duplicates": N}                the next N pushes come twice
{"card_typed": N}                the next N pushes have frame type `card`
{"refuse": [{"status", "msg", "auth_code"}]}   refuse the next handshakes
{"client_config": {"ping_interval_s"?, "reconnect_interval_s"?, "reconnect_nonce_s"?, "reconnect_count"?}}
{"push_config": true}            send the client config on all open connections, as a pong does
"""

from bot.simulator.longlink import LongLink, handshake_refusal
from bot.simulator.wire import JsonObject, flag_at, number_at, object_at, objects_at, text_at

FRAGMENTS_MAX = 100
PLANNED_MAX = 1_000

_KNOWN = frozenset(
    (
        "close", "code", "zombie", "born_zombie", "no_pong", "fragments", "count", "lost_fragments", "duplicates",
        "card_typed", "swapped", "reversed_fragments", "refuse", "client_config", "push_config",
    )
)  # fmt: skip


def link_view(link: LongLink) -> JsonObject:
    """The state of the long connection."""
    connections = [
        {"conn_id": one.conn_id, "app_id": one.app_id, "zombie": one.zombie, "no_pong": one.no_pong,
         "pings": one.pings, "waiting": len(one.waiting)}
        for one in link.connections
    ]  # fmt: skip
    faults = link.faults
    planned = {
        "fragments": faults.fragments, "count": faults.fragments_count, "lost_fragments": faults.lost_fragments,
        "duplicates": faults.duplicates, "card_typed": faults.card_typed, "swapped": faults.swapped,
        "reversed_fragments": faults.reversed_fragments, "refuse": len(link.refusals),
    }  # fmt: skip
    return {"connections": connections, "planned": planned, "client_config": link.config.view()}


async def change_link(link: LongLink, wanted: JsonObject) -> None:
    """Apply one or several of the changes above; what is unknown or out of bounds is a ValueError."""
    unknown = sorted(set(wanted) - _KNOWN)
    if unknown:
        raise ValueError(f"unknown: {', '.join(unknown)}")
    _set_connections(link, wanted)
    _set_pushes(link, wanted)
    for refusal in objects_at(wanted, "refuse")[:PLANNED_MAX]:
        status, auth_code = number_at(refusal, "status", 514), number_at(refusal, "auth_code", 1000040350)
        link.refusals.append(handshake_refusal(status, text_at(refusal, "msg", "refused"), auth_code))
    config = object_at(wanted, "client_config")
    link.config.ping_interval_s = number_at(config, "ping_interval_s", link.config.ping_interval_s)
    link.config.reconnect_interval_s = number_at(config, "reconnect_interval_s", link.config.reconnect_interval_s)
    link.config.reconnect_nonce_s = number_at(config, "reconnect_nonce_s", link.config.reconnect_nonce_s)
    link.config.reconnect_count = number_at(config, "reconnect_count", link.config.reconnect_count)
    if flag_at(wanted, "push_config"):
        await link.push_config()
    if flag_at(wanted, "close"):
        await link.close_all(code=number_at(wanted, "code", 1001))


def _set_connections(link: LongLink, wanted: JsonObject) -> None:
    link.born_zombie = flag_at(wanted, "born_zombie", default=link.born_zombie)
    for connection in link.connections:
        connection.zombie = flag_at(wanted, "zombie", default=connection.zombie)
        connection.no_pong = flag_at(wanted, "no_pong", default=connection.no_pong)


def _set_pushes(link: LongLink, wanted: JsonObject) -> None:
    faults = link.faults
    if "fragments" in wanted:
        faults.fragments = _bounded(wanted, "fragments", 2, FRAGMENTS_MAX)
        faults.fragments_count = _bounded({"count": 1, **wanted}, "count", 1, PLANNED_MAX)
    for key in ("lost_fragments", "duplicates", "card_typed", "swapped", "reversed_fragments"):
        if key in wanted:
            setattr(faults, key, _bounded(wanted, key, 0, PLANNED_MAX))


def _bounded(wanted: JsonObject, key: str, least: int, most: int) -> int:
    value = number_at(wanted, key, -1)
    if not least <= value <= most:
        raise ValueError(f"{key} must be from {least} to {most}")
    return value
