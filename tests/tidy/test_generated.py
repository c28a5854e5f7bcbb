"""Generated files are what their generators would write now (`make generate`).

The compiled message catalogues have a test beside their sources' own: tests/unit/test_po_files.py.
"""

from daemon.cli import generate


def test_the_command_line_knows_every_action_as_the_table_declares_it():
    assert generate.TARGET.read_text(encoding="utf-8") == generate.render()
