"""Requests in every state they can be in, for the goldens and the budget tests."""

from collections.abc import Callable

import msgspec

from ledger.projections.causes import Cause
from ledger.projections.request_views import EvidenceView, RequestFact, RequestInputView, RequestView
from ledger.projections.views import CardView, GoalView

HOUR_MS = 3_600_000
FACTS = ("received", "answered", "committed", "returned", "delivered")
EVIDENCE = EvidenceView(artifact_id="art_000051", label="links.json", sha256="9f" * 32)
GIVEN = RequestInputView(ref="sitemap.txt", description="Every page there is", sha256="4c" * 32, relation="responds_to")
WAITS: dict[str, tuple[str, str]] = {
    "sent": ("answer", "Ben Ortiz"),
    "received": ("answer", "Ben Ortiz"),
    "deferred": ("answer", "Ben Ortiz"),
    "adopted": ("plan", "Ben Ortiz"),
    "committed": ("work", "Ben Ortiz"),
    "returned": ("acknowledge", "Ann Li"),
    "rejected": ("acknowledge", "Ann Li"),
    "no_change": ("acknowledge", "Ann Li"),
}
"""By status: what has to happen next, and whose move it is."""
TRUE = {"sent": 0, "received": 1, "deferred": 2, "adopted": 2, "committed": 3, "returned": 4, "delivered": 5}
EVENTS = {
    "sent": "request.sent",
    "received": "request.received",
    "deferred": "request.answered",
    "adopted": "request.answered",
    "committed": "request.committed",
    "delivered": "request.delivered",
    "withdrawn": "request.withdrawn",
    "ended": "goal.stopped",
}


def facts(status: str, at_ms: int) -> tuple[RequestFact, ...]:
    """The facts of a request in this state. What was turned down is read, answered and returned, and nothing more."""
    true = set(FACTS[: TRUE.get(status, 1)])
    if status in {"rejected", "no_change"}:
        true = {"received", "answered", "returned"}
    return tuple(
        RequestFact(
            fact=fact,
            actor_name="" if fact not in true else ("Ann Li" if fact == "delivered" else "Ben Ortiz"),
            at_ms=at_ms + place * 60_000 if fact in true else None,
        )
        for place, fact in enumerate(FACTS)
    )


def request(status: str, at_ms: int, **changes: object) -> RequestView:
    """A request that Ann sent to Ben, in this state."""
    need, waits_for = WAITS.get(status, ("nothing", ""))
    answered = {"deferred": "defer", "rejected": "reject", "no_change": "no_change"}
    answer = answered.get(status, "adopt" if TRUE.get(status, 0) > 2 or status == "adopted" else None)
    came_back = status in {"returned", "delivered"}
    who = "Ann Li" if status in {"sent", "withdrawn", "delivered", "ended"} else "Ben Ortiz"
    view = RequestView(
        request_id="request_000042",
        status=status,
        open=bool(waits_for),
        need=need,
        waits_for=waits_for,
        between_agents=False,
        sender="Ann Li",
        receiver="Ben Ortiz",
        sent_at_ms=at_ms,
        purpose="Check the links of the reference and say which of them are broken.",
        context="The site moved in May. Old addresses are answered by a redirect, which counts as working.",
        constraints=("Do not follow links that leave the site",),
        inputs=(GIVEN,),
        acceptance=("Each broken link is named", "Each has the page that it stands on"),
        return_requirement="A list of links",
        waiting_work="Publish the reference",
        answer=answer,
        answer_reason="",
        work="Check the links of the reference" if status in {"committed", "returned", "delivered"} else "",
        work_status={"committed": "open", "returned": "done", "delivered": "done"}.get(status, ""),
        facts=facts(status, at_ms),
        summary="Two links are broken; both stand on the page about backups." if came_back else "",
        automatic=False,
        evidence=(EVIDENCE,) if came_back else (),
        withdrawn_reason="The page is gone." if status == "withdrawn" else "",
        returnable=(),
        cause=Cause(
            seq=58,
            kind=EVENTS.get(status, "request.returned"),
            actor_id="x",
            actor_name=who,
            at_ms=at_ms,
            short_hash="",
        ),
    )
    return msgspec.structs.replace(view, **changes)


def requests(goal: GoalView, tokens: Callable[..., dict[str, str]], now_ms: int) -> dict[str, CardView]:
    """Every state of a request's card."""
    at_ms = now_ms - HOUR_MS
    answer, withdraw = "request.respond", "request.withdraw"
    why = "The site is being moved this week; ask again on Monday."
    agents = {"sender": "link-checker", "receiver": "reader", "between_agents": True}
    agents |= {"waits_for": "reader"}
    views = {
        "sent": (request("sent", at_ms), (answer, "request.receive", withdraw)),
        "received": (request("received", at_ms), (answer, withdraw)),
        "deferred": (request("deferred", at_ms, answer_reason=why), (answer, withdraw)),
        "adopted": (request("adopted", at_ms), ("request.commit", withdraw)),
        "adopted_with_evidence": (
            request("adopted", at_ms, returnable=(EVIDENCE,)),
            ("request.commit", "request.return", withdraw),
        ),
        "committed": (request("committed", at_ms), (withdraw,)),
        "work_done": (
            request("committed", at_ms, need="return", work_status="done", returnable=(EVIDENCE,)),
            ("request.return", withdraw),
        ),
        "returned": (request("returned", at_ms), ("request.acknowledge",)),
        "returned_automatic": (request("returned", at_ms, automatic=True, summary=""), ("request.acknowledge",)),
        "rejected": (request("rejected", at_ms, answer_reason=why, summary=why), ("request.acknowledge",)),
        "no_change": (request("no_change", at_ms, summary="They all work."), ("request.acknowledge",)),
        "delivered": (request("delivered", at_ms), ()),
        "withdrawn": (request("withdrawn", at_ms), ()),
        "ended": (request("ended", at_ms), ()),
        "agents": (request("sent", at_ms, **agents), ()),
    }
    cards = {
        f"request_{name}": CardView(kind="request", audience="group", tokens=tokens(*offered), goal=goal, request=view)
        for name, (view, offered) in views.items()
    }
    mine = CardView(kind="request", audience="direct", tokens=tokens(answer), goal=goal, request=request("sent", at_ms))
    told = CardView(
        kind="request",
        audience="direct",
        tokens=tokens("request.acknowledge"),
        goal=goal,
        request=request("returned", at_ms),
    )
    return cards | {"request_direct": mine, "request_told": told}
