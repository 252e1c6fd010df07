"use strict";

// The table of pages: filtered by text, kind and outcome, sorted by a column.

const table = document.getElementById("pages");
const body = table.tBodies[0];
const rows = [...body.rows];
const filter = document.getElementById("filter");
const choices = ["kind", "was"].map((name) => document.getElementById(name)).filter(Boolean);
const heads = [...table.querySelectorAll("th")];

function showMatching() {
  const words = filter.value.toLowerCase().split(/\s+/);
  let count = 0;
  for (const row of rows) {
    const text = row.cells[1].textContent.toLowerCase();
    const chosen = choices.every((choice) => !choice.value || row.dataset[choice.id] === choice.value);
    const matches = chosen && words.every((word) => text.includes(word));
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

/** Compare cells by their value if they have one, numbers as numbers, and others as text. */
function compare(one, other) {
  const numbers = [one, other].map((cell) => Number(cell.dataset.value ?? cell.textContent));
  if (!numbers.some(Number.isNaN)) return numbers[0] - numbers[1];
  return one.textContent.localeCompare(other.textContent);
}

heads.forEach((head, column) => head.addEventListener("click", () => sortBy(column)));
filter.addEventListener("input", showMatching);
for (const choice of choices) choice.addEventListener("change", showMatching);
document.body.setAttribute("data-ready", "");
