"""What happened to requests between peers. The brief is words; who, to whom, and what came back are facts."""

from ledger.events import Facts, Kind, Surface, Words
from ledger.ids import ArtifactId, MemberId, TodoId
from ledger.parts.requests import Answer, Relation, ReturnOutcome


class RequestSent(Facts, frozen=True, kw_only=True):
    """One peer asked something of another. An input is known by its digest."""

    request_id: str
    receiver: MemberId
    parent_id: str | None
    blocks_todo_id: TodoId | None
    input_digests: tuple[str, ...]
    input_relations: tuple[Relation, ...]
    origin_surface: Surface
    origin_channel_id: str | None
    origin_key: str | None


class BriefWords(Words, frozen=True, kw_only=True):
    """What is asked, whole as it was sent."""

    purpose: str
    context: str
    constraints: tuple[str, ...]
    input_refs: tuple[str, ...]
    input_descriptions: tuple[str, ...]
    acceptance: tuple[str, ...]
    return_requirement: str


class RequestReceived(Facts, frozen=True, kw_only=True):
    """The receiver has read it; that promises nothing."""

    request_id: str


class RequestAnswered(Facts, frozen=True, kw_only=True):
    """The receiver took it on, put it off, turned it down, or found nothing to change."""

    request_id: str
    answer: Answer


class RequestReasonWords(Words, frozen=True, kw_only=True):
    """Why, in somebody's words."""

    reason: str


class RequestCommitted(Facts, frozen=True, kw_only=True):
    """There is work for it."""

    request_id: str
    for_todo_id: TodoId


class RequestReturned(Facts, frozen=True, kw_only=True):
    """What came of it, with the digests of what is handed back; `automatic` where its work was finished."""

    request_id: str
    outcome: ReturnOutcome
    artifact_ids: tuple[ArtifactId, ...]
    digests: tuple[str, ...]
    automatic: bool


class ReturnWords(Words, frozen=True, kw_only=True):
    """What is said about the result."""

    summary: str


class RequestDelivered(Facts, frozen=True, kw_only=True):
    """The return reached the conversation that the request came from."""

    request_id: str


class RequestWithdrawn(Facts, frozen=True, kw_only=True):
    """Nobody needs it any longer."""

    request_id: str


KINDS = (
    Kind("request.sent", 1, RequestSent, BriefWords),
    Kind("request.received", 1, RequestReceived),
    Kind("request.answered", 1, RequestAnswered, RequestReasonWords),
    Kind("request.committed", 1, RequestCommitted),
    Kind("request.returned", 1, RequestReturned, ReturnWords),
    Kind("request.delivered", 1, RequestDelivered),
    Kind("request.withdrawn", 1, RequestWithdrawn, RequestReasonWords),
)
