"use strict";
const MOST_DRAWN = 2000;
const NAMES = { InformationResource: "Information resource", Corpus: "Corpus", DistilledKnowledge: "Distilled knowledge" };
const COLOURS = {
  Document: "#2f6f8f", Unresolved: "#a9a297", Section: "#7a9e4e", Chunk: "#4e8a5f", Table: "#2f9e95", Figure: "#8fae3c",
  Atom: "#c98a1b", Tag: "#b4451f", TagClass: "#8d2f3f", Entity: "#8a5aa8", Row: "#c2759b",
};
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const make = (name, text, cls) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (cls) element.className = cls;
  return element;
};

const kinds = data.kinds.map(([name, layer]) => ({ name, layer, colour: COLOURS[name] || "#888" }));
const nodes = data.nodes.map(([id, kind, owner, told], place) => ({
  id, place, told, owner, kind: kinds[kind], layer: kinds[kind].layer, name: told.name || id, degree: 0, edges: [],
}));
const edges = data.edges.map(([a, kind, b, label, evidence]) => ({ a: nodes[a], b: nodes[b], kind, label, evidence }));
for (const edge of edges) {
  edge.a.edges.push(edge); edge.b.edges.push(edge);
  edge.a.degree++; edge.b.degree++;
}
const documents = nodes.filter(node => node.kind.name === "Document").sort((a, b) => (a.told.uri || "").localeCompare(b.told.uri || ""));

const state = { layers: new Set([0, 1, 2]), kinds: new Set(kinds.map(kind => kind.name)), document: -1, chosen: null, over: null };
let drawn = [], lines = [], layout = null, view = { x: 0, y: 0, zoom: 1 }, moved = false;

// --- selection of nodes ---

// Whether a node belongs to a document, or is a neighbour of its nodes (a tag, an entity, a cited document).
function near(document) {
  const own = new Set(nodes.filter(node => node.owner === document || node.place === document));
  const beside = new Set(own);
  for (const node of own) for (const edge of node.edges) { beside.add(edge.a); beside.add(edge.b); }
  return beside;
}

function choose() {
  const around = state.document >= 0 ? near(state.document) : null;
  const wanted = nodes.filter(node => state.layers.has(node.layer) && state.kinds.has(node.kind.name) && (!around || around.has(node)));
  drawn = wanted.slice(0, MOST_DRAWN);  // nodes are sorted by importance for the structure
  if (state.chosen && !drawn.includes(state.chosen) && wanted.includes(state.chosen)) drawn[drawn.length - 1] = state.chosen;
  const shown = new Set(drawn);
  lines = edges.filter(edge => shown.has(edge.a) && shown.has(edge.b));
  for (const node of drawn) node.group = node.owner >= 0 ? node.owner : node.kind.name === "Document" ? node.place : firstOwner(node);
  const layers = [...new Set(drawn.map(node => node.layer))].sort();
  layout = new Layout(drawn, lines, layers);
  notice(wanted.length);
  for (let i = 0; i < 40; i++) layout.step();
  moved = false;
  fit();
  tick();
}

function firstOwner(node) {
  for (const edge of node.edges) {
    const other = edge.a === node ? edge.b : edge.a;
    if (other.owner >= 0) return other.owner;
    if (other.kind.name === "Document") return other.place;
  }
  return -1;
}

function notice(wanted) {
  const told = [];
  if (wanted > drawn.length) told.push(`${drawn.length.toLocaleString("en")} of ${wanted.toLocaleString("en")} nodes are drawn: choose a document, a layer or a type`);
  if (data.leftOut) told.push(`${data.leftOut.toLocaleString("en")} more nodes are not in this page`);
  $("notice").textContent = told.join(" · ");
  $("notice").hidden = !told.length;
  $("counts").textContent = `${drawn.length.toLocaleString("en")} nodes, ${lines.length.toLocaleString("en")} edges drawn`;
}

// --- drawing ---

const canvas = $("canvas"), pen = canvas.getContext("2d");
const radius = node => (node.kind.name === "Document" ? 9 : 4) + Math.min(5, Math.sqrt(node.degree) * 0.5);
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let busy = false;

function tick() {
  if (busy) return;
  busy = true;
  requestAnimationFrame(() => {
    busy = false;
    const more = layout.step() | layout.step();
    if (more && !moved) fit();
    draw();
    if (more) tick();
  });
}

function draw() {
  const scale = devicePixelRatio || 1, { width, height } = canvas.getBoundingClientRect();
  if (canvas.width !== width * scale || canvas.height !== height * scale) { canvas.width = width * scale; canvas.height = height * scale; }
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "12px system-ui, sans-serif";
  drawBands(width);
  pen.setTransform(scale * view.zoom, 0, 0, scale * view.zoom, scale * (width / 2 - view.x * view.zoom), scale * (height / 2 - view.y * view.zoom));
  drawEdges();
  drawNodes();
}

function drawBands(width) {
  const { height } = canvas.getBoundingClientRect();
  for (const band of layout.bands) {
    const top = (band.y - band.height / 2 - view.y) * view.zoom + height / 2;
    pen.fillStyle = style("--line");
    pen.globalAlpha = 0.6;
    pen.fillRect(0, top, width, 1);
    pen.globalAlpha = 1;
    pen.fillStyle = style("--soft");
    pen.fillText(NAMES[data.layers[band.layer]], 12, Math.max(16, top + 16));
  }
}

function drawEdges() {
  pen.lineWidth = 0.8 / Math.sqrt(view.zoom);
  for (const pass of [false, true]) {
    pen.globalAlpha = pass ? 0.95 : state.chosen ? 0.12 : Math.max(0.1, Math.min(0.4, 300 / (lines.length + 1)));
    pen.strokeStyle = pass ? style("--mark") : style("--soft");
    pen.beginPath();
    for (const { a, b } of lines) {
      if ((a === state.chosen || b === state.chosen) !== pass) continue;
      pen.moveTo(a.x, a.y);
      pen.lineTo(b.x, b.y);
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function drawNodes() {
  const beside = new Set(state.chosen ? state.chosen.edges.flatMap(edge => [edge.a, edge.b]) : []);
  for (const node of drawn) {
    pen.globalAlpha = !state.chosen || node === state.chosen || beside.has(node) ? 1 : 0.3;
    pen.fillStyle = node.kind.colour;
    pen.beginPath();
    pen.arc(node.x, node.y, radius(node), 0, 7);
    pen.fill();
    if (node === state.chosen || node === state.over) {
      pen.strokeStyle = style("--mark");
      pen.lineWidth = 2.5 / view.zoom;
      pen.stroke();
    }
  }
  pen.globalAlpha = 1;
  labels(beside);
}

// Draws names where there is room: first for the selected node and its neighbours, then by size on the screen.
function labels(beside) {
  const size = 12 / view.zoom, big = drawn.filter(node => node.kind.name === "Document" || node === state.chosen);
  const taken = big.map(node => [node.x - radius(node), node.y - radius(node), node.x + radius(node), node.y + radius(node)]);
  pen.font = `${size}px system-ui, "Noto Sans CJK SC", sans-serif`;
  pen.textAlign = "center";
  const rank = node => (node === state.chosen || node === state.over || node.place === state.document ? 0 : beside.has(node) ? 1 : node.kind.name === "Document" ? 2 : 3);
  const ordered = drawn.filter(node => rank(node) < 3 || view.zoom > 0.9).sort((a, b) => rank(a) - rank(b) || b.degree - a.degree).slice(0, 400);
  for (const node of ordered) {
    const longest = rank(node) < 2 ? 44 : 26;
    const text = node.name.length > longest ? node.name.slice(0, longest - 1).trimEnd() + "…" : node.name;
    const half = pen.measureText(text).width / 2, reach = radius(node) + size * 0.3;
    const places = [[0, reach + size * 0.8], [0, -reach], [half + reach, size * 0.35], [-half - reach, size * 0.35]];
    const boxes = places.map(([x, y]) => ({ x: node.x + x, y: node.y + y, box: [node.x + x - half, node.y + y - size, node.x + x + half, node.y + y + size * 0.3] }));
    const free = boxes.find(({ box }) => !taken.some(other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]));
    if (!free && rank(node)) continue;
    const { x, y, box } = free || boxes[0];
    taken.push(box);
    pen.lineWidth = 3 / view.zoom;
    pen.strokeStyle = style("--back");
    pen.strokeText(text, x, y);
    pen.fillStyle = style("--ink");
    pen.fillText(text, x, y);
  }
  pen.textAlign = "start";
}

function fit() {
  const { width, height } = canvas.getBoundingClientRect();
  if (!drawn.length) { view = { x: 0, y: 0, zoom: 1 }; return; }
  const xs = drawn.map(node => node.x), ys = drawn.map(node => node.y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  view = { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.min(2, (width - 180) / (right - left + 60), (height - 60) / (bottom - top + 60)) };
}

// --- details of a node ---

function open(node, centre) {
  state.chosen = node;
  $("panel").hidden = !node;
  if (node) {
    history.replaceState(null, "", "#" + encodeURIComponent(node.id));
    if (!drawn.includes(node)) show(node);
    fill(node);
    if (centre) { moved = true; view = { ...view, x: node.x, y: node.y, zoom: Math.max(view.zoom, 0.8) }; }
  } else history.replaceState(null, "", location.pathname + location.search);
  tick();
}

// Resets the filters that hide a node.
function show(node) {
  state.layers.add(node.layer);
  state.kinds.add(node.kind.name);
  if (state.document >= 0 && !near(state.document).has(node)) state.document = -1;
  controls();
  choose();
}

function fill(node) {
  const { text, name, boxes, ...rest } = node.told;
  $("kind").textContent = `${node.kind.name} · ${NAMES[data.layers[node.layer]]}`;
  $("name").textContent = node.name;
  $("where").textContent = [rest.uri, rest.page && `page ${rest.page}`, rest.label, rest.cells, (rest.heading_path || []).join(" › ")].filter(Boolean).join(" · ");
  $("text").textContent = text || rest.caption || "";
  $("edges").replaceChildren(...node.edges.slice(0, 200).map(edge => connection(node, edge)));
  const rows = Object.entries({ id: node.id, ...rest }).map(([key, value]) => {
    const row = make("tr");
    row.append(make("th", key), make("td", Array.isArray(value) ? value.join("; ") : String(value)));
    return row;
  });
  $("properties").tBodies[0].replaceChildren(...rows);
}

function connection(node, edge) {
  const out = edge.a === node, other = out ? edge.b : edge.a, item = make("li"), button = make("button");
  button.type = "button";
  button.append(make("small", `${out ? "→" : "←"} ${edge.kind}${edge.label ? " · " + edge.label : ""} `), document.createTextNode(other.name));
  button.title = edge.evidence;
  button.onclick = () => open(other, true);
  item.append(button);
  return item;
}

// --- controls ---

function controls() {
  const counts = new Map();
  for (const node of nodes) counts.set(node.kind.name, (counts.get(node.kind.name) || 0) + 1);
  const box = (label, count, on, flip, colour) => {
    const field = make("label"), input = make("input");
    input.type = "checkbox";
    input.checked = on;
    input.onchange = () => { flip(input.checked); choose(); };
    field.append(input);
    if (colour) { const dot = make("span", undefined, "dot"); dot.style.background = colour; field.append(dot); }
    field.append(make("span", label), make("span", count.toLocaleString("en")));
    return field;
  };
  const flip = (set, value) => on => (on ? set.add(value) : set.delete(value));
  const perLayer = layer => nodes.filter(node => node.layer === layer).length;
  $("layers").replaceChildren($("layers").firstElementChild, ...data.layers.map((name, i) => box(NAMES[name], perLayer(i), state.layers.has(i), flip(state.layers, i))));
  const present = kinds.filter(kind => counts.has(kind.name));
  $("kinds").replaceChildren($("kinds").firstElementChild, ...present.map(kind => box(kind.name, counts.get(kind.name), state.kinds.has(kind.name), flip(state.kinds, kind.name), kind.colour)));
  $("document").value = String(state.document);
}

function search() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = words.length ? nodes.filter(node => {
    const text = (node.name + " " + (node.told.text || "") + " " + (node.told.uri || "")).toLowerCase();
    return words.every(word => text.includes(word));
  }) : [];
  const items = matches.slice(0, 50).map(node => {
    const item = make("li"), button = make("button");
    button.type = "button";
    button.append(document.createTextNode(node.name + " "), make("small", node.kind.name));
    button.onclick = () => open(node, true);
    item.append(button);
    return item;
  });
  if (words.length && matches.length !== items.length) items.push(make("li", `and ${matches.length - items.length} more`));
  if (words.length && !matches.length) items.push(make("li", "nothing found"));
  $("found").replaceChildren(...items);
}

function at(event) {
  const box = canvas.getBoundingClientRect();
  const x = (event.clientX - box.left - box.width / 2) / view.zoom + view.x, y = (event.clientY - box.top - box.height / 2) / view.zoom + view.y;
  let best = null, least = Infinity;
  for (const node of drawn) {
    const distance = Math.hypot(node.x - x, node.y - y) - radius(node);
    if (distance < least) { least = distance; best = node; }
  }
  return least < 5 / view.zoom ? best : null;
}

let held = null;
canvas.onpointerdown = event => { held = { x: event.clientX, y: event.clientY, far: false }; canvas.setPointerCapture(event.pointerId); };
canvas.onpointermove = event => {
  if (!held) {
    const over = at(event);
    if (over !== state.over) { state.over = over; canvas.classList.toggle("over", !!over); draw(); }
    return;
  }
  const dx = event.clientX - held.x, dy = event.clientY - held.y;
  if (!held.far && Math.hypot(dx, dy) < 4) return;
  Object.assign(held, { x: event.clientX, y: event.clientY, far: true });
  moved = true;
  view.x -= dx / view.zoom;
  view.y -= dy / view.zoom;
  draw();
};
canvas.onpointerup = event => { if (held && !held.far) open(at(event), false); held = null; };
canvas.ondblclick = event => {
  const node = at(event);
  if (node) pick(node.owner >= 0 ? node.owner : node.kind.name === "Document" ? node.place : -1);
};
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  moved = true;
  const box = canvas.getBoundingClientRect(), factor = Math.exp(-event.deltaY * 0.0015);
  const x = event.clientX - box.left - box.width / 2, y = event.clientY - box.top - box.height / 2;
  const zoom = Math.max(0.05, Math.min(8, view.zoom * factor));
  view = { x: view.x + x / view.zoom - x / zoom, y: view.y + y / view.zoom - y / zoom, zoom };
  draw();
}, { passive: false });

function pick(document) {
  state.document = document;
  controls();
  choose();
}

$("document").append(new Option("All documents", "-1"), ...documents.map(node => new Option(node.told.uri || node.name, String(node.place))));
$("document").onchange = () => pick(Number($("document").value));
$("search").oninput = search;
$("close").onclick = () => open(null, false);
$("fit").onclick = () => { moved = false; fit(); draw(); };
$("all").onclick = () => pick(-1);
addEventListener("resize", () => { if (!moved) fit(); draw(); });
addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== $("search")) { event.preventDefault(); $("search").focus(); }
  if (event.key === "Escape") open(null, false);
});
controls();
choose();
const asked = decodeURIComponent(location.hash.slice(1)), first = asked && nodes.find(node => node.id === asked);
if (first) open(first, true);
