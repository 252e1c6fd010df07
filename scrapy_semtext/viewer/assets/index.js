"use strict";

// The overview of pages: filtered by text and kind, sorted by a column.

const body = document.querySelector("tbody");
const rows = [...body.rows];
const filter = document.getElementById("filter");
const kind = document.getElementById("kind");
const heads = [...document.querySelectorAll("th")];

function showMatching() {
  const words = filter.value.toLowerCase().split(/\s+/);
  let count = 0;
  for (const row of rows) {
    const text = row.cells[1].textContent.toLowerCase();
    const matches = words.every((word) => text.includes(word)) && (!kind.value || row.dataset.kind === kind.value);
    row.hidden = !matches;
    count += matches;
  }
  document.getElementById("shown").textContent = count === rows.length ? "" : `${count} shown`;
}

function sortBy(column) {
  const head = heads[column];
  const way = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  for (const each of heads) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", way);
  const sign = way === "ascending" ? 1 : -1;
  rows.sort((one, other) => sign * compare(one.cells[column], other.cells[column]));
  body.append(...rows);
}

/** Cells with a value are compared by it, those of numbers as numbers, others as text. */
function compare(one, other) {
  const numbers = [one, other].map((cell) => Number(cell.dataset.value ?? cell.textContent));
  if (!numbers.some(Number.isNaN)) return numbers[0] - numbers[1];
  return one.textContent.localeCompare(other.textContent);
}

heads.forEach((head, column) => head.addEventListener("click", () => sortBy(column)));
filter.addEventListener("input", showMatching);
kind.addEventListener("change", showMatching);
document.body.setAttribute("data-ready", "");
