"use strict";

// Opens a page at its main content, and moves between the parts (runs of blocks) of the main content.

const runNumber = document.getElementById("run-number");

/** The first block of each run. */
function runs() {
  const isMain = (block) => data.labels[block] === "main";
  return [...data.labels.keys()].filter((block) => isMain(block) && !isMain(block - 1));
}

function toRun(by) {
  const starts = runs();
  const next = by > 0 ? starts.find((start) => start > selected) : starts.findLast((start) => start < selected);
  if (next !== undefined) select(next);
}

/** Select the first block of the main content that the page shows; without any, say so. */
function toFirstKept() {
  const kept = [...data.labels.keys()].filter((block) => data.labels[block] === "main");
  const first = kept.find(isShown) ?? kept[0];
  if (first !== undefined) select(first);
  else aboutBlock.textContent = items.length ? "Nothing of this page was kept." : "The page has no text.";
}

function showRunNumber() {
  const starts = runs();
  const reached = starts.filter((start) => start <= selected).length;
  runNumber.textContent = starts.length ? `part ${reached || "–"} of ${starts.length}` : "nothing kept";
  document.getElementById("run-before").disabled = !starts.length || selected <= starts[0];
  document.getElementById("run-after").disabled = !starts.length || selected >= starts.at(-1);
}

function bindRuns() {
  document.getElementById("run-before").addEventListener("click", () => toRun(-1));
  document.getElementById("run-after").addEventListener("click", () => toRun(1));
  watchers.selection.push(showRunNumber);
  watchers.labels.push(showRunNumber);
  showRunNumber();
}

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
