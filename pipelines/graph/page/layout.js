"use strict";
// Force-directed layout in three bands, one per layer: springs along edges, and repulsion between neighbours found with a
// grid, so that a step takes linear time. There is no randomness: the same graph gives the same picture.
class Layout {
  constructor(nodes, edges, layers) {
    this.nodes = nodes;
    this.edges = edges;
    this.heat = 1;
    const width = Math.max(900, 70 * Math.sqrt(nodes.length));
    this.bands = Layout.divide(nodes, layers, width * 0.6);
    const rank = new Map(layers.map((layer, i) => [layer, i]));
    const groups = new Map();
    for (const node of nodes) if (!groups.has(node.group)) groups.set(node.group, groups.size);
    const counts = new Map();
    for (const node of nodes) {
      const key = node.group + "/" + node.layer, nth = counts.get(key) || 0;
      counts.set(key, nth + 1);
      const centre = ((groups.get(node.group) + 0.5) / groups.size - 0.5) * width;
      const angle = nth * 2.399963, reach = 14 * Math.sqrt(nth);  // a sunflower spiral: even, without overlap
      node.home = this.bands[rank.get(node.layer)];
      node.centre = centre;
      // Documents alternate between three rows, to leave room for their names.
      node.firm = node.kind.name === "Document";
      node.row = node.firm ? (groups.get(node.group) % 3 - 1) * 0.27 * node.home.height : 0;
      node.x = centre + reach * Math.cos(angle);
      node.y = node.home.y + node.row + Math.max(-0.42, Math.min(0.42, reach * Math.sin(angle) / node.home.height)) * node.home.height;
      node.vx = node.vy = 0;
    }
    for (const edge of edges) edge.pull = edge.a.firm && edge.b.firm ? 0 : 1 / Math.max(1, Math.min(edge.a.degree, edge.b.degree));
  }

  // The height of a band grows with the square root of its number of nodes, so that few nodes do not spread out.
  static divide(nodes, layers, height) {
    const weights = layers.map(layer => 5 + Math.sqrt(nodes.filter(node => node.layer === layer).length));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    let top = -height / 2;
    return layers.map((layer, i) => {
      const band = { layer, height: height * weights[i] / all };
      band.y = top + band.height / 2;
      top += band.height;
      return band;
    });
  }

  // Performs one step and returns whether another one is needed.
  step() {
    if (this.heat < 0.02) return false;
    this.push();
    for (const { a, b, pull } of this.edges) {
      const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
      const rest = a.layer === b.layer ? 46 : 0, force = 0.12 * pull * (length - rest) / length;
      const down = a.layer === b.layer ? 1 : 0;  // between layers only sideways: the bands stay apart
      a.vx += dx * force; a.vy += dy * force * down;
      b.vx -= dx * force; b.vy -= dy * force * down;
    }
    for (const node of this.nodes) {
      const edge = node.home.height * 0.44, off = node.y - node.home.y;
      node.vy -= (off - node.row) * (node.firm ? 0.05 : 0.01) + (Math.abs(off) > edge ? (off - Math.sign(off) * edge) * 0.4 : 0);
      node.vx -= (node.x - node.centre) * (node.firm ? 0.06 : 0.006);
      const speed = Math.hypot(node.vx, node.vy), most = 26 * this.heat;
      const scale = speed > most ? most / speed : 1;
      node.x += node.vx * scale; node.y += node.vy * scale;
      node.vx *= 0.72; node.vy *= 0.72;
    }
    this.heat *= 0.985;
    return true;
  }

  push() {
    const size = 60, cells = new Map();
    for (const node of this.nodes) {
      const key = Math.floor(node.x / size) + "," + Math.floor(node.y / size);
      if (cells.has(key)) cells.get(key).push(node); else cells.set(key, [node]);
    }
    for (const [key, inside] of cells) {
      const [column, row] = key.split(",").map(Number);
      for (let dx = 0; dx <= 1; dx++) for (let dy = dx ? -1 : 0; dy <= 1; dy++) {
        const others = cells.get((column + dx) + "," + (row + dy));
        if (others) this.apart(inside, others, size);
      }
    }
  }

  apart(ours, theirs, size) {
    ours.forEach((a, i) => {
      for (let j = ours === theirs ? i + 1 : 0; j < theirs.length; j++) {
        const b = theirs[j];
        let dx = b.x - a.x, dy = b.y - a.y;
        if (!dx && !dy) dx = 0.1 + i * 0.01;
        const distance = Math.hypot(dx, dy);
        if (distance >= size) continue;
        const force = 2.2 * (1 - distance / size) / distance;
        a.vx -= dx * force; a.vy -= dy * force;
        b.vx += dx * force; b.vy += dy * force;
      }
    });
  }
}
