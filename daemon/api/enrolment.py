"""What is shown once when somebody is enrolled for one-time codes: the secret, as text and as a picture.

It stands in the answer to the owner who asked, and nowhere else: the ledger has only that there is an enrolment.
"""

import io
from typing import cast

from daemon.service import Service
from ledger.rules.member_events import CodeEnrolled
from ledger.writer import Answer

PICTURE_BORDER = 2


def enrolment_uri(service: Service, answer: Answer) -> str | None:
    """What the authenticator is given, where this answer is of an enrolment that counts."""
    if answer.refusal is not None or service.codes is None or not answer.events:
        return None
    facts = answer.events[0].facts
    if not isinstance(facts, CodeEnrolled):
        return None
    return service.codes.uri(service.committed, facts.member_id, facts.number)


def with_enrolment(document: dict[str, object], service: Service, answer: Answer) -> dict[str, object]:
    """The answer with the secret beside it, where there is one."""
    uri = enrolment_uri(service, answer)
    return document if uri is None else {**document, "secret": uri}


def enrolment_text(document: dict[str, object]) -> str:
    """The same for a terminal: a picture to be scanned, and the text for whoever cannot."""
    uri = document.get("secret")
    return "" if uri is None else f"\n{_picture(cast('str', uri))}secret: {uri}"


def _picture(uri: str) -> str:
    import segno  # noqa: PLC0415  (only who enrols somebody pays for it)

    out = io.StringIO()
    segno.make(uri, error="m", micro=False).terminal(out=out, compact=True, border=PICTURE_BORDER)
    return out.getvalue()
