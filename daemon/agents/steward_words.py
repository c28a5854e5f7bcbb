"""What a steward writes into the ledger for people to read, in the language it was started with.

An agent knows the wire and none of the ledger's own sentences; these are its own words, as any agent has.
"""

CHARS_MAX = 500
_EN = {
    "ask.writes": "The goal names nothing that the work may write. Is that meant?",
    "ask.writes.nothing": "Yes, nothing is to be written",
    "ask.writes.name": "No, I will name it in a revision",
    "lane.work": "Meet: {text}",
    "lane.rest": "Meet the other {count} criteria",
    "lane.rework": "Change what the owners asked for: {text}",
    "lane.note": "Write down, from the accepted work alone, what was done and how to check it",
    "lane.note.good": "Every statement rests on an artifact that was accepted, named by its id",
    "plan.turned_down": "The plan {plan} was turned down: {reason}. Yes: propose again, as things stand now. "
    "To change the direction itself, revise the goal.",
    "plan.used_up": "{count} plans for this revision have not proved every criterion: {criteria}. "
    "Yes: plan once more. To change the direction itself, revise the goal.",
    "plan.gap": "The plan {plan} has lanes that nobody can do: {gaps}. Who may? A yes here grants nothing; "
    "grant the right with `member grant`, or turn the plan down.",
    "review.purpose": "Review {label} ({artifact}) of {author}: accept or reject it, with a reason",
    "review.good": "A word was given by `artifact review` for exactly this digest",
    "review.return": "Your verdict and what it rests on",
    "review.silent": "{agent} has not answered for {minutes} minutes; another one is asked",
    "review.unanswered": "{agent} was asked in another one's place to review {label} ({artifact}), and has not "
    "answered either. Who should? Let a reviewer have the goal, or review it yourself.",
    "review.nobody": "Nobody but the author can review {label} ({artifact}). Who should? "
    "Let a reviewer have the goal, or review it yourself.",
    "redo.title": "Again: {title}",
    "redo.rejected": "Takes the place of {artifact}, which {reviewer} rejected: {reason}",
    "redo.stale": "Takes the place of {artifact}, whose basis no longer holds",
    "redo.used_up": "{title} was done {count} times and its evidence does not hold. "
    "Yes: once more. To change the direction itself, revise the goal.",
    "rewire.why": "{old} no longer holds; what waits for it waits for {new}",
    "rebind.why": "{agent} let the lease of {todo} run out {count} times",
    "rebind.stuck": "{agent} had turns on {todo} that came to nothing, and has not replanned for {minutes} minutes",
    "replan.stuck": "{agent} had turns that came to nothing, and has not replanned for {minutes} minutes. What should "
    "change? A yes here changes nothing by itself: revise the goal, change the work, or let another agent have it.",
    "rebind.gone": "{agent} does not have this goal any longer",
    "blocked": "{title} is blocked: {reason}. Yes: it goes on. No: it stays blocked.",
    "reopened": "Goes on by {gate}",
    "withdrawn.reviewed": "Nothing is left to review there",
    "withdrawn.gone": "{agent} does not have this goal any longer",
    "withdrawn.gate": "The question has settled itself",
    "deliver": "Each criterion has evidence that counts.",
    "deliver.line": "{criterion} {text}: {label} ({artifact}, sha256 {digest}) by {author}{reviewed}",
    "deliver.reviewed": ", reviewed by {reviewer}",
    "no_reason": "no reason was given",
}
_ZH = {
    "ask.writes": "目标没有写明工作可以写入哪些内容。这是有意的吗？",
    "ask.writes.nothing": "是的，不写入任何内容",
    "ask.writes.name": "不是，我会在修订中写明",
    "lane.work": "达成：{text}",
    "lane.rest": "达成其余 {count} 项标准",
    "lane.rework": "按负责人的要求修改：{text}",
    "lane.note": "仅依据已接受的工作，写明做了什么、如何核对",
    "lane.note.good": "每一句话都有已接受的交付物作依据，并注明其编号",
    "plan.turned_down": "计划 {plan} 未获通过：{reason}。选择“是”则按目前情况重新提出。若要改变方向，请修订目标。",
    "plan.used_up": "本修订已有 {count} 份计划，仍有标准未得到证明：{criteria}。选择“是”则再计划一次。"
    "若要改变方向，请修订目标。",
    "plan.gap": "计划 {plan} 中有无人能做的工作线：{gaps}。谁可以做？此处的“是”不授予任何权限；"
    "请用 `member grant` 授权，或否决该计划。",
    "review.purpose": "请评审 {author} 的 {label}（{artifact}）：接受或驳回，并说明理由",
    "review.good": "已用 `artifact review` 对这一摘要给出结论",
    "review.return": "你的结论及依据",
    "review.silent": "{agent} 已有 {minutes} 分钟未答复；改请另一位评审者",
    "review.unanswered": "已改请 {agent} 评审 {label}（{artifact}），仍未得到答复。应由谁评审？"
    "请让一位评审者加入该目标，或亲自评审。",
    "review.nobody": "除作者外无人可以评审 {label}（{artifact}）。应由谁评审？请让一位评审者加入该目标，或亲自评审。",
    "redo.title": "重做：{title}",
    "redo.rejected": "取代 {artifact}，它被 {reviewer} 驳回：{reason}",
    "redo.stale": "取代 {artifact}，它所依据的内容已不成立",
    "redo.used_up": "{title} 已做 {count} 次，其交付物仍不成立。选择“是”则再做一次。若要改变方向，请修订目标。",
    "rewire.why": "{old} 已不成立；等待它的工作改为等待 {new}",
    "rebind.why": "{agent} 让 {todo} 的租约过期 {count} 次",
    "rebind.stuck": "{agent} 在 {todo} 上的几个回合没有进展，并已有 {minutes} 分钟未重新规划",
    "replan.stuck": "{agent} 的几个回合没有进展，并已有 {minutes} 分钟未重新规划。应作何改变？"
    "此处的“是”本身不改变任何事：请修订目标、更改工作，或让另一个智能体加入该目标。",
    "rebind.gone": "{agent} 已不再参与该目标",
    "blocked": "{title} 受阻：{reason}。选择“是”则继续；选择“否”则保持受阻。",
    "reopened": "依据 {gate} 继续",
    "withdrawn.reviewed": "那里已没有需要评审的内容",
    "withdrawn.gone": "{agent} 已不再参与该目标",
    "withdrawn.gate": "这个问题已自行解决",
    "deliver": "每项标准都有有效的交付物。",
    "deliver.line": "{criterion} {text}：{label}（{artifact}，sha256 {digest}），作者 {author}{reviewed}",
    "deliver.reviewed": "，由 {reviewer} 评审",
    "no_reason": "未说明理由",
}
LANGUAGES = {"en": _EN, "zh": _ZH}


class Words:
    """The sentences of one language."""

    def __init__(self, locale: str = "en") -> None:
        self._texts = LANGUAGES.get(locale, _EN)

    def say(self, key: str, **values: object) -> str:
        """A sentence with its values, never longer than the ledger takes for a line."""
        shown = {name: clip(str(value), 200) for name, value in values.items()}
        return clip(self._texts[key].format(**shown), CHARS_MAX)


def clip(words: str, chars_max: int) -> str:
    """At most so many characters, in one line; what was cut shows that it was."""
    line = " ".join(words.split())
    return line if len(line) <= chars_max else line[: chars_max - 1] + "…"
