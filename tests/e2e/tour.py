"""A person at the chat page, who sees what is on the screen and points at it, and knows no id and no card's inside.

A document tells what people do, in sentences whose marked words are steps:

    *Ann Lee* …                 who acts from here on (the person switch of the page)
    opens **Launch room**       a chat in the list at the side
    writes `text`               into the line at the bottom
    fills in **Label** with `text`
    presses **Label**           the last button that says so
    reads “text”                anywhere on the screen, now or soon

(in Chinese: 打开, 发送, 填写 **Label**：`text`, 点击, 看到),

and a `console` block is what the agent does.
"""

import json
import re
from dataclasses import dataclass

MARKED = re.compile(
    r"(?<!\*)\*(?P<who>[^*\s][^*]*)\*(?!\*)|\*\*(?P<bold>[^*]+)\*\*(?:(?: with |： ?)`(?P<value>[^`]+)`)?"
    r"|“(?P<reads>[^”]+)”|(?:writes|发送) `(?P<writes>[^`]+)`"
)


@dataclass(frozen=True)
class Step:
    """One thing to do: `who`, `opens`, `writes`, `fills`, `presses`, `reads` or `console`."""

    does: str
    what: str
    value: str = ""


def steps(document):
    """All steps of a document's numbered lists and console blocks, in order."""
    found = []
    for part in re.split(r"(?m)^(?=\d+\. |```console$)", document)[1:]:
        if part.startswith("```console"):
            body = part.partition("\n")[2].partition("```")[0]
            found.append(Step("console", "\n".join(line[2:] for line in body.splitlines() if line.startswith("$ "))))
        else:
            found += _of_item(part.partition("\n\n")[0])
    return found


def _of_item(text):
    text = " ".join(text.split())
    for found in MARKED.finditer(text):
        if found["who"]:
            yield Step("who", found["who"])
        elif found["reads"]:
            yield Step("reads", found["reads"])
        elif found["writes"]:
            yield Step("writes", found["writes"])
        elif found["value"]:
            yield Step("fills", found["bold"], found["value"])
        else:
            verb = re.search(r"(opens|打开|presses|点击)\W*$", text[: found.start()])
            assert verb, f"what is done with {found['bold']!r}? {text}"
            yield Step("opens" if verb[1] in {"opens", "打开"} else "presses", found["bold"])


EYES = """
const seen = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility !== "hidden";
const says = (one) => one.innerText.trim();
const here = () => document.querySelector("dialog[open]") || document;
const all = (selector) => [...here().querySelectorAll(selector)].filter(seen);
const point = (one) => {  // a finger that waits to see what comes of it
  if (!one || performance.now() - (window.pointedAt ?? -1000) < 500) return;
  window.pointedAt = performance.now();
  one.click();
};
const named = (selector, name) => all(selector).filter((one) => says(one).split("\\n").includes(name)).at(-1);
"""


class Eyes:
    """Somebody in front of the page."""

    def __init__(self, page):
        self._page = page

    async def _do(self, what, script):
        """Do it as soon as it is there to be done."""
        wrapped = f"(() => {{ {EYES} {script} }})()"
        try:
            await self._page.until(wrapped)
        except RuntimeError:
            shown = await self._page.run("document.body.innerText")
            raise AssertionError(f"{what}; on the screen: {shown[-3000:]}") from None

    async def who(self, name):
        await self._do(f"nobody is called {name}", f"""
            const mine = named('[role=radio]', {json.dumps(name)});
            if (mine?.getAttribute('aria-checked') === 'true') return true;
            point(mine);
            return false;""")  # fmt: skip

    async def opens(self, chat):
        await self._do(f"there is no chat {chat}", f"""
            if (named('main h1', {json.dumps(chat)})) return true;
            point(all('nav button').find((one) => says(one).includes({json.dumps(chat)})));
            return false;""")  # fmt: skip

    async def writes(self, text):
        await self._do("nothing can be written", f"""
            const line = all('main textarea:enabled').filter((one) => !one.closest('article')).at(-1);
            const send = all('main button[type=submit]').at(-1);
            if (!line || !send) return false;
            line.value = {json.dumps(text)};
            line.dispatchEvent(new Event('input', {{ bubbles: true }}));
            send.click();
            return true;""")  # fmt: skip

    async def fills(self, label, text):
        await self._do(f"there is no field {label}", f"""
            const field = all('article label').filter((one) => says(one).startsWith({json.dumps(label)})).at(-1)
                ?.querySelector('input, textarea, select');
            if (!field) return false;
            field.focus();
            field.value = {json.dumps(text)};
            field.dispatchEvent(new Event('input', {{ bubbles: true }}));
            return true;""")  # fmt: skip

    async def presses(self, label):
        await self._do(f"there is no button {label}", f"""
            const button = all('button:enabled').filter((one) => says(one) === {json.dumps(label)}).at(-1);
            button?.click();
            return Boolean(button);""")  # fmt: skip

    async def reads(self, text):
        words = json.dumps(" ".join(text.split()))
        await self._do(f"nobody reads {text}", f"""
            return document.body.innerText.replace(/\\s+/g, ' ').includes({words});""")  # fmt: skip

    async def do(self, step):
        """Do one step of a document."""
        match step.does:
            case "fills":
                await self.fills(step.what, step.value)
            case _:
                await getattr(self, step.does)(step.what)
