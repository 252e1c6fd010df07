"use strict";

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
