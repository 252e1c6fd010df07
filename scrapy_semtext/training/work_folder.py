"""The folder for the checkpoints of a training, which belongs to one training."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scrapy_semtext.training.errors import TrainingError

if TYPE_CHECKING:
    from pathlib import Path


def claim_work_folder(work: Path, identity: dict[str, Any]) -> None:
    """Record a training, by values for JSON, in its work folder, so that only the same one resumes its checkpoint.

    Raises TrainingError if the folder holds another training.
    """
    text = json.dumps(identity, indent=2, sort_keys=True)
    path = work / "job.json"
    work.mkdir(parents=True, exist_ok=True)
    if path.exists():
        own, other = json.loads(text), json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name in sorted(own.keys() | other.keys()) if own.get(name) != other.get(name)]
        if differing:
            raise TrainingError(
                f"{work} holds a training that differs in {', '.join(differing)}. Use another --work folder."
            )
    path.write_text(text + "\n", encoding="utf-8")
