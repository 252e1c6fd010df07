"use strict";

// Correcting labels: with the mouse in the page and in the list, or by keys.

const drag = { from: -1, to: -1, name: "", inPage: false };
let anchor = -1; // the start of a range that ends with a Shift-click

/** Return the blocks from one to another; for a range in the page, without those that it does not show. */
function range(from, to, inPage) {
  const [first, last] = from < to ? [from, to] : [to, from];
  return [...data.labels.keys()].slice(first, last + 1).filter((block) => !inPage || isShown(block));
}

function press(event) {
  const block = blockAt(event);
  if (event.button !== 0 || block < 0) return;
  event.preventDefault(); // prevents text selection
  list.focus({ preventScroll: true });
  Object.assign(drag, { from: block, to: block, inPage: event.currentTarget !== list });
  drag.name = opposite(data.labels[block]);
  if (event.shiftKey && anchor >= 0) Object.assign(drag, { from: anchor, name: data.labels[anchor] });
  showDrag();
}

function move(event) {
  if (drag.from < 0) return;
  if (!(event.buttons & 1)) return release();
  const block = blockAt(event);
  if (block < 0 || block === drag.to) return;
  drag.to = block;
  showDrag();
}

function release() {
  if (drag.from < 0) return;
  const { from, to, name, inPage } = drag;
  drag.from = -1;
  showDrag();
  label(range(from, to, inPage), name);
  anchor = from;
  select(to, { scroll: !inPage });
}

/** Mark the blocks whose labels would change if the mouse button were released now. */
function showDrag() {
  const blocks = new Set(drag.from < 0 ? [] : range(drag.from, drag.to, drag.inPage));
  for (const block of data.labels.keys())
    for (const part of partsOf(block)) part.toggleAttribute("data-dragged", blocks.has(block));
}

function bindMouse() {
  for (const place of [list, frame.contentDocument]) {
    place.addEventListener("mousedown", press);
    place.addEventListener("mouseover", move);
    place.addEventListener("mouseup", release);
  }
  document.addEventListener("mouseup", release);
  frame.contentDocument.addEventListener("click", (event) => event.preventDefault());
}

/** Apply an action to the block that the line at the bottom describes, and select it. */
function onCurrent(action) {
  return () => {
    const block = current();
    if (block < 0) return;
    action(block);
    anchor = block;
    select(block, { scroll: hovered < 0 });
  };
}

/** Mark the page as done, save its labels, and continue with the next. */
async function done() {
  data.done = true;
  showDone();
  saveSoon();
  if (data.save && !(await saveNow())) return;
  if (!data.save) download();
  const next = document.getElementById("next-page");
  if (next) location.href = next.href;
}

function showDone() {
  document.body.toggleAttribute("data-done", data.done);
}

/** Links to other pages wait until all is saved. */
function bindLinks() {
  for (const link of document.querySelectorAll("header nav a"))
    link.addEventListener("click", async (event) => {
      if (!data.save || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (await saveNow()) location.href = link.href;
    });
}

function bindTools() {
  const buttons = { undo, redo, done };
  for (const [id, action] of Object.entries(buttons)) document.getElementById(id).addEventListener("click", action);
  const show = () => {
    document.getElementById("undo").disabled = !past.length;
    document.getElementById("redo").disabled = !future.length;
  };
  watchers.labels.push(show);
  show();
}

whenLoaded(() => {
  openPage();
  bindMouse();
  bindTools();
  bindSaving();
  bindLinks();
  bindPairs();
  showDone();
  const turn = onCurrent((block) => label([block], opposite(data.labels[block])));
  const give = (name) => onCurrent((block) => label([block], name));
  bindKeys({
    ...{ m: give("main"), b: give("boilerplate"), " ": turn, g: onCurrent(labelGroup), Enter: done },
    ...{ "Ctrl-z": undo, "Ctrl-Shift-z": redo, "Ctrl-y": redo, n: () => toRun(1), p: () => toRun(-1) },
  });
});
