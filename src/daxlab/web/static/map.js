// Many vectors as a map: two dimensions by principal components, and which are nearest. Knows nothing of networks.

import { h, reduced, s } from "./dom.js";

const ROUNDS = 100, WIDE = 640, HIGH = 420, EDGE = 16;

// The mean of some vectors, and the directions in which they vary most, each as long as 1.
export function components(rows, count = 2) {
  const size = rows[0].length, mean = new Float64Array(size), axes = [];
  for (const row of rows) row.forEach((x, k) => { mean[k] += x / rows.length; });
  for (let n = 0; n < count; n++) {
    let axis = Float64Array.from({ length: size }, (_, k) => Math.cos(1 + k * (n + 1))); // any start that is no axis
    for (let round = 0; round < ROUNDS; round++) { // power iteration, without what the earlier axes explain
      const next = new Float64Array(size);
      for (const row of rows) {
        const along = dot(row, axis) - dot(mean, axis);
        for (let k = 0; k < size; k++) next[k] += along * (row[k] - mean[k]);
      }
      for (const other of axes) { const shared = dot(next, other); next.forEach((_, k) => { next[k] -= shared * other[k]; }); }
      const length = Math.sqrt(dot(next, next));
      if (length < 1e-12) break; // nothing varies any more
      axis = next.map(x => x / length);
    }
    axes.push(axis);
  }
  return { mean, axes };
}

export const project = (row, { mean, axes }) => axes.map(axis => dot(row, axis) - dot(mean, axis));

// The `count` rows that are most like one of them by cosine: [[index, cosine], …].
export function nearest(rows, at, count = 5) {
  const length = rows.map(row => Math.sqrt(dot(row, row)) || 1);
  return rows.map((row, n) => [n, dot(row, rows[at]) / length[n] / length[at]]).filter(([n]) => n !== at)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, count);
}

function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

// The encoder states of commands, a few at a time so that the page stays alive; null where `wanted()` becomes false.
export async function states(network, commands, wanted = () => true) {
  const rows = [];
  for (let last = performance.now(); rows.length < commands.length;) {
    rows.push(network.state(commands[rows.length].split(" ")));
    if (performance.now() - last > 12) {
      await new Promise(resolve => setTimeout(resolve));
      if (!wanted()) return null;
      last = performance.now();
    }
  }
  return rows;
}

// Dots that can be picked and moved. {element, place(points), mark(index, indices)}
export function scatter(names, { label, onpick }) {
  const dots = names.map((name, n) => s("circle", { r: 4.5, onclick: () => onpick(n) }, s("title", {}, name)));
  const text = s("text", { class: "picked-name" }), element = h("div", { class: "map" },
    s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label }, dots, text));
  let points = [], marked = -1;
  const write = () => {
    if (marked < 0 || !points.length) return;
    const [x, y] = points[marked], right = x > WIDE * 0.6;
    text.textContent = names[marked];
    text.setAttribute("transform", `translate(${right ? x - 9 : x + 9} ${Math.max(14, y - 8)})`);
    text.setAttribute("text-anchor", right ? "end" : "start");
  };
  const place = flat => {
    const [low, high] = [0, 1].map(k => flat.map(point => point[k])).reduce(([l, g], own) => [[...l, Math.min(...own)], [...g, Math.max(...own)]], [[], []]);
    const scale = Math.min((WIDE - 2 * EDGE) / (high[0] - low[0] || 1), (HIGH - 2 * EDGE) / (high[1] - low[1] || 1));
    points = flat.map(([x, y]) => [WIDE / 2 + scale * (x - (low[0] + high[0]) / 2), HIGH / 2 - scale * (y - (low[1] + high[1]) / 2)]);
    element.classList.toggle("moving", element.classList.contains("placed") && !reduced());
    dots.forEach((dot, n) => dot.style.setProperty("transform", `translate(${points[n][0].toFixed(1)}px, ${points[n][1].toFixed(1)}px)`));
    element.classList.add("placed");
    write();
  };
  const mark = (index, near) => {
    marked = index;
    dots.forEach((dot, n) => dot.setAttribute("class", n === index ? "picked" : near.includes(n) ? "near" : ""));
    [...near, index].forEach(n => text.before(dots[n])); // above the others
    write();
  };
  return { element, place, mark };
}
