// What a report says, without a browser: runs the scripts of a page on elements that only hold their children, and prints the text of a
// section, a line for each of its paragraphs, captions, summaries, rows of tables and labels of drawings. "BUTTON" clicks the button of this name before.
// Usage: node page_text.js REPORT.html SECTION [BUTTON...]; section "top" is what stands before the first one.
const fs = require("fs"), vm = require("vm");

class Node {
  constructor(name) { Object.assign(this, { nodeName: name, attributes: new Map(), childNodes: [], listeners: {}, style: { setProperty() {} } }); }
  get ownerDocument() { return document; }
  get namespaceURI() { return "http://www.w3.org/1999/xhtml"; }
  get textContent() { return this.childNodes.map((c) => c.textContent).join(""); }
  set textContent(text) { this.replaceChildren(text); }
  set id(value) { this.setAttribute("id", value); }
  get offsetHeight() { return 0; }
  get clientWidth() { return 1000; }
  get isConnected() { return true; }
  append(...some) { for (const c of some) this.appendChild(c instanceof Node ? c : { textContent: String(c), nodeName: "#text" }); }
  appendChild(c) { this.childNodes.push(c); c.parentNode = this; return c; }
  insertBefore(c, before) {
    const at = this.childNodes.indexOf(before);
    this.childNodes.splice(at < 0 ? this.childNodes.length : at, 0, c);
    c.parentNode = this;
    return c;
  }
  removeChild(c) { this.childNodes = this.childNodes.filter((other) => other !== c); }
  remove() { if (this.parentNode) this.parentNode.removeChild(this); }
  replaceChildren(...some) { this.childNodes = []; this.append(...some); }
  setAttribute(name, value) { this.attributes.set(name, String(value)); }
  getAttribute(name) { return this.attributes.get(name); }
  removeAttribute(name) { this.attributes.delete(name); }
  addEventListener(type, call) { this.listeners[type] = call; }
  getContext() { return { measureText: (text) => ({ width: 7 * text.length }) }; }
  getComputedTextLength() { return 7 * this.textContent.length; }
  querySelector(what) { return this.querySelectorAll(what)[0] || null; }
  querySelectorAll(what) { return what.startsWith(".") ? [] : this.all((n) => n.nodeName === what); }
  all(wanted) { return this.childNodes.flatMap((c) => c instanceof Node ? [...(wanted(c) ? [c] : []), ...c.all(wanted)] : []); }
}

const html = fs.readFileSync(process.argv[2], "utf8"), scripts = {};
for (const m of html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)) scripts[/id="?(\w+)/.exec(m[1])[1]] = m[2];
const main = new Node("main"), given = { report: main, data: { textContent: scripts.data }, licence: { textContent: "" } };
let ready;
const document = {
  createElement: (name) => new Node(name), createElementNS: (space, name) => new Node(name), getElementById: (id) => given[id],
  addEventListener: (type, call) => { ready = call; }, body: new Node("body"), documentElement: new Node("html"),
};
const window = { addEventListener() {} };
vm.runInNewContext(scripts.d3 + "\n" + scripts.page, { document, window, Node, getComputedStyle: () => ({ fontFamily: "" }), console });
ready();

const sections = main.all((n) => n.nodeName === "section"), wanted = process.argv[3];
const top = main.childNodes.filter((c) => c.nodeName !== "section");
const chosen = wanted === "top" ? top : sections.filter((s) => s.getAttribute("id") === wanted);
for (const name of process.argv.slice(4))
  chosen.flatMap((s) => s.all((n) => n.nodeName === "button")).find((b) => b.textContent.replace(/ [▲▼]$/, "") === name).listeners.click();
const cells = (n) => n.childNodes.map((c) => c.textContent + (c.getAttribute && c.getAttribute("aria-sort") !== undefined && c.getAttribute("aria-sort") !== "none" ? " " + c.getAttribute("aria-sort") : "")).join("\t");
for (const s of chosen)
  for (const n of [s, ...s.all((n) => ["p", "figcaption", "tr", "dd", "summary"].includes(n.nodeName) || n.getAttribute("class") === "label")])
    if (n.nodeName === "tr") console.log(cells(n));
    else if (["p", "figcaption", "dd", "summary", "text"].includes(n.nodeName) && n.textContent.trim()) console.log(n.textContent.trim());
