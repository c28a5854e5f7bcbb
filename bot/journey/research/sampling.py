"""The sample as a document: which files were drawn, and their digests, so that nobody measures on others unseen."""

from hashlib import sha256
from pathlib import Path

from bot.journey.research.functions import draw, drawn_files
from bot.journey.research.measurement import Document, parsed
from bot.journey.research.protocol import Protocol, read

SCHEMA = "frontstage_sample_v0"


def sample(root: Path, protocol: Protocol) -> Document:
    """The registered sample, drawn. Raises NoData."""
    drawn = draw(root, protocol.seed, protocol.sample)
    return {
        "schema_version": SCHEMA,
        "protocol": protocol.sentence,
        "files": [{"name": name, "sha256": digest} for name, digest in drawn.names],
        "functions": drawn.functions,
        "sha256": drawn.sha256,
    }


def redrawn(root: Path, data: bytes) -> str:
    """What is different when the sample is drawn again; empty where nothing is. Raises NotAMeasurement and NoData."""
    document = parsed(data, SCHEMA)
    fresh = sample(root, read(str(document.get("protocol"))))
    wrong = next((name for name in fresh if document.get(name) != fresh[name]), None)
    return "" if document == fresh else f"drawn again, {wrong or 'the document'} is another"


def other_files(root: Path, protocol: Protocol, data: bytes) -> str:
    """Why this sample is not of the files that are here; empty where it is. It counts nothing, and so it is quick.

    Raises NotAMeasurement and NoData.
    """
    document = parsed(data, SCHEMA)
    if document.get("protocol") != protocol.sentence:
        return "the sample follows another protocol than the one that is registered"
    files = [
        {"name": path.relative_to(root).as_posix(), "sha256": sha256(path.read_bytes()).hexdigest()}
        for path in drawn_files(root, protocol.seed, protocol.sample)
    ]
    return "" if document.get("files") == files else "the sample is not of the files that are drawn here"
