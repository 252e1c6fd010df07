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
  return isPress && event.target.matches("button, a, input");
}

// Style sheets may hide text until a script has run, or cover it. The main content must be visible and uncovered:
// the styles that prevent this are overridden here, and no others.

const LEAST = 3; // pixels; smaller text is not visible

function reveal() {
  unpin();
  for (let round = 0; round < 2; round++) {
    new Set(mainMarks().flatMap(around)).forEach(unhide);
    mainMarks().filter(isUnseen()).forEach(free);
  }
}

function force(element, styles) {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, "important");
}

/** Move elements that are fixed to the window, or cover much of it, into the flow of the page or behind it. */
function unpin() {
  const page = frame.contentDocument;
  const much = 0.4 * frame.clientWidth * frame.clientHeight;
  const found = [...page.body.querySelectorAll("*")].map((element) => [element, wayOfPinning(element, much)]);
  for (const [element, way] of found) {
    if (!way || element.localName === "semtext-mark") continue;
    if (element.querySelector("semtext-mark[data-block]")) force(element, { position: "static", height: "auto" });
    else if (way === "fixed") force(element, { display: "none" });
    else force(element, { "z-index": "-1" });
  }
}

function wayOfPinning(element, much) {
  const { position } = getComputedStyle(element);
  if (position === "fixed" || position === "sticky") return position;
  if (position !== "absolute") return "";
  const box = element.getBoundingClientRect();
  return box.width * box.height > much ? position : "";
}

/** Return the ancestors of a mark below the body, from the inside out. */
function around(mark) {
  const found = [];
  for (let each = mark.parentElement; each && each !== mark.ownerDocument.body; each = each.parentElement) found.push(each);
  return found;
}

function mainMarks() {
  return marksOf.flatMap((marks, block) => (data.labels[block] === "main" ? marks : []));
}

/** Show an element that the page's styles hide. */
function unhide(element) {
  const style = getComputedStyle(element);
  if (style.display === "none") {
    element.removeAttribute("hidden");
    force(element, { display: "revert" });
    if (getComputedStyle(element).display === "none") force(element, { display: "block" });
  }
  if (style.visibility !== "visible") force(element, { visibility: "visible" });
  if (style.opacity < 0.5) force(element, { opacity: "1" });
  if (style.filter !== "none") force(element, { filter: "none" });
  if (style.contentVisibility === "hidden") force(element, { "content-visibility": "visible" });
}

/** Return a function that tests whether a mark has no size, is off the page, or is clipped by an ancestor. */
function isUnseen() {
  const { scrollX } = frame.contentWindow;
  const cutters = new Map(); // for each element, its box if it clips its content
  const cutterOf = (element) => {
    if (!cutters.has(element)) cutters.set(element, cuttingBox(element));
    return cutters.get(element);
  };
  return (mark) => {
    if (!mark.textContent.trim()) return false;
    const box = mark.getBoundingClientRect();
    if (box.width < LEAST || box.height < LEAST || box.right + scrollX < LEAST) return true;
    for (const each of around(mark))
      if (isOutside(box, cutterOf(each))) return true;
    return false;
  };
}

function cuttingBox(element) {
  const { overflowX, overflowY, clip, clipPath } = getComputedStyle(element);
  const cuts = overflowX !== "visible" || overflowY !== "visible" || clip !== "auto" || clipPath !== "none";
  if (!cuts) return null;
  const box = element.getBoundingClientRect();
  const scrolls = [overflowX, overflowY].some((way) => way === "auto" || way === "scroll");
  return scrolls && box.height > 20 && box.width > 20 ? null : box; // its content can be scrolled into view
}

function isOutside(box, cutter) {
  if (!cutter) return false;
  const width = Math.min(box.right, cutter.right) - Math.max(box.left, cutter.left);
  const height = Math.min(box.bottom, cutter.bottom) - Math.max(box.top, cutter.top);
  return width < LEAST || height < LEAST;
}

/** Give a mark a visible size, regardless of its ancestors. */
function free(mark) {
  const smallest = 6; // pixels
  if (parseFloat(getComputedStyle(mark).fontSize) < smallest) force(mark, { "font-size": "16px", "line-height": "1.5" });
  for (const each of around(mark)) {
    const style = getComputedStyle(each);
    force(each, { overflow: "visible", "max-height": "none", "text-indent": "0", transform: "none" });
    force(each, { clip: "auto", "clip-path": "none" });
    if (style.display !== "inline") force(each, { height: "auto" });
    if (each.clientWidth < 20) force(each, { width: "auto", "max-width": "none" });
    if (style.position === "absolute") force(each, { position: "static", margin: "0" });
  }
}

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
  watchHover();
  toFirstKept();
  document.body.setAttribute("data-ready", "");
}

// The panels next to the page, with a tab for each; an entry links to its block.

const tabs = [...document.querySelectorAll("[role=tab]")];

function openTab(tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", each === tab);
    each.tabIndex = each === tab ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
  items[selected]?.scrollIntoView({ block: "nearest" });
}

function bindPanels() {
  for (const [number, tab] of tabs.entries()) {
    tab.addEventListener("click", () => openTab(tab));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = tabs[(number + by + tabs.length) % tabs.length];
      openTab(next);
      next.focus();
    });
  }
  for (const entry of document.querySelectorAll(".entries [data-block]"))
    entry.addEventListener("click", () => select(Number(entry.dataset.block)));
  openTab(tabs[0]);
}
