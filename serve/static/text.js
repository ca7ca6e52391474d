"use strict";
// Translations, elements and texts. Document text is only set as text, with control characters made visible.

// Translated texts: entries of the page's catalogue, with their values.
const WORDS = JSON.parse(document.currentScript.dataset.words);

function say(entry, values = {}) {
  return WORDS[entry].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// The translation of a name in a table, or the name itself.
function called(table, name) { return WORDS[`${table}.${name}`] ?? name; }

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function shown(text) {
  return String(text ?? "").replace(HIDDEN, (char) =>
    `<U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

// An element with attributes and children; a child that is not an element is text.
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.map((child) => (child instanceof Node ? child : document.createTextNode(shown(child)))));
  return made;
}

function makeSvg(name, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// The box of a quoted passage, on a page of 1000 by 1000.
function quotedBox(box) {
  return makeSvg("rect", {
    class: "quoted", x: box.left * 1000, y: box.top * 1000,
    width: (box.right - box.left) * 1000, height: (box.bottom - box.top) * 1000,
  });
}

function documentPath(kb, id, query = {}) {
  const told = new URLSearchParams(query).toString();
  return `/kb/${encodeURIComponent(kb)}/documents/${encodeURIComponent(id)}${told ? `?${told}` : ""}`;
}
