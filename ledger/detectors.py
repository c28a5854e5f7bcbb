"""What text gives away: a credential, a private address, a path of somebody's machine, a way to reach a person.

Each detector has words that must stand in the text before its pattern is tried, so that ordinary text costs a few
searches for plain strings. Patterns are bounded and begin at a literal: no text makes one of them take more than linear
time. Text is compared as it reads, not as it is spelled: wide letters are ordinary ones here, and what nobody sees
(joiners, marks of direction, variation selectors, combining marks) is not there at all.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import combinations
from typing import Final, Literal, NamedTuple

Reason = Literal["credential", "key_material", "private_url", "absolute_path", "contact"]

SHORT_CHARS_MAX: Final = 256
SHORT_REMEMBERED_MAX: Final = 32_768
LONG_REMEMBERED_MAX: Final = 1_024


class _Detector(NamedTuple):
    reason: Reason
    signs: frozenset[str]
    """Signs of which one must stand in the text; none where there are none."""
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    cased: bool = False
    """Whether it looks at the text with its capitals."""


_SIGNS: Final = "_-=:/\\.@"


_NOT_A_VALUE: Final = (
    r"(?![<${}%*…`\[(=>.,;?!&|/\\)\]]|\.\.|[a-z_][a-z0-9_.]{0,64}\(|"
    r"(?:none|null|nil|undefined|true|false|string|str|text|bytes|int|optional|required|mandatory|yes|no|not|empty|blank"
    r"|redacted|hidden|masked|withheld|os|env|environ|getenv|process|settings|config|self|args|kwargs|request|input"
    r"|getpass|prompt|done|todo|fixed|see|must|should|shall|never|always|both|either|what|which|when|where|how|why|field"
    r"|hashed|missing|wrong|invalid|valid|expired|reset|change|changed|rotate|rotated|unset|encrypted|unknown|forgotten"
    r"|policy|rules|the|this|that|each|only|per|from|read|stored|length|minimum|secret|token|password)(?![a-z0-9]))"
)
"""What stands where a value would, and is none: a placeholder, a type, a reference, or the rest of a sentence."""
_STRONG: Final = (
    r"(?:password|passwd|passphrase|pwd|api[_-]?key|client[_-]?secret|app[_-]?secret|secret[_-]?(?:access[_-]?)?key"
    r"|(?:access|refresh|auth|session)[_-]?token|private[_-]?key)"
)
_ASSIGNED: Final = (
    # A name that means a secret, set with `=`.
    rf"(?<![a-z0-9])(?:{_STRONG}|密码|口令|密钥)[\"']?\s{{0,4}}(?::=|=>|=)\s{{0,4}}[\"']?{_NOT_A_VALUE}\S"
    # As a flag of a command: a value with a digit in it.
    r"|(?<![\w-])--?(?:password|passwd|api-?key|token|secret)[ \t]{1,4}(?=[!-~]{0,64}[0-9])[!-~]{6}"
    # With a colon: a value with a digit or a sign in it, or one with which the line ends.
    rf"|(?<![a-z0-9])(?:password|passwd|passphrase|密码|口令|密钥)[\"']?\s{{0,4}}:\s{{0,4}}[\"']?{_NOT_A_VALUE}"
    r"(?:(?=[!-~]{0,64}[0-9!@#$^&*+])[!-~]{4}|[!-~]{6,64}[ \t]{0,4}(?:$|[\r\n]))"
    rf"|(?<![a-z0-9]){_STRONG}[\"']?\s{{0,4}}:\s{{0,4}}[\"']?{_NOT_A_VALUE}(?=[\w.~+/=-]{{0,64}}[0-9])[\w.~+/=-]{{8}}"
    # `token` and `secret` are words of everyday: the value must look like one.
    rf"|(?<![a-z0-9_])(?:token|secret)[\"']?\s{{0,4}}[=:]\s{{0,4}}[\"']?{_NOT_A_VALUE}"
    r"(?=[\w.~+/=-]{0,64}[0-9])[\w.~+/=-]{12}"
)
_CREDENTIALS: Final = (
    _Detector(
        "credential",
        frozenset(),
        ("bearer",),
        re.compile(
            r"\b(?i:bearer)[ \t]{1,8}(?=[\w.~+/=-]{0,256}(?:[0-9]|[a-z][A-Z]))[\w.~+/=-]{16}",
            re.ASCII,
        ),
        cased=True,
    ),
    _Detector(
        "credential",
        frozenset("=:"),
        ("authorization",),
        re.compile(
            r"authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:basic|bearer|token)\s{1,4}(?![<${*])[\w.~+/=-]{8}", re.ASCII
        ),
    ),
    _Detector(
        "credential",
        frozenset("_-"),
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox"),
        re.compile(
            r"(?<![a-z0-9])(?:gh[pousr]_[a-z0-9]{16}|github_pat_[a-z0-9_]{16}|glpat-[a-z0-9_-]{16}"
            r"|xox[abeoprs]-[a-z0-9-]{10})",
        ),
    ),
    _Detector(
        "credential",
        frozenset("-"),
        ("sk-",),
        re.compile(
            r"(?<![a-z0-9])sk-(?:(?:[a-z]{2,8}[_-]){0,3}[a-z0-9]{16}"
            r"|(?=[a-z0-9_-]{0,64}(?:[a-z][0-9]|[0-9][a-z]))[a-z0-9_-]{20})"
        ),
    ),
    _Detector(
        "credential",
        frozenset("_-"),
        ("k_live_", "k_test_", "npm_", "pypi-"),
        re.compile(
            r"(?<![a-z0-9])(?:[sr]k_(?:live|test)_[a-z0-9]{16}|npm_(?=[a-z]{0,64}[0-9])[a-z0-9]{32}"
            r"|pypi-(?=[a-z_-]{0,64}[0-9])[a-z0-9_-]{32})"
        ),
    ),
    _Detector(
        "credential",
        frozenset(),
        ("aiza",),
        re.compile(r"(?<![A-Za-z0-9])AIza(?=[A-Za-z_-]{0,64}[0-9])[\w-]{35}", re.ASCII),
        cased=True,
    ),
    _Detector(
        "credential",
        frozenset(),
        ("akia", "asia"),
        re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        cased=True,
    ),
    _Detector(
        "credential",
        frozenset("."),
        ("eyj",),
        re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", re.ASCII),
        cased=True,
    ),
    _Detector(
        # A credential of this very ledger.
        "credential",
        frozenset("_"),
        ("fs_",),
        re.compile(r"(?<![\w-])fs_(?=[\w-]{0,40}[0-9])(?=[\w-]{0,40}[A-Z])[\w-]{32}", re.ASCII),
        cased=True,
    ),
    _Detector("credential", frozenset("-"), ("-----begin",), re.compile(r"-----begin [a-z0-9 ]{0,40}private key")),
    _Detector(
        "credential",
        frozenset("=:-"),
        ("passw", "passphrase", "pwd", "密码", "口令", "密钥", "key", "secret", "token"),
        re.compile(_ASSIGNED, re.ASCII),
    ),
    _Detector(
        "credential",
        frozenset("="),
        ("_token=", "_secret=", "_key="),
        re.compile(r"(?<=[A-Z0-9]_)(?:TOKEN|SECRET|KEY)=[\"']?(?![<${*])(?=[!-~]{0,64}[0-9])[\w.~+/=-]{8}", re.ASCII),
        cased=True,
    ),
    _Detector(
        "credential",
        frozenset(":"),
        ("://",),
        re.compile(r"://[^\s/@:\"'<>]{1,128}:(?![<${*%])[^\s/@\"'<>]{1,256}@"),
    ),
    _Detector(
        "credential",
        frozenset("/"),
        ("/hook/", "hooks.slack.com"),
        re.compile(r"/bot/v2/hook/[a-z0-9-]{8}|hooks\.slack\.com/services/[a-z0-9/]{8}"),
    ),
)
_PLACES: Final = (
    _Detector("key_material", frozenset("-"), ("-----begin",), re.compile(r"-----begin [a-z0-9 ]{1,60}-----")),
    _Detector(
        "private_url",
        frozenset("/"),
        ("feishu", "lark"),
        re.compile(
            r"(?<![\w.-])(?!(?:open|www|developer)\.)[\w-]{1,63}(?:\.[\w-]{1,63}){0,6}"
            r"\.(?:feishu\.cn|feishu\.net|larksuite\.com|larkoffice\.com)/[^\s/]",
            re.ASCII,
        ),
    ),
    _Detector(
        "private_url",
        frozenset(":"),
        ("://",),
        re.compile(
            r"(?<!s3)(?<!gs)(?<!oss)://(?:[^\s/@]{0,256}@)?(?:"
            r"localhost(?![\w.-])|127\.[0-9]|10\.[0-9]{1,3}\.[0-9]|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\.|169\.254\.|0\.0\.0\.0"
            r"|\[(?:(?:0{0,4}:){2,7}0{0,3}1|fe[89ab][0-9a-f]:|f[cd][0-9a-f]{2}:)"
            r"|(?:[\w-]{1,63}\.){1,8}(?:internal|intranet|corp|lan|local|localdomain|localhost)(?![\w-])"
            r"|(?:internal|intranet)[.:/])"
            r"|https?://(?!(?:host|hostname|example|server|domain|your|url|address|site)[\w-]{0,20}[:/])"
            r"[a-z][a-z0-9-]{0,62}(?::[0-9]{1,5})?/[^\s/]",
            re.ASCII,
        ),
    ),
    _Detector(
        "absolute_path",
        frozenset("/"),
        ("/",),
        re.compile(
            r"(?<![A-Za-z0-9_./~\-}\])>*%$])/(?:"
            r"(?:home|root|tmp|var|etc|opt|srv|mnt|usr|proc|sys|nix|scratch|workspaces?|cygdrive"
            r"|Users|Volumes|Library|Applications|System)/[^\s/]"
            r"|private/(?:var|tmp|etc|home)/|run/(?:user|secrets|docker|lock)/"
            r"|dev/(?!null|zero|std(?:in|out|err)|u?random|tty|fd)[^\s/]"
            r"|(?:data[0-9]{0,2}|media)/[^\s/]{1,255}/[^\s/])"
        ),
        cased=True,
    ),
    _Detector("absolute_path", frozenset("/"), ("file:/",), re.compile(r"(?<![a-z0-9])file:/{1,3}")),
    _Detector(
        "absolute_path",
        frozenset(":"),
        (":\\", ":/"),
        re.compile(
            # A drive; what looks like an escape in a pattern is none.
            r"(?<![a-z0-9])[a-z]:(?:\\{1,2}(?![dswbnrt](?:[^a-z0-9_]|$))[^\s\\\"']"
            r"|/(?:users|windows|program|documents|temp|tmp|home|work|projects|dev|data)(?=[ /]))"
        ),
    ),
    _Detector(
        "absolute_path",
        frozenset("\\"),
        ("\\\\",),
        re.compile(r"(?<![^\s\"'`(])\\\\[a-z0-9][\w.$-]{0,254}\\[^\s\\]", re.ASCII),
    ),
)
_CONTACTS: Final = (
    _Detector(
        "contact", frozenset("@"), ("@",), re.compile(r"\w@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])", re.ASCII)
    ),
    _Detector(
        "contact",
        frozenset(),
        tuple("0123456789"),
        re.compile(
            r"(?<![\w.+-])(?:\+[0-9]{1,3}(?:[ .-]?\(?[0-9]{2,4}\)?){2,5}|(?:\+?86[ -]?)?1[3-9][0-9](?:[ -]?[0-9]{4}){2}"
            r"|0[0-9]{2,3}-[0-9]{7,8}|(?:\([0-9]{3}\) ?|[0-9]{3}[-.])[0-9]{3}[-.][0-9]{4})(?![\w-]|\.[0-9])",
            re.ASCII,
        ),
    ),
)
_BySigns = dict[str, tuple[_Detector, ...]]


def _by_signs(detectors: tuple[_Detector, ...]) -> _BySigns:
    """The detectors that a text could interest, by the signs that stand in it."""
    every = ["".join(some) for size in range(len(_SIGNS) + 1) for some in combinations(_SIGNS, size)]
    return {
        signs: tuple(one for one in detectors if not one.signs or not one.signs.isdisjoint(signs)) for signs in every
    }


_SECRET: Final = _by_signs(_CREDENTIALS)
_SHOWN: Final = _by_signs((*_CREDENTIALS, *_PLACES))
_CONFIDENTIAL: Final = _by_signs((*_CREDENTIALS, *_PLACES, *_CONTACTS))


def _folding() -> dict[int, str | None]:
    """What each odd character is read as: an ordinary one, or nothing where nobody sees it."""
    unseen = (
        (0x00AD, 0x00AD), (0x0300, 0x036F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
        (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F), (0xE0100, 0xE01EF),
    )  # fmt: skip
    wide = (
        (0x00A0, 0x00A0), (0x00B2, 0x00BA), (0x2000, 0x200A), (0x2024, 0x2024), (0x202F, 0x202F), (0x2070, 0x209F),
        (0x2100, 0x214F), (0x2460, 0x24FF), (0x3000, 0x3000), (0xFE50, 0xFE6F), (0xFF01, 0xFF5E), (0x1D400, 0x1D7FF),
    )  # fmt: skip
    folding: dict[int, str | None] = {}
    for first, last in wide:
        for code in range(first, last + 1):
            plain = unicodedata.normalize("NFKC", chr(code))
            if plain.isascii():
                folding[code] = plain
    for first, last in unseen:
        folding |= dict.fromkeys(range(first, last + 1))
    alike = {
        "/": "\u2044\u2215\u29f8",
        "\\": "\u2216\u29f5\u29f9",
        ":": "\u02d0\u2236\ua789",
        "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    }
    return folding | {ord(odd): plain for plain, odds in alike.items() for odd in odds}


_FOLDING: Final = _folding()


def as_read(text: str) -> str:
    """The text as it reads to whoever looks for something in it."""
    return text if text.isascii() else text.translate(_FOLDING)


def credential_in(text: str) -> bool:
    """Whether a credential stands in the text."""
    return _found(text, _SECRET) is not None


def reason_of(text: str, *, confidential: bool = False) -> Reason | None:
    """Why this text is withheld, or None; a confidential one is also withheld for ways to reach a person."""
    if len(text) <= SHORT_CHARS_MAX:
        return _short(text, confidential)
    return _long(text, confidential)


def forget() -> None:
    """Remember no text that was looked at: some of them may have been erased."""
    _short.cache_clear()
    _long.cache_clear()


@lru_cache(maxsize=SHORT_REMEMBERED_MAX)
def _short(text: str, confidential: bool) -> Reason | None:  # noqa: FBT001  (remembered by place)
    return _found(text, _CONFIDENTIAL if confidential else _SHOWN)


@lru_cache(maxsize=LONG_REMEMBERED_MAX)
def _long(text: str, confidential: bool) -> Reason | None:  # noqa: FBT001  (remembered by place)
    return _found(text, _CONFIDENTIAL if confidential else _SHOWN)


def _found(text: str, detectors: _BySigns) -> Reason | None:
    shown = as_read(text)
    small = shown.lower()
    signs = "".join([sign for sign in _SIGNS if sign in small])
    for reason, _, words, pattern, cased in detectors[signs]:
        for word in words:
            if word in small:
                if pattern.search(shown if cased else small):
                    return reason
                break
    return None
