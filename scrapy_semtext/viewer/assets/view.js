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
  const onward = () => toRun(1);
  const back = () => toRun(-1);
  bindKeys({ n: onward, j: onward, p: back, k: back, m: toggleMainOnly });
});
