"""The process that runs hooks' commands and asks their addresses, apart from the daemon."""
