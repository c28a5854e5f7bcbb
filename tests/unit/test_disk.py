"""When a commit is waited for in place: while the disk is quick, and only when it has nothing else to do."""

import threading

from daemon.disk import CHECKPOINT_EVERY, QUICK_IN_A_ROW, QUICK_NS_MAX, Disk


def quick(disk, times=QUICK_IN_A_ROW):
    for _ in range(times):
        disk.took(QUICK_NS_MAX)


def test_a_disk_is_at_hand_after_enough_quick_commits_and_one_slow_one_ends_it():
    disk = Disk(lambda error: None)
    quick(disk, QUICK_IN_A_ROW - 1)
    assert not disk.at_hand
    quick(disk, 1)
    assert disk.at_hand
    disk.took(QUICK_NS_MAX + 1)
    assert not disk.at_hand
    quick(disk)
    assert disk.at_hand


def test_a_disk_that_has_something_to_do_is_not_at_hand():
    """Two at once would write through one handle."""
    disk = Disk(lambda error: None)
    quick(disk)
    began, may_end = threading.Event(), threading.Event()
    disk.put(lambda: (began.set(), may_end.wait()))
    assert not disk.at_hand
    disk.start()
    began.wait()
    assert not disk.at_hand
    may_end.set()
    disk.end()
    assert disk.at_hand


def test_the_log_is_folded_back_by_the_thread_now_and_then():
    disk, folded = Disk(lambda error: None), []
    disk.start()
    for _ in range(2 * CHECKPOINT_EVERY + 1):
        disk.spared(lambda: folded.append(threading.current_thread().name))
    disk.end()
    assert folded == ["writer", "writer"]


def test_a_job_that_fails_is_told_of_and_the_next_is_done():
    told, done = [], []
    disk = Disk(lambda error: told.append(str(error)))
    disk.put(lambda: 1 // 0)
    disk.put(lambda: done.append("next"))
    disk.start()
    disk.end()
    assert (len(told), done) == (1, ["next"])
