"""The shapes of places that only some can reach, of keys, and of ways to reach a person."""

import re
from typing import Final

from ledger.shapes import Shape

_BYTE: Final = r"(?:\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2}))"
_OF_A_PROGRAM: Final = (
    "app|appsettings|asyncio|com|compose|config|core|data|docker-compose|env|flask|io|java|jdk|lib|module|modules|net|next"
    "|node|org|override|package|pkg|react|scope|self|settings|src|state|std|storage|sun|test|thread|threading|this|user"
    "|values|var|variables|vars|vite"
)
"""How names of files, packages and fields begin that end as the name of a host does."""
PLACES: Final = (
    Shape("key_material", frozenset("-"), ("-----begin",), re.compile(r"-----begin [a-z0-9 ]{1,60}-----")),
    Shape(
        "private_url",
        frozenset("/"),
        ("feishu", "lark"),
        re.compile(
            r"(?<![\w.-])(?!(?:open|www|developer)\.)[\w-]{1,63}(?:\.[\w-]{1,63}){0,6}"
            r"\.(?:feishu\.cn|feishu\.net|larksuite\.com|larkoffice\.com)/[^\s/]",
            re.ASCII,
        ),
    ),
    Shape(
        "private_url",
        frozenset(":"),
        ("://",),
        re.compile(
            r"(?<!s3)(?<!gs)(?<!oss)://(?:[^\s/@]{0,256}@)?(?:"
            r"localhost(?:\.(?![\w-])|(?![\w.-]))|127\.[0-9]|10\.[0-9]|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\."
            r"|169\.254\.|0\.0\.0\.0|100\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\."
            # A host that is one number, or has parts in another base, is written so by whoever hides it.
            r"|0x[0-9a-f]{1,8}(?![\w-])|0[0-7]{0,11}(?=[.:/?#\s]|$)|[0-9]{8,10}(?![\w.-])"
            r"|\[(?:(?:0{0,4}:){2,7}(?:0{0,3}1|ffff:|\])|fe[89ab][0-9a-f]:|f[cd][0-9a-f]{2}:)"
            r"|(?:[\w-]{1,63}\.){1,8}(?:internal|intranet|corp|lan|local|localdomain|localhost)(?![\w-])"
            r"|(?:internal|intranet)[.:/])"
            r"|https?://(?!(?:host|hostname|example|server|domain|your|url|address|site)[\w-]{0,20}[:/])"
            r"[a-z][a-z0-9-]{0,62}(?::[0-9]{1,5})?/[^\s/]",
            re.ASCII,
        ),
    ),
    Shape(
        # A network that nobody outside reaches, without a protocol before it. A version of four numbers is none.
        "private_url",
        frozenset("."),
        ("10.", "192.168.", "172.", "169.254.", ".0.0."),
        re.compile(
            r"(?<![\w.+-])(?<!\w/)(?<![=<>~^!]=)(?<!version )(?<!version: )(?<!release )(?<!section )(?<!chapter )"
            r"(?<!clause )(?<!版本)(?<!版本 )(?<!§)(?<!§ )(?<!第)(?<!第 )"
            rf"(?:10{_BYTE}{{3}}|(?:192\.168|172\.(?:1[6-9]|2[0-9]|3[01])|169\.254){_BYTE}{{2}}|0[0-7]{{2,3}}{_BYTE}{{3}})"
            r"(?![\w+-]|\.[0-9])",
            re.ASCII,
        ),
    ),
    Shape(
        "private_url",
        frozenset(":"),
        ("fe8", "fe9", "fea", "feb", "fc", "fd"),
        re.compile(
            r"(?<![\w.-])(?<!\w:)(?<!::)(?:fe[89ab][0-9a-f]|f[cd][0-9a-f]{2}):(?:(?:[0-9a-f]{1,4}:){0,6}:|(?:[0-9a-f]{1,4}:){6}[0-9a-f])",
            re.ASCII,
        ),
    ),
    Shape(
        # The name of a host that only a network of one's own knows.
        "private_url",
        frozenset("."),
        (".corp", ".lan", ".intranet", ".localdomain", ".home.arpa"),
        re.compile(
            r"(?<![\w.$/-])[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,7}"
            r"\.(?:corp|lan|intranet|localdomain|home\.arpa)(?![\w(=-]|\.\w)",
            re.ASCII,
        ),
    ),
    Shape(
        # These two end names of files, packages and fields as well: what begins as those do is left alone.
        "private_url",
        frozenset("."),
        (".internal", ".local"),
        re.compile(
            rf"(?<![\w.$/-])(?!(?:{_OF_A_PROGRAM})[.])[a-z0-9][a-z0-9-]{{0,62}}(?:\.[a-z0-9-]{{1,63}}){{0,7}}"
            r"\.(?:internal|local)(?![\w(=-]|\.\w)",
            re.ASCII,
        ),
    ),
    Shape(
        # As secure shells write it. A public host has a dot in its name; what package managers write is no host.
        "private_url",
        frozenset("@"),
        ("@",),
        re.compile(
            r"\w@(?!(?:npm|workspace|patch|file|link|portal|catalog|exec|git|github|https?|ssh|host|hostname):)"
            r"[a-z][a-z0-9-]{0,62}:[\w.~-]{0,100}/[\w]",
            re.ASCII,
        ),
    ),
    Shape(
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
    Shape("absolute_path", frozenset("/"), ("file:/",), re.compile(r"(?<![a-z0-9])file:/{1,3}")),
    Shape(
        "absolute_path",
        frozenset(":"),
        (":\\", ":/"),
        re.compile(
            # A drive; what looks like an escape in a pattern is none.
            r"(?<![a-z0-9])[a-z]:(?:\\{1,2}(?![dswbnrt](?:[^a-z0-9_]|$))[^\s\\\"']"
            r"|/(?:users|windows|program|documents|temp|tmp|home|work|projects|dev|data)(?=[ /]))"
        ),
    ),
    Shape(
        "absolute_path",
        frozenset("\\"),
        ("\\\\",),
        re.compile(
            r"(?:(?<![^\s\"'`(])\\\\(?:\\\\)?[a-z0-9]|(?<![\w\s\\\])}&$.^*+?|-])\\\\[a-z0-9][\w.$-])[\w.$-]{0,254}\\{1,2}[^\s\\]",
            re.ASCII,
        ),
    ),
    Shape(
        # A share of a server; what is compared with it are the labels of a build and the steps of a query.
        "absolute_path",
        frozenset("/"),
        ("//",),
        re.compile(
            r"(?<![\w:/.*+>)\]}-])//(?!(?:div|span|table|tr|td|th|ul|ol|li|a|p|body|html|head|form|input|section|book)/)"
            r"(?![\w./-]{0,255}(?::\w|\.\.\.))[a-z0-9][a-z0-9-]{0,62}/[\w$]",
            re.ASCII,
        ),
    ),
    Shape(
        # The folder of whoever runs it, or of a user by name.
        "absolute_path",
        frozenset("/"),
        ("~",),
        re.compile(r"(?<![\w~/.)\]}%*$\\-])~(?:[a-z_][a-z0-9_.-]{0,31})?/[^\s/]", re.ASCII),
    ),
    Shape(
        "absolute_path",
        frozenset("/\\"),
        ("$home", "${home", "$env:", "userprofile", "%appdata%", "%localappdata%", "%homepath%"),
        re.compile(
            r"(?:\$(?:home|env:(?:home|userprofile|appdata|localappdata|homepath))|\$\{(?:home|userprofile)(?::-[^\s}]{0,128})?\}"
            r"|%(?:userprofile|appdata|localappdata|homepath)%)[\"']?[/\\][^\s/\\]"
        ),
    ),
)
CONTACTS: Final = (
    Shape(
        "contact", frozenset("@"), ("@",), re.compile(r"\w@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])", re.ASCII)
    ),
    Shape(
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
