"use strict";

// The page in its frame and the list next to it: which marks belong to which block, and which block is selected.

const data = JSON.parse(document.getElementById("data").textContent);
const frame = document.getElementById("page");
const list = document.getElementById("blocks");
const items = [...list.children];
const aboutBlock = document.getElementById("about-block");
const mainOnly = document.getElementById("main-only");

const marksOf = data.labels.map(() => []); // the <semtext-mark> elements of each block
const watchers = { selection: [], labels: [] }; // functions to call when either has changed
let selected = -1;
let hovered = -1;

/** Call `start` as soon as the copy of the page is complete. */
function whenLoaded(start) {
  const page = frame.contentDocument;
  if (page && page.URL === "about:srcdoc" && page.readyState === "complete") start();
  else frame.addEventListener("load", start, { once: true });
}

function collectMarks() {
  for (const mark of frame.contentDocument.querySelectorAll("semtext-mark[data-block]"))
    marksOf[mark.dataset.block].push(mark);
}

/** Return the number of the block that is the target of an event, -1 if none is. */
function blockAt(event) {
  const place = event.target.closest?.("[data-block]");
  return place ? Number(place.dataset.block) : -1;
}

/** Return whether the page shows the block, so that its text has a size. */
function isShown(block) {
  return marksOf[block].some((mark) => mark.getClientRects().length);
}

function select(block, { scroll = true } = {}) {
  if (block < 0 || block >= items.length) return;
  for (const part of partsOf(selected)) part.removeAttribute("data-selected");
  for (const part of partsOf(block)) part.setAttribute("data-selected", "");
  items[selected]?.setAttribute("aria-selected", "false");
  items[block].setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", items[block].id);
  selected = block;
  hovered = -1;
  if (scroll) scrollTo(block);
  items[block].scrollIntoView({ block: "nearest" });
  describe();
  for (const watcher of watchers.selection) watcher();
}

function partsOf(block) {
  return block < 0 ? [] : [...marksOf[block], items[block]];
}

function scrollTo(block) {
  const mark = marksOf[block].find((each) => each.getClientRects().length);
  mark?.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
}

/** Select the next block (step 1) or the one before (step -1) that is not filtered out. */
function step(by) {
  let block = selected + by;
  while (mainOnly.checked && data.labels[block] === "boilerplate") block += by;
  select(block);
}

/** The block that the line at the bottom describes, and that keys act on. */
function current() {
  return hovered >= 0 ? hovered : selected;
}

function describe() {
  const block = current();
  if (block < 0) return;
  const name = items[block].querySelector(".label").textContent;
  const by = data.by[block] === "person" ? " (yours)" : "";
  const more = items[block].querySelector(".more").textContent;
  aboutBlock.textContent = `Block ${block + 1} · ${name}${by}${likeness(block)}${more}`;
}

/** Return how many blocks are at the same place of the page's template; only known on the label page. */
function likeness(block) {
  if (!data.groups) return "";
  const count = data.groups.filter((group) => group === data.groups[block]).length;
  return count === 1 ? " · no other block like it" : ` · ${count} blocks like it (g)`;
}

function watchHover() {
  const page = frame.contentDocument;
  for (const place of [page, list]) {
    place.addEventListener("mouseover", (event) => {
      hovered = blockAt(event);
      describe();
    });
  }
  for (const place of [page.documentElement, list]) {
    place.addEventListener("mouseleave", () => {
      hovered = -1;
      describe();
    });
  }
}

/** Show only the main content in the page and in the list, or everything again. */
function showMainOnly() {
  const page = frame.contentDocument;
  for (const element of page.querySelectorAll("[data-kept]")) element.removeAttribute("data-kept");
  document.body.toggleAttribute("data-main-only", mainOnly.checked);
  page.documentElement.toggleAttribute("data-main-only", mainOnly.checked);
  if (mainOnly.checked)
    data.labels.forEach((label, block) => {
      if (label === "main") marksOf[block].forEach(keepAround);
    });
}

function keepAround(element) {
  for (; element && !element.hasAttribute("data-kept"); element = element.parentElement)
    element.setAttribute("data-kept", "");
}

/** Handle keys, in the document and in the page. `actions`: a function for each key. */
function bindKeys(actions) {
  const keys = document.getElementById("keys");
  const all = { "?": () => keys.showModal(), ArrowDown: () => step(1), ArrowUp: () => step(-1), ...actions };
  const press = (event) => {
    const action = all[keyOf(event)];
    if (!action || keys.open || isForControl(event)) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", press);
  frame.contentDocument.addEventListener("keydown", press);
  document.getElementById("show-keys").addEventListener("click", all["?"]);
  // A clicked button does not keep the focus, so that the next Enter does not activate it.
  document.querySelector(".tools").addEventListener("mousedown", (event) => event.preventDefault());
}

function keyOf(event) {
  if (event.altKey) return "";
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!event.ctrlKey && !event.metaKey) return key;
  return `Ctrl-${event.shiftKey ? "Shift-" : ""}${key}`;
}

/** Return whether a key operates one of our controls that has the focus. */
function isForControl(event) {
  if (event.target.ownerDocument !== document) return false;
  const isPress = event.key === " " || event.key === "Enter";
  return event.target.matches("textarea") || (isPress && event.target.matches("button, a, input"));
}
