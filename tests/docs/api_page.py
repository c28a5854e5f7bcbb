"""The table of routes in docs/api.md: `python -m tests.docs.api_page` writes it."""

from daemon.api.openapi import openapi_document
from tests.tidy.sources import ROOT

PAGE = ROOT / "docs" / "api.md"
BEGIN, END = "<!-- routes -->\n", "<!-- end of routes -->\n"
ACTIONS = "/v1/actions/"
WHO = {True: "member or operator", False: "anybody who reaches the socket"}


def table():
    """A row for each route; actions are two rows, for there are many and they are listed elsewhere."""
    rows = ["| Route | Who | |", "|---|---|---|"]
    rows.append(f"| `POST {ACTIONS}NOUN.VERB` | {WHO[True]} | An action that writes. |")
    rows.append(f"| `GET {ACTIONS}NOUN.VERB` | {WHO[True]} | A document. |")
    for path, item in openapi_document()["paths"].items():
        if path.startswith(ACTIONS):
            continue
        for method, operation in item.items():
            proved = operation.get("security") != [{}]
            rows.append(f"| `{method.upper()} {path}` | {WHO[proved]} | {operation['summary']} |")
    return "\n".join(rows) + "\n"


def with_table(text):
    """The page with the table as it is now."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
