"use strict";

// The view of a page: opened at its main content.

function toggleMainOnly() {
  mainOnly.checked = !mainOnly.checked;
  mainOnly.dispatchEvent(new Event("change"));
}

function bindMainOnly() {
  mainOnly.addEventListener("change", () => {
    showMainOnly();
    measureAndDraw();
    if (mainOnly.checked && data.labels[selected] !== "main") toFirstKept();
    else if (selected >= 0) scrollTo(selected);
  });
}

function bindChoice() {
  const choose = (event) => {
    const block = blockAt(event);
    if (block >= 0) select(block, { scroll: event.currentTarget === list });
  };
  list.addEventListener("click", choose);
  frame.contentDocument.addEventListener("click", choose);
}

/** What the view and the label page do at first. */
function openPage() {
  collectMarks();
  reveal();
  bindRuns();
  bindPanels();
  bindMainOnly();
  bindMinimap();
  watchHover();
  toFirstKept();
  document.body.setAttribute("data-ready", "");
}

if (document.body.classList.contains("view"))
  whenLoaded(() => {
    openPage();
    bindChoice();
    const onward = () => toRun(1);
    const back = () => toRun(-1);
    bindKeys({ n: onward, j: onward, p: back, k: back, m: toggleMainOnly });
  });
