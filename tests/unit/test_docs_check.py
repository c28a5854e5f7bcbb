"""The demo agent's check: what is wrong is found where it is, and what was not looked at is not called good."""

import pytest

from daemon.agents.docs_check import NoDocs, check_folder


def check(tmp_path, text, *, known=("frontstage status",), **more):
    (tmp_path / "page.md").write_text(text)
    for name, content in more.items():
        (tmp_path / f"{name}.md").write_text(content)
    return check_folder(tmp_path, lambda words: " ".join(words[:2]) in known)


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("# A\n\n[b](#a)\n", []),
        ("# A\n\n[b](#b)\n", [(3, "link", "#b names no heading")]),
        ("# A\n\n[b](gone.md)\n", [(3, "link", "gone.md leads nowhere")]),
        ("# A\n\n[b](other.md#two-words)\n", []),
        ("# A\n\n[b](other.md#three)\n", [(3, "link", "other.md#three names no heading")]),
        ("# A\n\n![b](picture.png)\n", [(3, "link", "picture.png leads nowhere")]),
        ("# A\n\n### B\n", [(3, "heading", "level 3 follows level 1")]),
        ("text\n", [(1, "heading", "does not begin with a title")]),
        (
            "# A\n\n```console\n$ frontstage status\n$ frontstage dance\n```\n",
            [(5, "command", "frontstage dance: no such command")],
        ),
        ("# A\n\n```python\n$ frontstage dance\n```\n", []),
        ("# A\n\n`[b](gone.md)`\n", []),
    ],
)
def test_each_fault_is_found_on_its_line(tmp_path, text, findings):
    report = check(tmp_path, text, other="# Other\n\n## Two words\n")
    assert [(one.line, one.kind, one.detail) for one in report.findings if one.file == "page.md"] == findings
    assert report.document()["ok"] is (not findings)


def test_links_that_lead_away_are_counted_and_not_called_checked(tmp_path):
    report = check(tmp_path, "# A\n\n[b](https://example.org/) [c](../outside.md)\n")
    assert (report.links, report.links_outside, report.findings) == (0, 2, [])
    assert "2 links lead outside" in report.summary()


def test_an_empty_folder_is_not_a_good_one(tmp_path):
    with pytest.raises(NoDocs):
        check_folder(tmp_path, lambda words: True)


def test_two_headings_of_one_name_have_two_anchors(tmp_path):
    assert check(tmp_path, "# A\n\n## B\n\n## B\n\n[x](#b-1)\n").findings == []
    assert check(tmp_path, "# A\n\n## B\n\n[x](#b-1)\n").findings != []
