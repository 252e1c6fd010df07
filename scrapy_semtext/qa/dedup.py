"""Near-identical pairs, found by MinHash with locality-sensitive hashing (datasketch) in bounded memory."""

from __future__ import annotations

import unicodedata
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from scrapy_semtext.utils.extras import load_extra
from scrapy_semtext.utils.replacing import replacing_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.page import QAPair

    Signature = NDArray[np.uint32]

#: Characters per shingle. Shingles are made of characters because Chinese and Japanese put no spaces between words.
_SHINGLE = 4

#: Number of hash values for the question, and for the answer. The estimated similarity has an error of about 0.04.
_HASHES = 64

#: The number of characters of a text that are compared; the time of a comparison is proportional to it.
_ENOUGH = 20_000


class PairMemory:
    """Remembers pairs and detects near-identical ones.

    Two pairs are near-identical if both their questions and their answers are: a share of at least ``threshold`` of all
    four-character shingles of the two texts occurs in both (estimated Jaccard similarity). Case, punctuation and white
    space are ignored. At most ``size`` pairs are remembered; the pair that has not been met for the longest time is
    forgotten first. The same pairs in the same order always give the same results.

    Raises MissingExtraError without datasketch, and ValueError for a threshold that is not above 0 and at most 1 or a
    size below 1.
    """

    def __init__(self, threshold: float, size: int) -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"the threshold is {threshold!r}; it has to be above 0 and at most 1")
        if size < 1:
            raise ValueError(f"the size is {size!r}; it has to be at least 1")
        self._datasketch = load_extra("datasketch", "dedup")
        self._empty = self._datasketch.MinHash(num_perm=_HASHES, seed=1, hashfunc=crc32)
        self._threshold = threshold
        self._size = size
        # The index only proposes candidates. It must miss few of them, and cannot be built for thresholds closer to 1.
        self._index = self._datasketch.MinHashLSH(
            threshold=min(threshold, 0.95), num_perm=2 * _HASHES, weights=(0.2, 0.8)
        )
        self._signatures: OrderedDict[int, Signature] = OrderedDict()  # the pair met last is at the end
        self._next = 0

    def __len__(self) -> int:
        return len(self._signatures)

    def is_new(self, pair: QAPair) -> bool:
        """Return whether no near-identical pair is remembered; if so, remember this one."""
        signature = self._signature(pair)
        known = self._find(signature)
        if known is not None:
            self._signatures.move_to_end(known)
            return False
        self._remember(signature)
        return True

    def save(self, path: str | Path) -> None:
        """Write the remembered pairs to a file, which is replaced as a whole. Raises OSError."""
        path = Path(path)
        rows = np.array(list(self._signatures.values()), np.uint32).reshape(-1, 2 * _HASHES)
        with replacing_file(path) as file:
            np.save(file, rows, allow_pickle=False)

    def load(self, path: str | Path) -> None:
        """Load the pairs from a saved file; raise ValueError or OSError if the file cannot be used."""
        with Path(path).open("rb") as file:
            rows = np.lib.format.read_array(file, allow_pickle=False)
        if rows.ndim != 2 or rows.shape[1] != 2 * _HASHES or rows.dtype != np.uint32:
            raise ValueError(f"{path} holds no signatures of pairs")
        for row in rows[-self._size :]:
            self._remember(row)

    def _find(self, signature: Signature) -> int | None:
        """Return the key of the oldest remembered pair that is near-identical, or None if there is none."""
        for key in sorted(self._index.query(self._hashed(signature))):
            same = self._signatures[key] == signature
            # A signature alternates the hash values of question and answer.
            if min(same[::2].mean(), same[1::2].mean()) >= self._threshold:
                return int(key)
        return None

    def _remember(self, signature: Signature) -> None:
        while len(self._signatures) >= self._size:
            key, _ = self._signatures.popitem(last=False)
            self._index.remove(key)
        self._signatures[self._next] = signature
        self._index.insert(self._next, self._hashed(signature), check_duplication=False)
        self._next += 1

    def _hashed(self, signature: Signature) -> Any:
        return self._datasketch.LeanMinHash(seed=1, hashvalues=signature, scheme="affine32")

    def _signature(self, pair: QAPair) -> Signature:
        """Return the hash values of question and answer, alternating so that each band of the index covers both."""
        signature = np.empty(2 * _HASHES, np.uint32)
        signature[::2] = self._hashes(pair.question)
        signature[1::2] = self._hashes(pair.answer)
        return signature

    def _hashes(self, text: str) -> Signature:
        sketch = self._empty.copy()
        sketch.update_batch([shingle.encode(errors="surrogatepass") for shingle in shingles(text)])
        values: Signature = sketch.hashvalues
        return values


def shingles(text: str) -> set[str]:
    """Return all shingles (four letters or digits each) of a case-folded text; a short text is a single shingle."""
    plain = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text[:_ENOUGH]).casefold()))
    return {plain[at : at + _SHINGLE] for at in range(max(1, len(plain) - _SHINGLE + 1))}
