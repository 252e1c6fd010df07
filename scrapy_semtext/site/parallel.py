"""A map over an endless iterable in several processes: in order, a bounded number of chunks at a time."""

from __future__ import annotations

import multiprocessing
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

_In = TypeVar("_In")
_Out = TypeVar("_Out")
_State = TypeVar("_State")

#: Chunks that wait or are worked on, for each process.
_AHEAD = 3


def chunks(items: Iterable[_In], size: int) -> Iterator[list[_In]]:
    """Yield lists of ``size`` items, the last one shorter."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def ordered_map(
    function: Callable[[_State, list[_In]], list[_Out]],
    items: Iterable[list[_In]],
    workers: int,
    setup: Callable[..., _State],
    arguments: tuple[Any, ...] = (),
) -> Iterator[_Out]:
    """Yield what ``function`` makes of each chunk, in order; its first argument is what ``setup`` returns.

    With one worker all is done in this process; otherwise ``setup`` is called once in each. New processes are started
    afresh, not forked: threads of libraries would not survive that.
    """
    if workers == 1:
        state = setup(*arguments)
        for chunk in items:
            yield from function(state, chunk)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _begin, (setup, arguments)) as pool:
        waiting: deque[Future[list[_Out]]] = deque()
        try:
            for chunk in items:
                waiting.append(pool.submit(_work, function, chunk))
                if len(waiting) >= _AHEAD * workers:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


_states: list[Any] = []  # of a process of the pool: what its setup returned


def _begin(setup: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    _states[:] = [setup(*arguments)]


def _work(function: Callable[[Any, list[_In]], list[_Out]], chunk: list[_In]) -> list[_Out]:
    return function(_states[0], chunk)
