// Elements, pictograms and sentences. Words from anywhere are text here, never markup.

const SVG = "http://www.w3.org/2000/svg";

// An element: attributes, `on…` for events, `class` and `text`; children are elements, strings, or lists of these.
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return element;
}

export const reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const percent = (x, digits = 1) => x === null || x === undefined ? "–" : `${x.toFixed(digits)}%`;

// Each action as a small drawing, 24 by 24, and its name. An action that has none is written out.
const DRAWN = {
  I_WALK: ["walk", "M12 20V6m-5 5 5-5 5 5"],
  I_RUN: ["run", "M12 21V9m-5 5 5-5 5 5M7 8l5-5 5 5"],
  I_LOOK: ["look", "M3 12s3.5-5.5 9-5.5S21 12 21 12s-3.5 5.5-9 5.5S3 12 3 12Zm9 2a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z"],
  I_JUMP: ["jump", "M4 18c2-11 14-11 16 0m-4.5-3.5L20 18l2-5"],
  I_TURN_LEFT: ["turn left", "M17 20v-6a4 4 0 0 0-4-4H5m5-5-5 5 5 5"],
  I_TURN_RIGHT: ["turn right", "M7 20v-6a4 4 0 0 1 4-4h8m-5-5 5 5-5 5"],
  DAX: ["dax", "M18.5 8.5A7.5 7.5 0 1 0 19.5 13m-.5-9v4.8h-4.8"],
};

export const named = action => DRAWN[action]?.[0] ?? action.replace(/^I_/, "").replaceAll("_", " ").toLowerCase();

// `label`: whether it is read out; false where the name stands beside it.
export function icon(action, label = true) {
  const drawn = DRAWN[action];
  if (!drawn) return h("span", { class: "word" }, action);
  const about = label ? { role: "img", "aria-label": drawn[0] } : { "aria-hidden": "true" };
  return s("svg", { class: `icon ${action.toLowerCase()}`, viewBox: "0 0 24 24", ...about }, s("path", { d: drawn[1] }));
}

// A row of actions. `truth`: marks the first that differs from it.
export function actions(sequence, { truth = null, label = "actions" } = {}) {
  const wrong = truth === null ? -1 : difference(sequence, truth);
  const items = sequence.map((action, n) => h("li", { class: n === wrong ? "wrong" : n > wrong && wrong >= 0 ? "after" : null }, icon(action)));
  if (wrong === sequence.length) items.push(h("li", { class: "wrong end", title: "it stops too early" }, "stop"));
  if (!items.length) items.push(h("li", { class: "none" }, "nothing"));
  return h("ol", { class: "actions", "aria-label": label }, items);
}

// The first place where two sequences differ; -1 if nowhere.
export function difference(a, b) {
  const longest = Math.max(a.length, b.length);
  for (let n = 0; n < longest; n++) if (a[n] !== b[n]) return n;
  return -1;
}
