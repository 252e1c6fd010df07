"""An ordered map over an iterable of any length in several processes, with a bounded number of pending chunks."""

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

#: The maximum number of pending chunks per process.
_PENDING_PER_WORKER = 3


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
    """Yield the results of ``function`` for each chunk, in order; its first argument is what ``setup`` returns.

    With one worker everything runs in this process; otherwise ``setup`` is called once per process. Processes are
    spawned, not forked, since threads of libraries do not survive a fork.
    """
    if workers == 1:
        state = setup(*arguments)
        for chunk in items:
            yield from function(state, chunk)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _begin, (setup, arguments)) as pool:
        pending: deque[Future[list[_Out]]] = deque()
        try:
            for chunk in items:
                pending.append(pool.submit(_work, function, chunk))
                if len(pending) >= _PENDING_PER_WORKER * workers:
                    yield from pending.popleft().result()
            while pending:
                yield from pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


_states: list[Any] = []  # in a process of the pool: the return value of its setup


def _begin(setup: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    _states[:] = [setup(*arguments)]


def _work(function: Callable[[Any, list[_In]], list[_Out]], chunk: list[_In]) -> list[_Out]:
    return function(_states[0], chunk)
