// Strip plots on a canvas: a row of dots from 0 to 100 for each group, thousands of them at once.

import { h, percent } from "./dom.js";

const ROW = 30, TOP = 8, AXIS = 24, RIGHT = 20;

// rows: [{name, points: [{value, key}], mean}]. {element, stop}
export function strips(rows, { onpick = () => {}, label = "" } = {}) {
  const canvas = h("canvas", { role: "application", tabindex: 0, "aria-label": `${label}. Arrow keys go from dot to dot, Enter opens its run. ${rows.slice(0, 40).map(row => `${row.name} ${percent(row.mean)}`).join(", ")}` });
  const tip = h("div", { class: "tip", role: "status", hidden: true }), element = h("div", { class: "strips" }, canvas, tip);
  let placed = [], at = null; // `at`: where the keyboard is
  const draw = () => {
    const width = element.clientWidth || 640, height = TOP + rows.length * ROW + AXIS, scale = devicePixelRatio || 1;
    const longest = Math.max(...rows.map(row => measured(row.name)), 0);
    const left = Math.max(60, Math.min(longest + 16, width * 0.42));
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d"), colour = name => getComputedStyle(element).getPropertyValue(name).trim();
    pen.scale(scale, scale);
    const x = value => left + value * (width - left - RIGHT) / 100;
    pen.font = `12px ${colour("--sans") || "sans-serif"}`;
    pen.textBaseline = "middle";
    const [ink, muted, rule, ours, paper] = ["--ink", "--muted", "--rule", "--ours", "--paper"].map(colour);
    pen.strokeStyle = rule;
    pen.fillStyle = muted;
    pen.textAlign = "center";
    for (const value of [0, 25, 50, 75, 100]) {
      pen.beginPath(); pen.moveTo(x(value), TOP); pen.lineTo(x(value), height - AXIS); pen.stroke();
      pen.fillText(value === 100 ? "100%" : String(value), x(value), height - AXIS / 2);
    }
    placed = [];
    pen.textAlign = "left";
    rows.forEach((row, n) => {
      const middle = TOP + (n + 0.5) * ROW;
      pen.fillStyle = ink;
      pen.fillText(cut(pen, row.name, left - 12), 0, middle);
      pen.fillStyle = ours;
      pen.globalAlpha = row.points.length > 60 ? 0.35 : 0.65;
      row.points.forEach((point, k) => {
        const at = [x(point.value), middle + ((k * 7) % 11 - 5) * 1.5];
        pen.beginPath(); pen.arc(at[0], at[1], 3, 0, 7); pen.fill();
        placed.push([...at, point, row]);
      });
      pen.globalAlpha = 1;
      if (at && at[3] === row) { // as it is placed now
        at = placed.find(one => one[2] === at[2]) ?? at;
        pen.strokeStyle = ink;
        pen.beginPath(); pen.arc(at[0], at[1], 6, 0, 7); pen.stroke();
      }
      if (Number.isFinite(row.mean)) { pen.fillStyle = paper; pen.fillRect(x(row.mean) - 1, middle - 10, 2, 20); }
    });
  };
  const near = event => {
    const box = canvas.getBoundingClientRect(), [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let best = null, least = 100;
    for (const one of placed) {
      const far = (one[0] - px) ** 2 + (one[1] - py) ** 2;
      if (far < least) { best = one; least = far; }
    }
    return best;
  };
  const tell = one => {
    tip.hidden = !one;
    if (!one) return;
    tip.textContent = `${percent(one[2].value, 2)} · ${one[3].name} · ${one[2].key.slice(0, 8)}`;
    tip.style.left = `${Math.min(one[0] + 10, canvas.clientWidth - tip.offsetWidth)}px`;
    tip.style.top = `${one[1] + 10}px`;
  };
  canvas.addEventListener("pointermove", event => {
    const one = near(event);
    canvas.style.cursor = one ? "pointer" : "";
    tell(one);
  });
  canvas.addEventListener("keydown", event => {
    if (event.key === "Enter" && at) return onpick(at[2].key);
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key], to = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step && !to || !placed.length) return;
    event.preventDefault();
    const filled = rows.filter(row => row.points.length), row = at ? filled[clamp(filled.indexOf(at[3]) + (to ?? 0), filled)] : filled[0];
    const own = placed.filter(one => one[3] === row).sort((a, b) => a[0] - b[0]);
    const here = at && row === at[3] ? own.indexOf(at) + (step ?? 0) : at ? own.findIndex(one => one[0] >= at[0]) : 0;
    at = own[here < 0 && at && row !== at[3] ? own.length - 1 : clamp(here, own)];
    draw();
    tell(at);
  });
  canvas.addEventListener("blur", () => { at = null; tip.hidden = true; draw(); });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("click", event => { const one = near(event); if (one) onpick(one[2].key); });
  const size = new ResizeObserver(draw), looks = new MutationObserver(draw), dark = matchMedia("(prefers-color-scheme: dark)");
  size.observe(element);
  looks.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  dark.addEventListener("change", draw);
  return { element, draw, stop: () => { size.disconnect(); looks.disconnect(); dark.removeEventListener("change", draw); } };
}

const clamp = (n, list) => Math.max(0, Math.min(n, list.length - 1));
const ruler = document.createElement("canvas").getContext("2d");

function measured(text) {
  ruler.font = "12px sans-serif";
  return ruler.measureText(text).width;
}

function cut(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let kept = text.length; // of the beginning and of the end, where names differ
  const shorter = () => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
  while (kept > 4 && pen.measureText(shorter()).width > width) kept--;
  return shorter();
}
