"""What must be so before the examples of connected agents can be run."""

from typing import Protocol

from ledger.state import Workspace
from tests.support.homes import secret_of, sha256

CONFIG = "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592"


class Stage(Protocol):
    """A ledger that is being prepared."""

    @property
    def state(self) -> Workspace:
        """The state that is stored."""
        ...

    def do(self, who: str, action: str, /, **params: object) -> None:
        """A command that must be taken."""
        ...


def own_credential(stage: Stage) -> None:
    """Builder gets another credential, the newest there is."""
    stage.do("operator", "token.issue", member_id="builder", secret_digest=sha256("of builder"))


def connected(stage: Stage) -> None:
    """Builder is connected by the credential that it shows."""
    token_id = str(stage.state.tokens[sha256(secret_of("builder"))].token_id)
    bound = {"runtime": "generic", "config_sha256": CONFIG, "token_id": token_id}
    stage.do("operator", "agent.bind", agent_id="builder", **bound)
