"use strict";

// Correcting question-answer pairs: their texts are edited in place, and wrong ones are unchecked.

const pairList = document.getElementById("pairs");

/** Keep the pairs that are checked and have both texts, as the person's. */
function takePairs() {
  const texts = (entry) => [...entry.querySelectorAll("textarea")].map((text) => text.value.trim());
  const right = [...pairList.children].filter((entry) => entry.querySelector("input").checked).map(texts);
  data.pairs = right.filter((pair) => pair.every(Boolean)).map(([question, answer]) => ({ question, answer }));
  saveSoon();
}

function addPair() {
  pairList.append(document.getElementById("new-pair").content.cloneNode(true));
  pairList.lastElementChild.querySelector("textarea").focus();
}

function bindPairs() {
  pairList.addEventListener("input", takePairs);
  document.getElementById("add-pair").addEventListener("click", addPair);
}
