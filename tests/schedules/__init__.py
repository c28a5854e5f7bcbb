"""Seeded schedules: a whole bot, a whole daemon and the simulated platform on virtual time, while everything fails.

A schedule is a number. It decides what people and agents do, and which faults come when: events doubled, reordered or
late, answers lost after the work was done, daemons and bots killed, clocks that jump, limits, messages taken away,
bots that take over from each other. Then the faults stop, time flows on, and what has to hold holds (`holds`).

    python -m tests.schedules --count 1000          run them and name the ones that fail
    python -m tests.schedules --seed 17 --verbose   run one and tell what happened in it
"""
