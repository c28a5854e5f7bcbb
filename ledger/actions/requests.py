"""Actions on requests between peers: numbers 130 to 139."""

from ledger.actions.base import ANYONE, WORKERS, Action, who
from ledger.rules import request_params, requests

_NAMED = "--goal-id docs --request-id request_000042"

ROWS = (
    Action(
        name="request.send",
        number=130,
        params=request_params.SendRequest,
        who=WORKERS,
        decide=requests.decide_send,
        example=(
            "request send --goal-id docs --to helper --purpose 'Check the links of the reference' "
            "--acceptance 'Each broken link is named' --return-requirement 'A list of links'"
        ),
    ),
    Action(
        name="request.receive",
        number=131,
        params=request_params.ReceiveRequest,
        who=WORKERS,
        decide=requests.decide_receive,
        example=f"request receive {_NAMED}",
    ),
    Action(
        name="request.respond",
        number=132,
        params=request_params.RespondRequest,
        who=WORKERS,
        decide=requests.decide_respond,
        example=f"request respond {_NAMED} --decision adopt",
    ),
    Action(
        name="request.commit",
        number=133,
        params=request_params.CommitRequest,
        who=WORKERS,
        decide=requests.decide_commit,
        example=f"request commit {_NAMED} --text 'Check the links of the reference'",
    ),
    Action(
        name="request.return",
        number=134,
        params=request_params.ReturnRequest,
        who=WORKERS,
        decide=requests.decide_return,
        example=f"request return {_NAMED} --artifact art_000051 --summary 'Two links are broken'",
    ),
    Action(
        name="request.acknowledge",
        number=135,
        params=request_params.AcknowledgeRequest,
        who=who("person", "agent", "bot"),
        decide=requests.decide_acknowledge,
        example=f"request acknowledge {_NAMED}",
    ),
    Action(
        name="request.withdraw",
        number=136,
        params=request_params.WithdrawRequest,
        who=WORKERS,
        decide=requests.decide_withdraw,
        example=f"request withdraw {_NAMED} --reason 'Not needed any longer'",
    ),
    Action(
        name="request.list",
        number=137,
        params=request_params.ListRequests,
        who=ANYONE,
        example="request list --goal-id docs --to helper --status open",
    ),
    Action(
        name="request.show",
        number=138,
        params=request_params.ShowRequest,
        who=ANYONE,
        example=f"request show {_NAMED}",
    ),
)
