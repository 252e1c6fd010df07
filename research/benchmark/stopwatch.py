"""CPU time by stage, measured by wrapping the functions that the extractor calls.

A stage names the module (or class) and the attribute through which the extractor finds its function. A missing
attribute is an error, so that a renamed function cannot go unmeasured.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def parse_alone(html: str) -> Any:
    """Parse a page with lxml, which is the unit of costs."""
    return etree.fromstring(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True))


def seconds_of(function: Callable[..., Any], *arguments: Any) -> float:
    """Return the CPU seconds of a call."""
    began = time.process_time()
    function(*arguments)
    return time.process_time() - began


class Hook(NamedTuple):
    """A function of a stage: ``attribute`` of ``owner``, which is a module, or a class as in "module:Class".

    Within another stage its time counts to that stage, unless ``part_of`` names the stage: then it is deducted from it.
    """

    stage: str
    owner: str
    attribute: str
    part_of: str | None = None


#: The stages in the order in which a page goes through them: "describe" is the words and plain features of the blocks,
#: "vectors" word vectors and the convolution over them (on a GPU part of "sequence"), "sequence" the LSTM and the CRF.
HOOKS = (
    Hook("parse", "scrapy_semtext.tree.parsing", "parse"),
    Hook("segment", "scrapy_semtext.tree.nodes:PageNodes", "of_page"),
    Hook("segment", "scrapy_semtext.features.table", "joined_blocks"),
    Hook("describe", "scrapy_semtext.labelers.bundle", "page_input"),
    Hook("describe", "scrapy_semtext.features.table", "block_features"),
    Hook("sequence", "scrapy_semtext.labelers.bundle:NetworkLabeler", "score_inputs"),
    Hook("vectors", "scrapy_semtext.models.network:StringTable", "ids", part_of="sequence"),
    Hook("trees", "scrapy_semtext.labelers.structure_trees:StructureTrees", "log_odds"),
    Hook("sections", "scrapy_semtext.read.sections", "read_sections"),
    Hook("kinds", "scrapy_semtext.read.kinds:KindModel", "probabilities"),
    Hook("markup", "scrapy_semtext.read.markup", "qa_pairs_from_markup"),
    Hook("posts", "scrapy_semtext.read.threads", "find_posts"),
    Hook("pairs", "scrapy_semtext.read.threads", "pairs_of_pages"),
)
#: Everything outside the stages: labels, title, joining, assembling pairs.
REST = "rest"
STAGES = (
    *("parse", "segment", "posts", "describe", "vectors", "sequence"),
    *("trees", "sections", "kinds", "markup", "pairs", REST),
)


class Stopwatch:
    """Adds up the CPU seconds of each stage. A stage within another counts to the outer one (but see Hook)."""

    def __init__(self, clock: Callable[[], float] = time.process_time) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._clock = clock
        self._running: str | None = None

    @contextmanager
    def installed(self, hooks: tuple[Hook, ...] = HOOKS) -> Iterator[None]:
        """Time the functions of all stages in this context. Raises AttributeError for a missing function."""
        with ExitStack() as stack:
            for hook in hooks:
                owner = _owner(hook.owner)
                original = getattr(owner, hook.attribute)
                setattr(owner, hook.attribute, self._timed(hook, original))
                stack.callback(setattr, owner, hook.attribute, original)
            yield

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Count the time in this context that is in no stage to REST."""
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
