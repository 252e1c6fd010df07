"""What a crawl whose pages are read in the same process asks of Python's interpreter."""

from __future__ import annotations

import gc
import sys
from functools import cache

#: How long, in seconds, a thread of Python may go on while another one waits. The default is 5 ms, and the event loop
#: has to wait so long behind a thread that reads a page whenever it has asked the system for anything: once for each
#: part of each response.
_TURN = 0.0005


@cache
def spare_garbage_collector() -> None:
    """Tell the garbage collector, once a process, not to look through what is loaded by now, the model and torch.

    Otherwise it would do so again and again, and whoever collects keeps the event loop from turning, in whatever thread
    it is. What is loaded by now would live on anyway.
    """
    gc.collect()
    gc.freeze()


def take_short_turns() -> None:
    """Have the threads of this process take turns of half a millisecond, or shorter ones if they do already."""
    sys.setswitchinterval(min(sys.getswitchinterval(), _TURN))
