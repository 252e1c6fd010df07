"use strict";

// The labels and their history. A change is a list of [block, before, after], where a state is [label, by].

const past = [];
const future = [];
const WORDING = { main: "main content", boilerplate: "boilerplate" };
const modelColours = [...data.colours];

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
  data.colours[block] = by === "person" ? data.turned[name] : modelColours[block];
  for (const mark of marksOf[block]) {
    mark.dataset.by = by;
    mark.style.setProperty("background", data.colours[block], "important");
  }
  const item = items[block];
  item.dataset.label = name;
  item.dataset.by = by;
  item.style.borderLeftColor = data.colours[block];
  item.querySelector(".label").textContent = WORDING[name];
}

/** Give all blocks at the same place of the page's template the label of one, or the other label if all have it. */
function labelGroup(block) {
  const group = [...data.groups.keys()].filter((each) => data.groups[each] === data.groups[block]);
  const name = data.labels[block];
  label(group, group.every((each) => data.labels[each] === name) ? opposite(name) : name);
}
