// Neighbours: what a network's encoder makes of 400 commands, as a map, and which are nearest to one of them; of a
// network with snapshots, also when it learned that: the answer, the attention and the map at each.

import { inspected } from "./ask.js";
import { actions, difference, h } from "./dom.js";
import { CommandError, split } from "./language.js";
import { components, nearest, project, scatter, states } from "./map.js";
import { END } from "./network.js";
import { data, language, network } from "./store.js";

export const view = (params, tools) => shown(params, tools, false);
export const over = (params, tools) => shown(params, tools, true);

async function shown(params, { wrote, onleave }, learning) {
  const { networks, first } = await data("page"), able = networks.filter(one => !learning || one.snapshots.length);
  if (!able.length) throw new Error(`no network here has its ${learning ? "snapshots: 'daxlab train --snapshots 12' keeps them" : "weights"}`);
  const named = able.find(one => params.get("n") && one.key.startsWith(params.get("n")));
  const about = named ?? able.find(one => one.key === first[0]) ?? able[0];
  const { commands: trained, of } = await data(`commands/${about.key}`), scan = await language(about.dataset);
  const licensed = text => { try { scan.tree(text); return true; } catch (error) { if (!(error instanceof CommandError)) throw error; return false; } };
  const wanted = params.get("q") ?? "", commands = trained.includes(wanted) || !licensed(wanted) ? trained : [...trained, wanted];
  const times = learning ? [...about.snapshots, null] : [null]; // null: the end
  const start = commands.findIndex(one => one.split(" ").length > 3);
  let picked = commands.includes(wanted) ? commands.indexOf(wanted) : Math.max(0, start), turn = 0, gone = false, rows = null;
  let at = Math.max(0, params.has("t") ? times.findIndex(one => String(one ?? "end") === params.get("t")) : times.length - 1);
  const waiting = h("p", { class: "small", role: "status" }), list = h("ol", { class: "nearest" }), answer = h("div");
  const plot = scatter(commands, { label: `A map of ${commands.length} commands; the list beside it says what is nearest`, onpick: pick });
  const input = h("input", { type: "text", id: "picked", list: "mapped", value: commands[picked], maxlength: 400, autocomplete: "off", autocapitalize: "none", spellcheck: "false", onchange: () => {
    const text = split(input.value).join(" "), n = commands.indexOf(text);
    if (n >= 0) pick(n);
    else if (licensed(text)) location.hash = address({ n: about.key.slice(0, 8), q: text, ...learning ? { t: times[at] ?? "end" } : {} });
    else waiting.textContent = `“${text}” is no command of its language.`;
  } });
  const others = h("datalist", { id: "mapped" }, commands.toSorted().map(one => h("option", { value: one })));
  const chosen = h("select", { id: "which", onchange: () => { location.hash = address({ n: chosen.value }); } },
    able.map(one => h("option", { value: one.key.slice(0, 8), selected: one === about }, `${one.name} on ${one.split}`)));
  const name = learning ? "when" : "near", address = values => `#/${name}?${new URLSearchParams({ q: commands[picked], ...values })}`;
  const said = n => times[n] === null ? "at the end" : `after ${times[n].toLocaleString("en")} examples`;
  const told = h("output", { class: "told", for: "moment" }), slider = h("input", { type: "range", id: "moment", min: 0, max: times.length - 1, step: 1, value: at,
    oninput: () => { at = +slider.value; show(); } });
  const known = new Map(); // states by moment
  let axes = null; // of the end: there all moments are shown, so that what moves is the network

  async function statesAt(n, still) {
    if (!known.has(n)) {
      const rows = await states(await network(about.key, times[n]), commands, still);
      if (rows === null) return null;
      known.set(n, rows);
    }
    return known.get(n);
  }

  function pick(n) {
    picked = n;
    input.value = commands[n];
    waiting.textContent = "";
    mark();
    reply();
  }

  function mark() {
    wrote(name, { n: about.key.slice(0, 8), q: commands[picked], t: learning ? times[at] ?? "end" : null });
    if (!rows) return;
    const near = nearest(rows, picked);
    plot.mark(picked, near.map(([n]) => n));
    list.replaceChildren(...near.map(([n, cosine]) => h("li", {}, h("button", { type: "button", class: "plain", onclick: () => { pick(n); input.focus(); } }, commands[n]), ` ${cosine.toFixed(3)}`)));
  }

  async function reply() {
    if (!learning) return;
    const mine = turn, words = commands[picked].split(" "), net = await network(about.key, times[at]);
    if (mine !== turn || commands[picked] !== words.join(" ")) return;
    const result = net.answer(words), truth = scan.translate(commands[picked]), wrong = difference(result.actions, truth);
    answer.replaceChildren(h("h2", {}, `Its answer ${said(at)} `, h("span", { class: wrong < 0 ? "good" : "bad" }, wrong < 0 ? "✓ right" : `✗ wrong from step ${wrong + 1} on`)),
      ...inspected(result, wrong, [...words, END]).flat().filter(Boolean), h("p", { class: "small" }, "What it means: ", actions(truth)));
  }

  async function show() {
    const mine = ++turn, still = () => mine === turn && !gone;
    told.textContent = said(at);
    slider.setAttribute("aria-valuetext", told.textContent);
    waiting.textContent = known.has(at) ? "" : "It reads the commands…";
    await reply();
    if (!axes) {
      const last = await statesAt(times.length - 1, () => !gone);
      if (last === null) return;
      axes = components(last);
    }
    const now = await statesAt(at, still);
    if (now === null || !still()) return;
    rows = now;
    waiting.textContent = "";
    plot.place(rows.map(row => project(row, axes)));
    mark();
  }

  onleave(() => { gone = true; });
  show().catch(error => { waiting.textContent = `This cannot be computed: ${error.message}`; });
  const drawn = `of ${of}, drawn at random (and those of one word). Each dot is the encoder’s last state in two dimensions: principal components${learning ? " of the end" : ""}.`;
  const content = [
    h("h1", {}, learning ? "When did it learn that?" : "Neighbours"),
    h("p", { class: "lead" }, learning ? "One network, stopped at several moments of its training. Move through time: its answer, what it looks at, and how it tells commands apart."
      : "A network reads a command into a list of numbers. Commands with similar numbers are alike to it: which are they?"),
    h("p", { class: "controls" }, h("label", {}, "The network ", chosen), " ", h("label", {}, "a command, any ", input), others),
    learning ? h("div", { class: "card slide" }, h("label", { for: "moment" }, "The network "), told, slider) : null,
    learning ? h("div", { class: "card", "aria-live": "polite" }, answer) : null,
    h("div", { class: "card mapped" }, plot.element, h("div", {}, h("h2", {}, "Nearest"), list, h("p", { class: "small" }, "By cosine of all its numbers, 1 at most."), waiting)),
    h("p", { class: "small" }, `${trained.length} commands ${drawn}`, learning ? " An update of its weights shows it one example." : ""),
  ];
  return content.filter(Boolean);
}
