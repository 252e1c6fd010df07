"use strict";

// How the view and the label page open: at the main content.

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
