"use strict";

// The labels and their history. A change is a list of [block, before, after], where a state is [label, by].

const past = [];
const future = [];
const WORDING = { main: "main content", boilerplate: "boilerplate" };
const modelColors = [...data.colors];

function stateOf(block) {
  return [data.labels[block], data.by[block]];
}

function opposite(label) {
  return label === "main" ? "boilerplate" : "main";
}

/** Give blocks a label, as one step of the history. */
function label(blocks, name) {
  const change = blocks.filter((block) => data.labels[block] !== name).map((block) => [block, stateOf(block), [name, "person"]]);
  if (!change.length) return;
  past.push(change);
  future.length = 0;
  apply(change.map(([block, , after]) => [block, after]));
}

const undo = () => shift(past, future, 1);
const redo = () => shift(future, past, 2);

/** Move the last change of one list to the other, and give its blocks their state before (1) or after (2) it. */
function shift(from, to, when) {
  const change = from.pop();
  if (!change) return;
  to.push(change);
  apply(change.map((states) => [states[0], states[when]]));
}

function apply(states) {
  for (const [block, [name, by]] of states) {
    data.labels[block] = name;
    data.by[block] = by;
    show(block);
  }
  if (mainOnly.checked) showMainOnly();
  describe();
  for (const watcher of watchers.labels) watcher();
}

/** Show a block's label in the page and in the list. */
function show(block) {
  const [name, by] = stateOf(block);
  data.colors[block] = by === "person" ? data.turned[name] : modelColors[block];
  for (const mark of marksOf[block]) {
    mark.dataset.by = by;
    mark.style.setProperty("background", data.colors[block], "important");
  }
  const item = items[block];
  item.dataset.label = name;
  item.dataset.by = by;
  item.style.borderLeftColor = data.colors[block];
  item.querySelector(".label").textContent = WORDING[name];
}

/** Give all blocks at the same place of the page's template the label of one, or the other label if all have it. */
function labelGroup(block) {
  const group = [...data.groups.keys()].filter((each) => data.groups[each] === data.groups[block]);
  const name = data.labels[block];
  label(group, group.every((each) => data.labels[each] === name) ? opposite(name) : name);
}

// Labels are sent to the server soon after each change.

const DELAY = 400; // milliseconds without a change
const saved = document.getElementById("saved");
const saving = { unsaved: false, running: null, timer: 0, failed: false };

function saveSoon() {
  saving.unsaved = true;
  showSaving();
  clearTimeout(saving.timer);
  saving.timer = setTimeout(saveNow, DELAY);
}

/** Send what has changed, one request after the other; true once all is saved. */
async function saveNow() {
  clearTimeout(saving.timer);
  while (saving.running) await saving.running;
  if (!saving.unsaved) return true;
  saving.unsaved = false;
  saving.running = send();
  saving.failed = !(await saving.running);
  saving.running = null;
  if (saving.failed) saving.unsaved = true;
  showSaving();
  return !saving.failed && (saving.unsaved ? saveNow() : true);
}

async function send() {
  try {
    const answer = await fetch(data.save, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ labels: data.labels, by: data.by, done: data.done }),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

function showSaving() {
  document.getElementById("retry").hidden = !saving.failed;
  saved.dataset.state = saving.failed ? "failed" : saving.unsaved ? "unsaved" : "saved";
  if (saving.failed) saved.textContent = "Not saved: does the server still run?";
  else saved.textContent = saving.unsaved || saving.running ? "Saving …" : "Saved";
}

function bindSaving() {
  watchers.labels.push(saveSoon);
  document.getElementById("retry").addEventListener("click", saveNow);
  addEventListener("beforeunload", (event) => {
    if (!saving.unsaved && !saving.running) return;
    saveNow();
    event.preventDefault(); // the browser asks whether to leave
  });
}

// Correcting labels: with the mouse in the page and in the list, or by keys.

let anchor = -1; // the block that was labeled last, from which a Shift-click labels a range

/** Return the blocks from one to another; for a range in the page, without those that it does not show. */
function range(from, to, inPage) {
  const [first, last] = from < to ? [from, to] : [to, from];
  return [...data.labels.keys()].slice(first, last + 1).filter((block) => !inPage || isShown(block));
}

/** Turn the block under the mouse; with Shift, give the blocks from the last one to it the label of that. */
function press(event) {
  const block = blockAt(event);
  if (event.button !== 0 || block < 0) return;
  event.preventDefault(); // prevents text selection
  list.focus({ preventScroll: true });
  const inPage = event.currentTarget !== list;
  if (event.shiftKey && anchor >= 0) label(range(anchor, block, inPage), data.labels[anchor]);
  else label([block], opposite(data.labels[block]));
  anchor = block;
  select(block, { scroll: !inPage });
}

function bindMouse() {
  for (const place of [list, frame.contentDocument]) place.addEventListener("mousedown", press);
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
  if (!(await saveNow())) return;
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
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
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
  showDone();
  const turn = onCurrent((block) => label([block], opposite(data.labels[block])));
  const give = (name) => onCurrent((block) => label([block], name));
  bindKeys({
    ...{ m: give("main"), b: give("boilerplate"), " ": turn, g: onCurrent(labelGroup), Enter: done },
    ...{ "Ctrl-z": undo, "Ctrl-Shift-z": redo, "Ctrl-y": redo, n: () => toRun(1), p: () => toRun(-1) },
  });
});
