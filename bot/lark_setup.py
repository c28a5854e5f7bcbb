"""`frontstage lark setup`: from no app to a `[lark]` section that works, step by step, without ever showing a secret.

    1  an app: by QR code (`--register`), or the one that --app-id names
    2  its secret: from the registration, from a private file, or typed without an echo
    3  asked of the platform, so that a wrong id, secret or domain is told now
    4  written: `lark.secret` (0600) and the section; nothing is written before all of this held
    5  what is left to do in the console, made from the table of what the code needs

A secret goes from where it was typed into its file and nowhere else: not into arguments, output, errors or logs.
"""

import argparse
import asyncio
import getpass
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx
import segno

from bot.clock import SystemClock
from bot.config import SECRET_BYTES_MAX, ConfigError, check, private_line
from bot.lark import LarkFault
from bot.lark_asking import open_asking
from bot.lark_checks import credentials
from bot.lark_config_file import SECRET_FILE, has_lark, read_text, with_lark, write_private
from bot.lark_log import silence_sdk
from bot.lark_needs import DOMAINS, NEEDS, console_url
from bot.lark_registration import Begun, RegistrationEnded, register
from ledger.text.say import LOCALES, Locale, say

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
_APP_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,160}")


class SetupEnded(Exception):
    """The setup cannot go on: which sentence says why, and the exit code."""

    def __init__(self, key: str, exit_code: int = EXIT_USAGE, **parts: str) -> None:
        """`parts` never hold a secret."""
        super().__init__(key)
        self.key = key
        self.exit_code = exit_code
        self.parts = parts


class Talk:
    """What is said to the operator, in their language."""

    def __init__(self, locale: Locale) -> None:
        """Everything goes to standard output, and questions to the terminal."""
        self.locale = locale

    def say(self, key: str, **parts: str) -> None:
        """One sentence."""
        sys.stdout.write(say(f"lark.setup.{key}", self.locale, **parts) + "\n")
        sys.stdout.flush()

    def step(self, key: str, **parts: str) -> None:
        """One step of a list."""
        sys.stdout.write(f"  {say(f'lark.setup.{key}', self.locale, **parts)}\n")

    def show_address(self, url: str) -> None:
        """An address, to be opened by a phone or a click."""
        sys.stdout.write(f"\n  {url}\n\n")
        if sys.stdout.isatty():
            segno.make(url, error="l", micro=False).terminal(sys.stdout, compact=True)
        sys.stdout.flush()


def main() -> int:
    """Set the app up; the exit code."""
    given = _arguments().parse_args()
    talk = Talk(given.locale)
    silence_sdk()
    try:
        if given.checklist:
            checklist(talk, domain_of(given.domain), given.app_id or "")
            return EXIT_OK
        return asyncio.run(set_up(given, talk))
    except SetupEnded as ended:
        sys.stderr.write(say(f"lark.setup.{ended.key}", given.locale, **ended.parts) + "\n")
        return ended.exit_code
    except ConfigError as error:
        sys.stderr.write(say("lark.setup.file", given.locale, reason=str(error)) + "\n")
        return EXIT_FAILED
    except (KeyboardInterrupt, EOFError):
        sys.stderr.write("\n" + say("lark.setup.stopped", given.locale) + "\n")
        return 130


async def set_up(given: argparse.Namespace, talk: Talk) -> int:
    """All steps in order. Raises SetupEnded and ConfigError."""
    home = Path(given.home)
    text = read_text(home)
    if has_lark(text) and not given.replace:
        raise SetupEnded("exists")
    domain, transport = domain_of(given.domain), _transport(given)
    # What could not be written or would not start is told before an app is made, whose secret would be lost.
    _checked(text, home, "app", domain, transport)
    if given.register:
        app_id, secret, domain = await _registered(talk, domain)
    else:
        app_id = _app_id(given, talk, domain)
        secret = _secret(given.secret_file, talk)
    if not given.offline:
        await _asked(talk, domain, app_id, secret)
    written = _checked(text, home, app_id, domain, transport)
    write_private(home / SECRET_FILE, secret + "\n")
    write_private(home / "config.toml", written)
    talk.say("written", secret=SECRET_FILE)
    checklist(talk, domain, app_id, by_webhook=given.transport == "webhook")
    talk.say("next")
    return EXIT_OK


def _checked(text: str, home: Path, app_id: str, domain: str, transport: Mapping[str, str]) -> str:
    """The settings with the section in them, if they are good. Raises ConfigError."""
    written = with_lark(text, {"app_id": app_id, "app_secret_file": SECRET_FILE, "domain": domain, **transport})
    check(written)
    for name in ("encrypt_key_file", "verification_token_file"):
        if name in transport:
            private_line(home, transport[name], "it holds a secret")
    return written


def domain_of(text: str) -> str:
    """The origin that is meant: one of the two worlds by name, or as it is written."""
    return DOMAINS.get(text, text)


def checklist(talk: Talk, domain: str, app_id: str, *, by_webhook: bool = False) -> None:
    """What is to be done in the developer console, and why each; from the table, so that it cannot rot."""
    talk.say("checklist", url=console_url(domain, app_id))
    talk.step("checklist.bot")
    for number, kind in enumerate(("scope", "event", "callback"), 2):
        talk.step(f"checklist.{kind}", number=str(number))
        for need in NEEDS:
            if need.kind == kind:
                optional = f" {say('lark.setup.optional', talk.locale)}" if need.optional else ""
                why = say(need.why, talk.locale)
                sys.stdout.write(f"     [ ] {need.name}  {why}{optional}\n")
    talk.step("checklist.webhook" if by_webhook else "checklist.ws")
    talk.step("checklist.publish")
    if sys.stdout.isatty():
        talk.show_address(console_url(domain, app_id))


async def _registered(talk: Talk, domain: str) -> tuple[str, str, str]:
    def show(begun: Begun) -> None:
        talk.say("register", minutes=str(begun.expires_s // 60))
        talk.show_address(begun.url)

    try:
        async with httpx.AsyncClient() as http:
            made = await register(http, domain=domain, show=show, sleep=asyncio.sleep)
    except RegistrationEnded as ended:
        raise SetupEnded(f"registration.{ended.why}", EXIT_FAILED) from None
    talk.say("registered", app_id=made.app_id)
    return made.app_id, made.app_secret, made.domain


def _app_id(given: argparse.Namespace, talk: Talk, domain: str) -> str:
    app_id: str = given.app_id or ""
    if not app_id:
        if not sys.stdin.isatty():
            raise SetupEnded("needs_app_id")
        talk.say("make_app", url=console_url(domain))
        talk.show_address(console_url(domain))
        app_id = input(say("lark.setup.ask_app_id", talk.locale) + " ").strip()
    if not _APP_ID.fullmatch(app_id):
        raise SetupEnded("bad_app_id")
    return app_id


def _secret(file: str | None, talk: Talk) -> str:
    """The secret, from a private file, from a pipe, or typed and not shown."""
    if file == "-":
        secret = sys.stdin.readline(SECRET_BYTES_MAX).strip()
    elif file:
        path = Path(file).expanduser()
        try:
            if path.stat().st_mode & 0o077:
                raise SetupEnded("secret_not_private", file=path.name)
            secret = path.read_bytes()[: SECRET_BYTES_MAX + 1].decode(errors="replace").strip()
        except OSError as error:
            raise SetupEnded("secret_unreadable", file=path.name, reason=error.strerror or "") from None
    elif sys.stdin.isatty():
        secret = getpass.getpass(say("lark.setup.ask_secret", talk.locale) + " ").strip()
    else:
        raise SetupEnded("needs_secret")
    if not secret or not secret.isprintable() or len(secret) > SECRET_BYTES_MAX:
        raise SetupEnded("bad_secret")
    return secret


async def _asked(talk: Talk, domain: str, app_id: str, secret: str) -> None:
    """Whether the platform takes them. What cannot be asked now is told, and does not stop anybody."""
    clock = SystemClock()
    async with open_asking(
        domain=domain, app_id=app_id, app_secret=secret, wall_ms=clock.now_ms, steady_ms=clock.steady_ms
    ) as asking:
        try:
            await asking.credentials()
        except LarkFault as fault:
            line = credentials(fault, domain)
            if line.state == "fail":
                said = f"{line.said(talk.locale)} {line.step(talk.locale)}"
                raise SetupEnded("refused", EXIT_FAILED, reason=said) from None
            talk.say("unreachable", domain=domain)
            return
    talk.say("accepted", domain=domain)


def _transport(given: argparse.Namespace) -> Mapping[str, str]:
    if given.transport == "ws":
        return {}
    names = ("listen", "encrypt_key_file", "verification_token_file")
    values = {name: getattr(given, name) for name in names}
    if not all(values.values()):
        raise SetupEnded("needs_webhook")
    return {"transport": "webhook", **values, **({"path": given.path} if given.path else {})}


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.lark_setup")
    parser.add_argument("--home", required=True)
    parser.add_argument("--socket", default="")
    parser.add_argument("--locale", choices=LOCALES, default="en")
    parser.add_argument("--domain", default="feishu")
    parser.add_argument("--app-id")
    parser.add_argument("--secret-file")
    parser.add_argument("--transport", choices=("ws", "webhook"), default="ws")
    parser.add_argument("--listen")
    parser.add_argument("--path")
    parser.add_argument("--encrypt-key-file")
    parser.add_argument("--verification-token-file")
    for switch in ("register", "replace", "offline", "checklist"):
        parser.add_argument(f"--{switch}", action="store_true")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
