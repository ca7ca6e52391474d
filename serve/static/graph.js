"use strict";
// Draws the neighbourhood of a node by a force-directed layout, computed once. A click or Enter selects the next node.

const place = document.getElementById("graph");
const kb = place.dataset.kb;
const drawing = document.getElementById("drawing");
const hops = document.getElementById("hops");
const MOST = 120, ROUNDS = 220;
let width = 1000, height = 640, longest = 26; // the drawing's pixels, so that names keep their size; letters of a name
let center = place.dataset.node;

async function go(node, push) {
  center = node;
  if (push) history.pushState({ node }, "", `?${new URLSearchParams({ node })}`);
  const told = document.getElementById("told");
  if (!node) { told.textContent = say("script.empty"); return; }
  const query = new URLSearchParams({ hops: hops.value, limit: MOST });
  const reply = await fetch(`/api/kb/${encodeURIComponent(kb)}/graph/${encodeURIComponent(node)}?${query}`);
  const graph = await reply.json();
  if (!reply.ok) { told.textContent = shown(graph.detail); return; }
  told.textContent = say(graph.cut ? "script.more" : "script.graph", { nodes: graph.nodes.length, edges: graph.edges.length });
  draw(graph);
  list(graph);
}

function settle(graph) {
  const at = new Map();
  graph.nodes.forEach((node, index) => {
    const turn = index * 2.39996, far = node.hops ? 90 + 14 * Math.sqrt(index) * node.hops : 0;
    at.set(node.id, { x: width / 2 + far * Math.cos(turn), y: height / 2 + far * 0.7 * Math.sin(turn), dx: 0, dy: 0 });
  });
  const all = [...at.values()], wanted = Math.sqrt((width * height) / (all.length + 1)) * 0.8;
  for (let round = 0; round < ROUNDS; round++) {
    const heat = 24 * (1 - round / ROUNDS);
    for (const one of all) for (const two of all) if (one !== two) push(one, two, wanted);
    for (const edge of graph.edges) pull(at.get(edge.source), at.get(edge.target), wanted);
    for (const one of all) move(one, heat);
    Object.assign(at.get(graph.center), { x: width / 2, y: height / 2 });
  }
  return at;
}

function push(one, two, wanted) {
  const x = one.x - two.x, y = one.y - two.y, far = Math.hypot(x, y) || 0.1;
  one.dx += (x / far) * (wanted * wanted) / far;
  one.dy += (y / far) * (wanted * wanted) / far;
}

function pull(one, two, wanted) {
  const x = one.x - two.x, y = one.y - two.y, far = Math.hypot(x, y) || 0.1;
  for (const [end, sign] of [[one, -1], [two, 1]]) {
    end.dx += (sign * x * far) / wanted;
    end.dy += (sign * y * far) / wanted;
  }
}

function move(one, heat) {
  const edge = 3 * longest; // half of the longest name
  const far = Math.hypot(one.dx, one.dy) || 0.1, step = Math.min(far, heat);
  one.x = Math.min(width - edge, Math.max(edge, one.x + (one.dx / far) * step));
  one.y = Math.min(height - 24, Math.max(18, one.y + (one.dy / far) * step));
  one.dx = one.dy = 0;
}

function measure() {
  const box = drawing.getBoundingClientRect();
  [width, height] = [Math.max(box.width, 280), Math.max(box.height, 280)];
  longest = width < 600 ? 16 : 26;
}

function draw(graph) {
  measure();
  const at = settle(graph);
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const lines = graph.edges.map((edge) => {
    const one = at.get(edge.source), two = at.get(edge.target);
    const line = makeSvg("line", { x1: one.x, y1: one.y, x2: two.x, y2: two.y });
    line.append(title([called("edge", edge.kind), edge.type].filter(Boolean).join(": ")));
    return line;
  });
  drawing.replaceChildren(...lines, ...graph.nodes.map((node) => dot(node, at.get(node.id), graph.center)));
}

function dot(node, spot, middle) {
  const link = makeSvg("a", {
    href: `?${new URLSearchParams({ node: node.id })}`, class: `${node.layer}${node.id === middle ? " center" : ""}`,
    "aria-label": shown(`${called("kind", node.kind)}: ${node.name}`),
  });
  const text = makeSvg("text", { x: spot.x, y: spot.y + (node.id === middle ? 26 : 18) });
  text.textContent = shown(node.name.length > longest ? `${node.name.slice(0, longest - 1)}…` : node.name);
  link.append(makeSvg("circle", { cx: spot.x, cy: spot.y, r: node.id === middle ? 12 : 7 }), text,
    title(`${called("kind", node.kind)}: ${node.name}`));
  link.addEventListener("click", (event) => { event.preventDefault(); go(node.id, true); });
  return link;
}

function title(text) {
  const made = makeSvg("title");
  made.textContent = shown(text);
  return made;
}

function pageOf(node) {
  const kind = { Tag: "tags", Entity: "entities" }[node.kind];
  if (kind) return `/kb/${encodeURIComponent(kb)}/${kind}/${encodeURIComponent(node.id)}`;
  return node.document ? documentPath(kb, node.document, node.page ? { page: node.page } : {}) : "";
}

function list(graph) {
  document.getElementById("list").replaceChildren(...graph.nodes.map((node) => {
    const around = make("a", { href: `?${new URLSearchParams({ node: node.id })}` }, node.name);
    const path = pageOf(node);
    const page = path ? make("a", { href: path }, say("script.open")) : "";
    return make("li", {}, make("span", { class: "quiet" }, `${called("kind", node.kind)} `), around, " ", page);
  }));
}

hops.addEventListener("change", () => go(center, false));
addEventListener("popstate", (event) => go(event.state?.node ?? place.dataset.node, false));
go(center, false);
