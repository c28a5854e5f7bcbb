"""The daemon: the only writer of a ledger, and the socket that everything else talks to."""
