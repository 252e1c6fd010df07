"use strict";

// The view of a page: a click selects a block.

function bindChoice() {
  const choose = (event) => {
    const block = blockAt(event);
    if (block >= 0) select(block, { scroll: event.currentTarget === list });
  };
  list.addEventListener("click", choose);
  frame.contentDocument.addEventListener("click", choose);
}

whenLoaded(() => {
  openPage();
  bindChoice();
  bindKeys({ n: () => toRun(1), j: () => toRun(1), p: () => toRun(-1), k: () => toRun(-1), m: toggleMainOnly });
});
