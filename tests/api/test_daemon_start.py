"""The process begins with the collector at rest and no certificates, and serves with everything in its place."""

import os
import subprocess
import sys

from daemon.cli.spawn import module_environment

AFTER = """
import gc, os, sys
import daemon.app
daemon.app.main = lambda: print(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
from daemon.start import main
main()
"""


def test_what_was_set_for_the_certificates_is_set_again():
    inherited = {name: value for name, value in module_environment().items() if not name.startswith("SSL_")}
    for given, printed in (({}, "None None"), ({"SSL_CERT_FILE": "/a", "SSL_CERT_DIR": "/b"}, "/a /b")):
        done = subprocess.run(
            [sys.executable, "-c", AFTER], env=inherited | given, capture_output=True, text=True, cwd="/", check=True
        )
        assert done.stdout.strip() == printed


def test_no_certificate_of_the_machine_is_read_for_a_client_that_is_not_there():
    script = (
        "import daemon.start as start, daemon.paths\n"
        "with start._no_certificates():\n"
        "    from aiohttp import connector\n"
        "print(len(connector._SSL_CONTEXT_VERIFIED.get_ca_certs()), connector._SSL_CONTEXT_VERIFIED.check_hostname)"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SSL_")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "True"], "it trusts nobody rather than everybody"
