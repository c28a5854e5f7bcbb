"""A limit on how often.

`allowed(times, limit, window)` says of each moment, given in rising order, whether a call at it is let through: at
most `limit` calls are let through in any stretch of less than `window` units of time, so that a call exactly one window
after another is not held up by it. A call that is not let through counts for nothing afterwards.
"""


def allowed(times: list[int], limit: int, window: int) -> list[bool]:
    """Whether each call is let through."""
    let_through: list[int] = []
    answers: list[bool] = []
    for now in times:
        recent = 0
        for earlier in let_through:
            if now - earlier < window:
                recent = recent + 1
        answers.append(recent < limit)
        if recent < limit:
            let_through.append(now)
    return answers
