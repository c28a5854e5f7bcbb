"""What every store promises of hooks' places."""

from ledger.ports import Group, HookRow


def test_what_a_hook_has_come_to_is_replaced_and_hooks_are_told_by_name(store, term):
    build = HookRow("build", 4, 0, 0, "", 3, 8)
    store.append(term, Group(hooks=[build, HookRow("audit", 0, 0, 0, "", 0, 7)]))
    parked = build._replace(attempts=20, parked=1, reason="exit_code 1", changed_at_ms=9)
    store.append(term, Group(hooks=[parked]))
    assert store.hooks() == [HookRow("audit", 0, 0, 0, "", 0, 7), parked]
    assert store.reader().hooks() == store.hooks()
