"""Words on lines.

`words_a_line(lengths, width)` fills lines with words of these lengths, in their order, as many on a line as fit, with
one blank between two of them, and gives how many words stand on each line. A word that is longer than a line has a line
of its own.
"""


def words_a_line(lengths: list[int], width: int) -> list[int]:
    """How many words stand on each line."""
    lines: list[int] = []
    room = 0
    for length in lengths:
        if lines and length + 1 <= room:
            lines[-1] = lines[-1] + 1
            room = room - length - 1
        else:
            lines.append(1)
            room = width - length
    return lines
