// An agent on a grid: where a sequence of actions leads it. Knows SCAN's actions; others it only names.

import { h, s, named, reduced } from "./dom.js";

const TURN = { I_TURN_LEFT: -90, I_TURN_RIGHT: 90 };
const CELLS = { I_WALK: 1, I_RUN: 2, I_JUMP: 1 };
const ON_THE_SPOT = { DAX: "ring", I_LOOK: "gaze" };
const SPEEDS = [["slow", 900], ["normal", 450], ["fast", 180]];

// The poses {x, y, turn, action}, the first before any action. A turn is counted up, so that it goes the short way round.
export function poses(actions) {
  const all = [{ x: 0, y: 0, turn: 0, action: null }];
  for (const action of actions) {
    const { x, y, turn } = all.at(-1), angle = (turn + (TURN[action] ?? 0)) * Math.PI / 180, far = CELLS[action] ?? 0;
    const spin = action === "DAX" ? 360 : TURN[action] ?? 0;
    all.push({ x: x + far * Math.round(Math.sin(angle)), y: y - far * Math.round(Math.cos(angle)), turn: turn + spin, action });
  }
  return all;
}

// The square that holds every pose of all sequences, so that grids beside each other have one scale.
export function bounds(sequences) {
  const all = sequences.flatMap(poses), of = (pick, some) => some(...all.map(pick));
  const [left, right, top, bottom] = [of(p => p.x, Math.min), of(p => p.x, Math.max), of(p => p.y, Math.min), of(p => p.y, Math.max)];
  const size = Math.max(right - left, bottom - top, 4) + 1;
  return { left: (left + right) / 2 - size / 2, top: (top + bottom) / 2 - size / 2, size };
}

// A grid with an agent. {element, show(step), steps}
export function agent(actions, { within = bounds([actions]), label = "the agent" } = {}) {
  const all = poses(actions), { left, top, size } = within;
  const lines = [];
  for (let k = Math.ceil(left); k <= left + size; k++) lines.push(`M${k} ${top}v${size}`);
  for (let k = Math.ceil(top); k <= top + size; k++) lines.push(`M${left} ${k}h${size}`);
  const trail = s("path", { class: "trail" }), body = s("g", { class: "body" },
    s("circle", { r: 0.34 }), s("path", { d: "M-.2 -.06 0 -.28 .2 -.06Z", class: "nose" }));
  const mark = s("circle", { class: "pulse", r: 0.42 }), rings = s("g");
  const element = s("svg", { class: "grid", viewBox: `${left} ${top} ${size} ${size}`, role: "img", "aria-label": label },
    s("path", { class: "lines", d: lines.join("") }), s("circle", { class: "start", r: 0.1 }), rings, trail, mark, body);
  const show = step => {
    const pose = all[Math.min(step, all.length - 1)];
    trail.setAttribute("d", all.slice(0, step + 1).map(({ x, y }, n) => `${n ? "L" : "M"}${x} ${y}`).join(""));
    rings.replaceChildren(...marks(all.slice(0, step + 1)));
    body.style.transform = `translate(${pose.x}px, ${pose.y}px) rotate(${pose.turn}deg)`;
    mark.setAttribute("transform", `translate(${pose.x} ${pose.y})`);
    mark.setAttribute("class", ["I_LOOK", "I_JUMP", "DAX"].includes(pose.action) && step < all.length ? `pulse ${pose.action === "I_LOOK" ? "look" : "up"}` : "pulse");
  };
  show(0);
  return { element, show, steps: actions.length };
}

// What was done on the spot leaves a ring there, one around the other.
function marks(all) {
  const times = new Map();
  return all.filter(pose => pose.action in ON_THE_SPOT).map(({ x, y, action }) => {
    const place = `${x} ${y}`, many = (times.get(place) ?? 0) + 1;
    times.set(place, many);
    return s("circle", { class: ON_THE_SPOT[action], cx: x, cy: y, r: 0.36 + 0.14 * Math.min(many, 9) });
  });
}

// Play, pause, step and speed for agents that move together. `onstep(step)`: told of each. {element, show, stop}
export function player(agents, { actions = [], onstep = () => {}, autoplay = true } = {}) {
  const last = Math.max(0, ...agents.map(one => one.steps));
  let step = 0, timer = null, speed = 1;
  const status = h("output", { class: "step", "aria-live": "off" });
  const show = next => {
    step = Math.max(0, Math.min(next, last));
    for (const one of agents) one.show(step);
    status.textContent = `${step} of ${last}${step && actions[step - 1] ? `: ${named(actions[step - 1])}` : ""}`;
    onstep(step);
  };
  const stop = () => { clearTimeout(timer); timer = null; play.textContent = "Play"; };
  const tick = () => {
    if (!status.isConnected && step) return stop();
    if (step >= last) return stop();
    show(step + 1);
    timer = setTimeout(tick, SPEEDS[speed][1]);
  };
  const start = () => { if (step >= last) show(0); play.textContent = "Pause"; timer = setTimeout(tick, 250); };
  const play = h("button", { type: "button", onclick: () => timer ? stop() : start() }, "Play");
  const by = (name, far, label) => h("button", { type: "button", "aria-label": label, onclick: () => { stop(); show(step + far); } }, name);
  const select = h("select", { "aria-label": "Speed", onchange: event => { speed = +event.target.value; } },
    SPEEDS.map(([name], n) => h("option", { value: n, selected: n === speed }, name)));
  const element = h("div", { class: "player" }, play, by("‹", -1, "One step back"), by("›", 1, "One step on"), select, status);
  show(autoplay && !reduced() ? 0 : last);
  if (autoplay && !reduced()) start();
  return { element, show: next => { stop(); show(next); }, stop };
}
