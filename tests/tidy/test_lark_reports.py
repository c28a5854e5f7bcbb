"""Each report has its tests, and they are there."""

import ast
from functools import cache

import pytest

from tests.support.lark_reports import PLATFORM, PRODUCTS, REPORTS
from tests.tidy.sources import ROOT


@cache
def functions(file):
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.fault[:60])
def test_a_report_has_tests_that_exist(report):
    assert report.tests
    for named in report.tests:
        file, _, test = named.partition("::")
        assert test.startswith("test_")
        assert test in functions(file), named


def test_no_report_is_missing_and_none_is_there_twice():
    assert len({report.fault for report in REPORTS}) == len(REPORTS)
    assert (len(PLATFORM), len(PRODUCTS)) == (34, 25)
