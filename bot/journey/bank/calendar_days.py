"""Days of a month in the Gregorian calendar.

`days_in_month(year, month)` gives how many days the month has, with months counted from 1. Every fourth year is a leap
year, but for the full hundreds, unless four hundred divides them: 1900 was none, 2000 was one.
"""


def is_leap(year: int) -> bool:
    """Whether the year has a 29 February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """How many days there are."""
    if month == 2:
        return 29 if is_leap(year) else 28
    if month in {4, 6, 9, 11}:
        return 30
    return 31
