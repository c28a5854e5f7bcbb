"""A workspace that is looked at: its daemon, and where its page is."""

from dataclasses import dataclass

from daemon.client import Client
from tests.support.daemons import DaemonProcess


@dataclass
class Looked:
    """A workspace that is looked at."""

    daemon: DaemonProcess
    url: str

    @property
    def port(self) -> int:
        """Where the page is."""
        return int(self.url.split(":")[2].split("/")[0])

    @property
    def key(self) -> str:
        """What every address begins with."""
        return self.url.split("/")[3]

    def client(self, who: str = "ann") -> Client:
        """Somebody of the workspace."""
        return self.daemon.client(who)
