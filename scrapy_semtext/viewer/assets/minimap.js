"use strict";

// A small map of the page: a stripe for each block at its position, and the visible part of the page.

const minimap = document.getElementById("minimap");
const stripes = []; // [left, top, width, height, block] in pixels of the page

function measure() {
  const { scrollX, scrollY } = frame.contentWindow;
  stripes.length = 0;
  marksOf.forEach((marks, block) => {
    const boxes = marks.flatMap((mark) => (mark.getClientRects().length ? [mark.getBoundingClientRect()] : []));
    if (!boxes.length) return;
    const left = Math.min(...boxes.map((box) => box.left));
    const top = Math.min(...boxes.map((box) => box.top));
    const right = Math.max(...boxes.map((box) => box.right));
    const bottom = Math.max(...boxes.map((box) => box.bottom));
    stripes.push([left + scrollX, top + scrollY, right - left, bottom - top, block]);
  });
}

/** Return the horizontal and vertical scale of the map; a short page is not stretched. */
function scales() {
  const page = frame.contentDocument.documentElement;
  return [minimap.clientWidth / page.scrollWidth, Math.min(minimap.clientHeight / page.scrollHeight, 0.25)];
}

function draw() {
  const pen = minimap.getContext("2d");
  const [across, down] = scales();
  minimap.width = minimap.clientWidth * devicePixelRatio;
  minimap.height = minimap.clientHeight * devicePixelRatio;
  pen.scale(devicePixelRatio, devicePixelRatio);
  for (const [left, top, width, height, block] of stripes) {
    pen.fillStyle = data.colours[block];
    pen.fillRect(left * across, top * down, Math.max(2, width * across), Math.max(1, height * down - 0.5));
  }
  const selection = stripes.find((each) => each[4] === selected);
  if (selection) {
    pen.fillStyle = "#1d4ed8";
    pen.fillRect(0, selection[1] * down - 1, minimap.clientWidth, 2);
  }
  const { scrollY, innerHeight } = frame.contentWindow;
  pen.fillStyle = "rgb(30 41 59 / 10%)";
  pen.fillRect(0, scrollY * down, minimap.clientWidth, innerHeight * down);
}

function measureAndDraw() {
  measure();
  draw();
}

/** Scroll to the position under the mouse; select the nearest block. */
function jump(event, { selects }) {
  const [, down] = scales();
  const y = event.offsetY / down;
  const view = frame.contentWindow;
  view.scrollTo({ top: y - view.innerHeight / 2, behavior: "instant" });
  if (!selects || !stripes.length) return;
  const distance = ([, top, , height]) => Math.max(top - y, y - top - height, 0);
  const nearest = stripes.reduce((best, each) => (distance(each) < distance(best) ? each : best));
  select(nearest[4], { scroll: false });
}

function bindMinimap() {
  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
  frame.contentWindow.addEventListener("scroll", redraw);
  frame.contentWindow.addEventListener("resize", measureAndDraw);
  minimap.addEventListener("pointerdown", (event) => {
    minimap.setPointerCapture(event.pointerId);
    jump(event, { selects: true });
  });
  minimap.addEventListener("pointermove", (event) => event.buttons && jump(event, { selects: false }));
  watchers.selection.push(redraw);
  watchers.labels.push(redraw);
  measureAndDraw();
}
