"""Fares by age and hour.

`fare(age, hour)` gives the fare in cents. Children under 6 ride free. From 6 to 17 and from 65 on it is half of 240. At
night, from 22 until before 5 o'clock, everybody who pays pays 60 more.
"""


def fare(age: int, hour: int) -> int:
    """What somebody of this age pays at this hour."""
    if age < 6:
        return 0
    price = 240
    if age <= 17 or age >= 65:
        price = 120
    if hour >= 22 or hour < 5:
        price = price + 60
    return price
