// Reads pages as lines of JSON, {"html": ..., "url": ...}, and writes a line of JSON with the main text of each.
// NODE_PATH names the folder with the packages: node_modules.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const name = process.argv[2];
const require = createRequire(`${process.env.NODE_PATH}/`);
const { JSDOM, VirtualConsole } = require("jsdom");
const silent = new VirtualConsole();
const dom = (html, url) => new JSDOM(html, { url, virtualConsole: silent });
const textOf = (html) => {
  const { document } = dom(html).window;
  for (const block of document.querySelectorAll("p,div,li,tr,td,th,h1,h2,h3,h4,h5,h6,br,pre,blockquote,dt,dd,figcaption"))
    block.append("\n");
  return document.body.textContent;
};
const readers = {
  "@mozilla/readability": async () => {
    const { Readability } = require("@mozilla/readability");
    return async (html, url) => textOf(new Readability(dom(html, url).window.document).parse()?.content ?? "");
  },
  defuddle: async () => {
    const { Defuddle } = await import(pathToFileURL(`${process.env.NODE_PATH}/defuddle/dist/node.js`));
    // useAsync would fetch from the APIs of some sites
    return async (html, url) => textOf((await Defuddle(dom(html, url), url, { useAsync: false })).content ?? "");
  },
};
const read = await readers[name]();
for await (const line of createInterface({ input: process.stdin })) {
  const { html, url } = JSON.parse(line);
  let answer;
  try {
    answer = { text: await read(html, url || "https://example.com/") };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
