"use strict";

// Labels are sent to the server soon after each change. Without a server, a button saves them as a file.

const DELAY = 400; // milliseconds without a change
const saved = document.getElementById("saved");
const saving = { unsaved: false, running: null, timer: 0, failed: false };

function saveSoon() {
  saving.unsaved = true;
  showSaving();
  clearTimeout(saving.timer);
  if (data.save) saving.timer = setTimeout(saveNow, DELAY);
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
      body: JSON.stringify({ labels: data.labels, by: data.by, pairs: data.pairs, done: data.done }),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

function showSaving() {
  document.getElementById("retry").hidden = !saving.failed;
  saved.dataset.state = saving.failed ? "failed" : saving.unsaved ? "unsaved" : "saved";
  if (!data.save) saved.textContent = saving.unsaved ? "Changes are not in a file yet" : "";
  else if (saving.failed) saved.textContent = "Not saved: does the server still run?";
  else saved.textContent = saving.unsaved || saving.running ? "Saving …" : "Saved";
}

/** Return the page with its labels as a line of JSON, as written by `semtext label`. */
function download() {
  const blocks = data.blocks.map(([text, path, probability], block) => {
    return { text, path, label: data.labels[block], probability, by: data.by[block] };
  });
  const line = `${JSON.stringify({ ...data.page, blocks, pairs: data.pairs, done: data.done })}\n`;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([line], { type: "application/jsonl" }));
  link.download = "labels.jsonl";
  link.click();
  URL.revokeObjectURL(link.href);
  saving.unsaved = false;
  showSaving();
}

function bindSaving() {
  watchers.labels.push(saveSoon);
  document.getElementById("retry").addEventListener("click", saveNow);
  document.getElementById("keep").addEventListener("click", download);
  addEventListener("beforeunload", (event) => {
    if (!saving.unsaved && !saving.running) return;
    if (data.save) saveNow();
    event.preventDefault(); // the browser asks whether to leave
  });
}
