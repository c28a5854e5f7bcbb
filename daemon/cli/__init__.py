"""The command line: one argv in, one request over the socket, one line out."""
