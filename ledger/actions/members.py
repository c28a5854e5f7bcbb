"""Actions on members, their credentials and the workspace: numbers 1 to 19."""

from ledger.actions.base import ANYONE, OPERATOR, Action, who
from ledger.rules import members, tokens

ROWS = (
    Action(
        name="workspace.create",
        number=1,
        params=members.CreateWorkspace,
        who=who("daemon"),
        decide=members.decide_create,
        hidden=True,
    ),
    Action(
        name="member.add",
        number=2,
        params=members.AddMember,
        who=OPERATOR,
        decide=members.decide_add,
        example="member add --member-id builder --kind agent --display-name Builder",
    ),
    Action(
        name="member.revoke",
        number=3,
        params=members.RevokeMember,
        who=OPERATOR,
        decide=members.decide_revoke,
        example="member revoke --member-id builder",
    ),
    Action(
        name="member.pair",
        number=4,
        params=members.PairMember,
        who=OPERATOR,
        decide=members.decide_pair,
        mints="code_digest",
        example="member pair --member-id ann",
    ),
    Action(
        name="member.bind",
        number=5,
        params=members.BindIdentity,
        who=who("bot"),
        decide=members.decide_bind,
        hidden=True,
    ),
    Action(name="member.list", number=6, params=members.ListMembers, who=ANYONE, example="member list"),
    Action(
        name="token.issue",
        number=7,
        params=tokens.IssueToken,
        who=OPERATOR,
        decide=tokens.decide_issue_token,
        mints="secret_digest",
        example="token issue --member-id builder",
    ),
    Action(
        name="token.revoke",
        number=8,
        params=tokens.RevokeToken,
        who=OPERATOR,
        decide=tokens.decide_revoke_token,
        example="token revoke --token-id tok_12",
    ),
    Action(
        name="button-key.rotate",
        number=9,
        params=members.RotateButtonKey,
        who=OPERATOR,
        decide=members.decide_rotate,
        example="button-key rotate --grace-seconds 86400",
    ),
)
