"""A goal whose objective names a way to reach a person, private or not, and what a document warns of."""

from tests.support.ledger_script import Script

CONTACT = "ann@example.com"


def warned(document):
    return [(one["field_path"], one["reason"]) for one in document.get("source_warnings", [])]


def docs_script(*, private=False):
    script = Script()
    script.add_person("ben", "Ben Ortiz")
    script.add_person("cara", "Cara Diaz")
    script.add_agent("builder")
    script.propose(objective=f"Write to {CONTACT}", approver=("cara",), private=private)
    script.do("ann", "goal.confirm", goal_id="docs", basis=script.goal().intents[0].basis)
    return script
