"""Research on a real data set: ordinary programs that measure, check, interpret and review, and what they share.

The data set is the source of Python's standard library, which is on every machine that runs this. What is asked, of
which sample, and what would count as an answer is registered in the goal before anything is measured. The programs use
the standard library alone, know nothing of the ledger, and speak the contract of a worker's program.
"""
