"""CPU time of the functions that the extractor itself calls, taken where it calls them.

Nothing of the pipeline is copied here: each stage names the module (or class) and the name by which the extractor finds
its function, and that function is timed in its place. A name that is no longer there is an error, not a zero.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Hook(NamedTuple):
    """A function of a stage, as ``attribute`` of ``owner`` (a module, or a class behind a colon).

    Inside another stage it counts to that one, unless ``part_of`` names it: then it is taken out of it.
    """

    stage: str
    owner: str
    attribute: str
    part_of: str | None = None


#: The stages in the order in which a page goes through them: "describe" is words and numbers of the blocks, "vectors"
#: word vectors and the convolution over them (on a GPU they are part of "sequence"), "sequence" the LSTM and the CRF.
HOOKS = (
    Hook("parse", "scrapy_semtext.dom.tree", "parse"),
    Hook("segment", "scrapy_semtext.features.parsed_page", "blocks_with_tree"),
    Hook("segment", "scrapy_semtext.features.parsed_page", "joined_blocks"),
    Hook("describe", "scrapy_semtext.labelers.network", "page_input"),
    Hook("describe", "scrapy_semtext.features.page_table", "block_features"),
    Hook("sequence", "scrapy_semtext.labelers.network:NetworkLabeler", "score_inputs"),
    Hook("vectors", "scrapy_semtext.inference.network:_Strings", "rows_of", part_of="sequence"),
    Hook("trees", "scrapy_semtext.labelers.structure_trees:StructureTrees", "log_odds"),
    Hook("sections", "scrapy_semtext.extractor", "read_sections"),
    Hook("kinds", "scrapy_semtext.page_kinds.model:KindModel", "probabilities"),
    Hook("markup", "scrapy_semtext.extractor", "qa_pairs_from_markup"),
    Hook("posts", "scrapy_semtext.extractor", "find_page_posts"),
    Hook("pairs", "scrapy_semtext.extractor", "read_pairs"),
)
#: All that is in no stage: labels, title, joining, putting pairs together.
REST = "rest"
STAGES = (
    *("parse", "segment", "posts", "describe", "vectors", "sequence"),
    *("trees", "sections", "kinds", "markup", "pairs", REST),
)


class Stopwatch:
    """Adds up the CPU seconds of each stage. A stage that runs inside another counts to the outer one, or see Hook."""

    def __init__(self, clock: Callable[[], float] = time.process_time) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._clock = clock
        self._running: str | None = None

    @contextmanager
    def installed(self, hooks: tuple[Hook, ...] = HOOKS) -> Iterator[None]:
        """Time the functions of all stages while this lasts. Raises AttributeError for a function there is not."""
        with ExitStack() as stack:
            for hook in hooks:
                owner = _owner(hook.owner)
                original = getattr(owner, hook.attribute)
                setattr(owner, hook.attribute, self._timed(hook, original))
                stack.callback(setattr, owner, hook.attribute, original)
            yield

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Count what is spent in here, beyond the stages, to the rest."""
        before, began = sum(self.seconds.values()), self._clock()
        yield
        self.seconds[REST] += self._clock() - began - (sum(self.seconds.values()) - before)

    def _timed(self, hook: Hook, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            outer = self._running
            if outer is not None and outer != hook.part_of:
                return function(*arguments, **options)
            self._running = hook.stage
            began = self._clock()
            try:
                return function(*arguments, **options)
            finally:
                spent = self._clock() - began
                self.seconds[hook.stage] += spent
                if outer is not None:
                    self.seconds[outer] -= spent
                self._running = outer

        return timed


def _owner(name: str) -> Any:
    module, _, attribute = name.partition(":")
    owner = import_module(module)
    return getattr(owner, attribute) if attribute else owner
