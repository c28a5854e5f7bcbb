"""Power is cut at a random moment: what was acknowledged is there, and the chain holds.

The images come from what SQLite really wrote and really synced. That they can show a loss is proved by the
same run with synchronous=NORMAL, which must lose something.
"""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from ledger.ports import Group, Head
from ledger.store.sqlite import Tuning, _open
from ledger.testing import event_rows, receipt_row, refusal_rows
from ledger.verify import verify
from tests.faults.disks import RememberingDisk, mounted

GROUPS = 60
IMAGES_FULL = 600
IMAGES_NORMAL = 100
LEDGER = "ledger.sqlite3"


@dataclass(frozen=True)
class Acknowledged:
    """What the store had said was durable."""

    head: Head
    refusals_head: Head
    epoch: int


@dataclass
class Losses:
    images: int = 0
    acknowledged: int = 0
    events_lost: int = 0
    refusals_lost: int = 0
    terms_lost: int = 0
    chains_broken: int = 0

    @property
    def any(self) -> bool:
        return bool(self.events_lost or self.refusals_lost or self.terms_lost or self.chains_broken)


def play(disk: RememberingDisk, path: Path, tuning: Tuning, rng: Random) -> None:
    """Write groups of every kind, with checkpoints between them and a restart in the middle."""
    for _ in range(2):
        store = _open(path, tuning)
        term = store.open_term("life-1")
        for _ in range(GROUPS // 2):
            events = event_rows(
                rng.randint(1, 6), after=store.head(), goal_id="goal-1", text="w" * rng.randint(1, 3000)
            )
            store.append(
                term,
                Group(
                    events=events,
                    receipts=[receipt_row(row.seq) for row in events],
                    refusals=refusal_rows(rng.randint(0, 2), after=store.refusals_head()),
                ),
            )
            disk.mark(Acknowledged(store.head(), store.refusals_head(), term.epoch))
            store.checkpoint()
        store.close()


def look_at(files: dict[str, bytes], told: Acknowledged | None, folder: Path, losses: Losses, tuning: Tuning) -> None:
    """Open one image with the real store and compare it with what had been said."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    store = _open(folder / LEDGER, tuning)
    losses.images += 1
    report = verify(store.events(0), receipts=store.receipts(), refusals=store.refusals(0))
    losses.chains_broken += not report.holds
    if told is not None:
        losses.acknowledged += told.head.seq
        losses.events_lost += max(0, told.head.seq - report.head.seq)
        losses.refusals_lost += max(0, told.refusals_head.seq - report.refusals_head.seq)
        if report.head.seq >= told.head.seq:
            last = next(store.events(told.head.seq - 1, limit=1))
            assert (last.seq, last.hash) == told.head
            assert store.receipt(receipt_row(last.seq).key) == receipt_row(last.seq)
    term = store.open_term("life-2")
    losses.terms_lost += told is not None and term.epoch <= told.epoch
    # What came back is a ledger to go on with.
    store.append(term, Group(events=event_rows(1, after=report.head)))
    store.close()


def cut_power(tmp_path: Path, tuning: Tuning, images: int) -> Losses:
    rng = Random(f"{tuning.synchronous} 7")
    losses = Losses()
    # Images are looked at on a disk of the same sort, because it spares the real syncs.
    with mounted(RememberingDisk, "live") as disk, mounted(RememberingDisk, "images") as images_disk:
        folder = tmp_path / "live"
        folder.mkdir()
        play(disk, folder / LEDGER, tuning._replace(vfs=disk.name, checkpoint_frames_min=50), rng)
        looking = Tuning(vfs=images_disk.name)
        for number in range(images):
            files, marks = disk.image(rng.randint(0, len(disk.tape)), rng)
            look_at(files, marks[-1] if marks else None, tmp_path / f"image-{number}", losses, looking)
    return losses


@pytest.mark.slow
def test_no_power_loss_takes_what_was_acknowledged(tmp_path):
    losses = cut_power(tmp_path, Tuning(), IMAGES_FULL)
    assert losses.images == IMAGES_FULL
    assert losses.acknowledged > 10 * IMAGES_FULL
    assert not losses.any, losses


@pytest.mark.slow
def test_without_a_sync_at_each_commit_the_same_images_show_losses(tmp_path):
    losses = cut_power(tmp_path, Tuning(synchronous="NORMAL"), IMAGES_NORMAL)
    assert losses.events_lost > 0, losses
    assert losses.refusals_lost > 0, losses
