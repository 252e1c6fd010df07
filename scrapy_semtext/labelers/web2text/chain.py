"""Inference on the chain of blocks (Vogels et al. 2018, 3.5): the best labels, and the marginal of each.

A labelling has the weight  prod p_i(l_i) * prod p_i,i+1(l_i, l_i+1) ** influence.  Two labels: 0 boilerplate, 1 main.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: The paper's lambda.
INFLUENCE = 0.1

Logs = NDArray[np.float64]


def viterbi(unary: Logs, pairwise: Logs, influence: float = INFLUENCE) -> NDArray[np.bool_]:
    """The labels of the greatest weight, (blocks,); of equal ones, boilerplate.

    ``unary``: (blocks, 2) logarithms of the unary potentials; ``pairwise``: (blocks - 1, 2, 2) of the pairwise ones,
    label of the first by label of the second.
    """
    steps = influence * pairwise
    best = unary[0]
    came_from = []
    for step, own in zip(steps, unary[1:], strict=True):
        reached = best[:, None] + step  # (label before, label)
        came_from.append(reached.argmax(0))
        best = reached.max(0) + own
    labels = [int(best.argmax())]
    for before in reversed(came_from):
        labels.append(int(before[labels[-1]]))
    return np.array(labels[::-1], dtype=np.bool_)


def marginals(unary: Logs, pairwise: Logs, influence: float = INFLUENCE) -> NDArray[np.float64]:
    """The probability of each block being main content, (blocks,), where a labelling's is its share of all weights."""
    steps = influence * pairwise
    forward, backward = np.empty_like(unary), np.zeros_like(unary)
    forward[0] = unary[0]
    for block in range(1, len(unary)):
        forward[block] = unary[block] + np.logaddexp(*(forward[block - 1][:, None] + steps[block - 1]))
    for block in range(len(unary) - 2, -1, -1):
        backward[block] = np.logaddexp(*(steps[block] + unary[block + 1] + backward[block + 1]).T)
    odds = forward + backward
    result: NDArray[np.float64] = np.exp(odds[:, 1] - np.logaddexp(odds[:, 0], odds[:, 1]))
    return result
