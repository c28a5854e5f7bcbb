"""The shapes of credentials: what lets whoever has it act as somebody else."""

import re
from typing import Final

from ledger.shapes import Shape

_NOT_A_VALUE: Final = (
    r"(?![<${}%*…`\[(=>.,;?!&|/\\)\]]|\.\.|[a-z_][a-z0-9_.]{0,64}\(|"
    r"(?:none|null|nil|undefined|true|false|string|str|text|bytes|int|optional|required|mandatory|yes|no|not|empty|blank"
    r"|redacted|hidden|masked|withheld|os|env|environ|getenv|process|settings|config|self|args|kwargs|request|input"
    r"|getpass|prompt|done|todo|fixed|see|must|should|shall|never|always|both|either|what|which|when|where|how|why|field"
    r"|hashed|missing|wrong|invalid|valid|expired|reset|change|changed|rotate|rotated|unset|encrypted|unknown|forgotten"
    r"|policy|rules|the|this|that|each|only|per|from|read|stored|length|minimum|secret|token|password"
    r"|your[-_][a-z_-]{1,64}|changeme|placeholder)(?![a-z0-9]))"
)
"""What stands where a value would, and is none: a placeholder, a type, a reference, or the rest of a sentence."""
_STRONG: Final = (
    r"(?:password|passwd|passphrase|pwd|api[_ -]?key|(?:client|app)[_ -]?secret|secret[_ -]?(?:access[_ -]?)?key"
    r"|(?:access|refresh|auth|session|verification)[_ -]?token|(?:private|encrypt)[_ -]?key"
    r"|(?:account|sharedaccess)[_-]?key)"
)
_EXAMPLE: Final = r"(?!(?i:your)[-_][A-Za-z])"
"""What an example has in place of a value, where the pattern looks at capitals."""
ASSIGNED: Final = re.compile(
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
    r"(?=[\w.~+/=-]{0,64}[0-9])[\w.~+/=-]{12}",
    re.ASCII,
)
NAMES: Final = (
    "password", "passwd", "passphrase", "api_key", "api-key", "apikey", "client_secret", "app_secret", "secret_key",
    "access_key", "access_token", "refresh_token", "auth_token", "session_token", "private_key",
)  # fmt: skip
"""Names of secrets that nobody breaks in two at the end of a line."""
CREDENTIALS: Final = (
    Shape(
        "credential",
        frozenset(),
        ("bearer",),
        re.compile(
            rf"\b(?i:bearer)[ \t]{{1,8}}{_EXAMPLE}(?=[\w.~+/=-]{{0,256}}(?:[0-9]|[a-z][A-Z]))[\w.~+/=-]{{16}}",
            re.ASCII,
        ),
        cased=True,
    ),
    Shape(
        "credential",
        frozenset("=:"),
        ("authorization",),
        re.compile(
            r"authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:basic|bearer|token)\s{1,4}(?![<${*]|your[-_])[\w.~+/=-]{8}",
            re.ASCII,
        ),
    ),
    Shape(
        "credential",
        frozenset("_-"),
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox"),
        re.compile(
            r"(?<![a-z0-9])(?:gh[pousr]_[a-z0-9]{16}|github_pat_[a-z0-9_]{16}|glpat-[a-z0-9_-]{16}"
            r"|xox[abeoprs]-[a-z0-9-]{10})",
        ),
        whole=True,
    ),
    Shape(
        "credential",
        frozenset("-"),
        ("sk-",),
        re.compile(
            r"(?<![a-z0-9])sk-(?:(?:[a-z]{2,8}[_-]){0,3}[a-z0-9]{16}"
            r"|(?=[a-z0-9_-]{0,64}(?:[a-z][0-9]|[0-9][a-z]))[a-z0-9_-]{20})"
        ),
        whole=True,
    ),
    Shape(
        "credential",
        frozenset("_-"),
        ("k_live_", "k_test_", "npm_", "pypi-"),
        re.compile(
            r"(?<![a-z0-9])(?:[sr]k_(?:live|test)_[a-z0-9]{16}|npm_(?=[a-z]{0,64}[0-9])[a-z0-9]{32}"
            r"|pypi-(?=[a-z_-]{0,64}[0-9])[a-z0-9_-]{32})"
        ),
        whole=True,
    ),
    Shape(
        "credential",
        frozenset("_"),
        ("hf_",),
        re.compile(r"(?<![a-z0-9])hf_(?=[a-z]{0,64}[0-9])[a-z0-9]{30}"),
        whole=True,
    ),
    Shape(
        "credential",
        frozenset("."),
        ("sg.",),
        re.compile(r"(?<![A-Za-z0-9])SG\.[\w-]{20,24}\.[\w-]{40}", re.ASCII),
        cased=True,
        whole=True,
    ),
    Shape(
        # Said in a sentence: a word with a digit in it that is no measure and no name of an algorithm.
        "credential",
        frozenset(),
        ("password is", "passphrase is", "密码是", "密码为", "口令是", "密钥是"),
        re.compile(
            r"(?:pass(?:word|phrase) is\s{1,4}|(?:密码|口令|密钥)[是为]\s{0,4})[\"'`]?"
            rf"(?![0-9]{{1,3}}[-a-z]|sha|md5|bcrypt|scrypt|argon|base64|utf|https?:){_NOT_A_VALUE}"
            r"(?=[!-~]{0,64}[0-9])[!-~]{6}"
        ),
    ),
    Shape(
        "credential",
        frozenset(),
        ("aiza",),
        re.compile(r"(?<![A-Za-z0-9])AIza(?=[A-Za-z_-]{0,64}[0-9])[\w-]{35}", re.ASCII),
        cased=True,
        whole=True,
    ),
    Shape(
        "credential",
        frozenset(),
        ("akia", "asia"),
        re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        cased=True,
        whole=True,
    ),
    Shape(
        "credential",
        frozenset("."),
        ("eyj",),
        re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", re.ASCII),
        cased=True,
        whole=True,
    ),
    Shape(
        # A credential of this very ledger.
        "credential",
        frozenset("_"),
        ("fs_",),
        re.compile(r"(?<![\w-])fs_(?=[\w-]{0,40}[0-9])(?=[\w-]{0,40}[A-Z])[\w-]{32}", re.ASCII),
        cased=True,
        whole=True,
    ),
    Shape(
        "credential", frozenset("-"), ("-----begin",), re.compile(r"-----begin [a-z0-9 ]{0,40}private key"), whole=True
    ),
    Shape(
        "credential",
        frozenset("=:-"),
        ("passw", "passphrase", "pwd", "密码", "口令", "密钥", "key", "secret", "token"),
        ASSIGNED,
    ),
    Shape(
        "credential",
        frozenset("="),
        ("_token=", "_secret=", "_key="),
        re.compile(
            rf"(?<=[A-Z0-9]_)(?:TOKEN|SECRET|KEY)=[\"']?(?![<${{*]){_EXAMPLE}(?=[!-~]{{0,64}}[0-9])[\w.~+/=-]{{8}}",
            re.ASCII,
        ),
        cased=True,
    ),
    Shape(
        "credential",
        frozenset(":"),
        ("://",),
        re.compile(r"://[^\s/@:\"'<>]{1,128}:(?![<${*%])[^\s/@\"'<>]{1,256}@"),
    ),
    Shape(
        "credential",
        frozenset("/"),
        ("/hook/", "hooks.slack.com"),
        re.compile(r"/bot/v2/hook/[a-z0-9-]{8}|hooks\.slack\.com/services/[a-z0-9/]{8}"),
    ),
)
