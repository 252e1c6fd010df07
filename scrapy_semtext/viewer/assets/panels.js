"use strict";

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
