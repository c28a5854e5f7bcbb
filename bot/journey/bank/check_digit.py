"""Check digits of card numbers.

`checksum(digits)` adds the digits up, from the right, with every second one doubled, beginning with the one before the
last; of a doubled digit above 9 its own digits are added, so that 8 counts 1 + 6. The answer is the last digit of the
sum. A number is well formed when that is 0.
"""


def checksum(digits: list[int]) -> int:
    """The last digit of the weighted sum."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        counted = digit
        if place % 2 == 1:
            counted = digit * 2
        if counted > 9:
            counted = counted - 9
        total = total + counted
    return total % 10
