// Ask anything: a command with completion, how it is derived, and what up to four networks make of it.

import { agent, bounds, player } from "./agent.js";
import { actions, difference, h, icon, named, percent, s } from "./dom.js";
import { CommandError, split } from "./language.js";
import { END } from "./network.js";
import { data, language, network } from "./store.js";
import { short } from "./you.js";

const MOST = 4; // networks
const WORDS = 40; // of a command: networks are asked also what no grammar licenses
const EXAMPLES = ["jump twice", "jump around left after walk", "turn left and run opposite right thrice", "look left twice and jump", "left jump and and walk"];

export async function view(params, { wrote, onleave }) {
  const { networks: kept, then, first, languages, live } = await data("page"), networks = [...kept, ...then];
  const wanted = (params.get("n") ?? "").split(".").filter(Boolean);
  for (const key of wanted.slice(0, MOST)) { // a run that has no weights, from a link
    if (!live || !/^[0-9a-f]{4,64}$/.test(key) || networks.some(one => one.key.startsWith(key))) continue;
    const run = await data(`asked/${key}`);
    if (!Object.hasOwn(languages, run.dataset)) throw new Error(`this page has no grammar of ${run.dataset}`);
    networks.push(run);
  }
  let chosen = networks.filter(one => wanted.some(key => key && one.key.startsWith(key))).slice(0, MOST);
  if (!chosen.length) chosen = networks.filter(one => first.includes(one.key));
  let name = chosen[0]?.dataset ?? "scan"; // all that answer speak one language
  chosen = chosen.filter(one => one.dataset === name);
  const examples = name === "scan" ? EXAMPLES : [wandered(await language(name))];
  let turn = 0, moving = null, timer = null;
  const input = h("input", { type: "text", id: "command", value: params.get("q") ?? examples[1] ?? examples[0], autocomplete: "off", autocapitalize: "none",
    spellcheck: "false", maxlength: 400, "aria-describedby": "said", oninput: () => { clearTimeout(timer); timer = setTimeout(show, 120); suggest(); } });
  const next = h("div", { class: "next", role: "group", "aria-label": "Words that may come next" });
  const said = h("p", { id: "said", class: "said", role: "status" }), meaning = h("div"), answers = h("div");
  input.addEventListener("keydown", event => {
    const words = [...next.querySelectorAll("button")];
    if (event.key === "Tab" && !event.shiftKey && words.length && unfinished()) { event.preventDefault(); words[0].click(); }
    if (event.key === "ArrowDown" && words.length) { event.preventDefault(); words[0].focus(); }
  });
  next.addEventListener("keydown", event => {
    const move = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[event.key];
    const to = move && document.activeElement[move];
    if (to?.tagName === "BUTTON") { event.preventDefault(); to.focus(); }
    if (event.key === "ArrowUp") input.focus();
  });
  const unfinished = () => /\S$/.test(input.value);
  const picks = networks.map(one => h("label", { class: "pick" },
    h("input", { type: "checkbox", value: one.key, checked: chosen.includes(one), onchange: pick }), h("span", {}, h("b", {}, one.name), " ", about(one))));

  function pick(event) {
    const boxes = picks.map(one => one.querySelector("input")), on = boxes.filter(box => box.checked);
    if (on.length > MOST) { event.target.checked = false; return; }
    const own = networks.find(one => one.key === event.target.value).dataset;
    if (event.target.checked && own !== name) boxes.forEach(box => { box.checked = box === event.target; });
    chosen = networks.filter(one => boxes.some(box => box.checked && box.value === one.key));
    name = chosen[0]?.dataset ?? name;
    suggest();
    show();
  }

  // The words that may come next; while a word is being typed, those that begin like it.
  async function suggest() {
    const scan = await language(name), text = input.value;
    const words = split(text), part = unfinished() && words.length ? words.pop() : "";
    const may = scan.next(words.join(" ")).filter(word => word !== null && word.startsWith(part) && word !== part);
    const after = part && !may.length ? scan.next(text).filter(word => word !== null) : may;
    const begin = part && !may.length ? text : words.join(" ");
    next.replaceChildren(...after.slice(0, 24).map(word => h("button", { type: "button", onclick: () => {
      input.value = `${begin} ${word} `.trimStart();
      input.focus();
      suggest();
      show();
    } }, word)));
  }

  async function show() {
    const mine = ++turn, scan = await language(name), words = split(input.value).slice(0, WORDS);
    const keys = chosen.map(one => one.key.slice(0, 8)).join(".");
    wrote("ask", { q: words.join(" "), n: keys });
    let tree = null, complaint = "";
    try { tree = scan.tree(words.join(" ")); } catch (error) { if (!(error instanceof CommandError)) throw error; complaint = error.message; }
    const unknown = words.find(word => !scan.words.includes(word));
    said.replaceChildren(...(tree ? ["A command of the language."]
      : !words.length ? ["Type a command, or click words."]
      : unknown ? [`The language has no word “${unknown}”, and the networks never saw it.`]
      : [h("b", {}, "Not licensed by the grammar"), `: ${complaint}. No answer is right; the networks give one all the same.`]));
    moving?.stop();
    const nets = unknown || !words.length ? [] : await Promise.all(chosen.map(one => one.then ? stored(one) : network(one.key)));
    if (mine !== turn) return;
    const asked = nets.map((net, n) => ({ name: chosen[n].name, about: chosen[n], result: net.answer(words) }));
    const results = asked.filter(one => one.result), silent = asked.filter(one => !one.result);
    const truth = tree?.actions ?? null, sequences = [...(truth ? [truth] : []), ...results.map(one => one.result.actions)];
    const within = bounds(sequences.length ? sequences : [[]]);
    const shown = truth ? [{ name: "What it means", actions: truth }] : [];
    shown.push(...results.map(one => ({ ...one, actions: one.result.actions })));
    const agents = shown.map(one => agent(one.actions, { within, label: `${one.name}: where it leads` }));
    moving = player(agents);
    meaning.replaceChildren(...(tree ? [h("section", { class: "card" }, h("h2", {}, "How it is derived"), derivation(tree))] : []));
    answers.replaceChildren(...(shown.length ? [h("section", { class: "card" },
      h("div", { class: "answers" }, shown.map((one, n) => answered(one, agents[n], truth, words))), moving.element)] : []));
    answers.append(...silent.map(one => h("p", { class: "small" }, `${one.name} on ${one.about.split} was not asked this, and cannot be asked now: its model was not kept, or is of another kind.`)));
  }

  onleave(() => { moving?.stop(); clearTimeout(timer); });
  await Promise.all([show(), suggest()]);
  return [
    h("h1", {}, "Ask anything"),
    h("form", { class: "ask", onsubmit: event => { event.preventDefault(); show(); } },
      h("label", { for: "command" }, "A command"), input, next),
    said,
    h("p", { class: "small examples-line" }, "For example: ", examples.map((one, n) => [n ? " · " : "", h("button", { type: "button", class: "plain",
      onclick: () => { input.value = one; suggest(); show(); } }, one)])),
    answers, meaning,
    h("details", { class: "picks" }, h("summary", {}, `Which networks answer (at most ${MOST})`), picks.slice(0, kept.length),
      picks.length > kept.length ? [h("h3", {}, "Asked then, not now"), h("p", { class: "small" }, "What these answered when they were trained; only commands of their test sets."), picks.slice(kept.length)] : null),
  ];
}

// A command of a language, by going from word to word.
function wandered(language) {
  const words = [];
  for (let next = language.next(""); words.length < language.longest && next.length && next[0] !== null; next = language.next(words.join(" "))) {
    words.push(next[(5 * words.length) % next.filter(word => word !== null).length]);
  }
  return words.join(" ");
}

// What a run without weights answered when it was trained, by the same name as a network; null to what it was not asked.
async function stored(run) {
  const { answers } = run.answers ? run : await data(`asked/${run.key}`);
  return { answer(words) {
    const text = words.join(" ");
    return Object.hasOwn(answers, text) ? { actions: split(answers[text]), steps: null } : null;
  } };
}

const about = one => `${one.told ? `was told ${one.told}` : `learned ${one.split}`}; ${percent(one.accuracy)} of its test`;

// A network's answer (or the truth): where it leads, its actions, and of a network how sure it was and where it looked.
function answered({ name, about: one, result, actions: sequence }, moving, truth, words) {
  const wrong = truth && result ? difference(sequence, truth) : -1;
  const verdict = !result || !truth ? null : h("span", { class: wrong < 0 ? "good" : "bad" }, wrong < 0 ? "✓ right" : `✗ wrong from step ${wrong + 1} on`);
  return h("div", { class: "answer" }, h("h3", {}, !one || one.then ? name : short(one), " ", verdict ?? h("span", { class: "muted" }, one ? "" : "by the grammar")), moving.element,
    result?.steps ? inspected(result, wrong, [...words, END]) : actions(sequence, { truth: wrong < 0 ? null : truth }), one?.then ? h("p", { class: "small" }, "Asked then, not now.") : null, one ? h("p", { class: "small about" }, `${one.name}; ${about(one)}`) : null);
}

// Every step of an answer as a button with its probability, and below it the step that is pointed at.
export function inspected({ steps, ended }, wrong, words) {
  const line = h("p", { class: "small step-line", "aria-live": "polite" }), read = h("p", { class: "read" }, words.map(word => [h("span", {}, word === END ? "(end)" : word), " "]));
  const buttons = steps.map((step, n) => {
    const bar = s("svg", { class: "bar", viewBox: "0 0 24 4", "aria-hidden": "true", preserveAspectRatio: "none" }, s("rect", { width: 24 * step.p, height: 4 }));
    const end = step.action === END, state = n === wrong ? "wrong" : wrong >= 0 && n > wrong ? "after" : null;
    return h("li", { class: state }, h("button", { type: "button", "aria-label": `Step ${n + 1}: ${end ? "stop" : named(step.action)}, ${percent(100 * step.p)}`,
      onfocus: () => point(n), onpointerenter: () => point(n), onclick: () => point(n) }, end ? h("span", { class: "word" }, "stop") : icon(step.action, false), bar));
  });
  const call = name => name === END ? "stop" : named(name);
  const point = n => {
    const step = steps[n];
    buttons.forEach((button, k) => button.classList.toggle("now", k === n));
    line.textContent = `Step ${n + 1}: ${call(step.action)} ${percent(100 * step.p)}, then ${call(step.second)} ${percent(100 * step.p2)}`;
    read.querySelectorAll("span").forEach((span, k) => span.style.setProperty("--look", step.attention ? step.attention[k] : 0));
    mapped?.point(n);
  };
  const mapped = steps[0]?.attention ? attentionMap(steps, words, call, point) : null;
  if (steps.length) point(Math.max(0, wrong >= steps.length ? steps.length - 1 : wrong));
  return [h("ol", { class: "actions steps", "aria-label": "Steps" }, buttons), ended ? null : h("p", { class: "small" }, "It never ended, and was cut off."),
    line, mapped ? [h("p", { class: "small looked" }, "It looked at:"), read, h("details", {}, h("summary", {}, "Attention, step by step"), mapped.element)]
      : h("p", { class: "small" }, "It has no attention.")];
}

// A row for each step, a column for each word; the step under the pointer is the one that is shown.
function attentionMap(steps, words, call, onpoint) {
  const cell = 16, left = 64, top = 66, width = left + words.length * cell, height = top + steps.length * cell;
  const row = s("rect", { class: "row", x: left, width: words.length * cell, height: cell });
  const element = s("svg", { class: "attention", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": "Attention: a row for each step, a column for each word. The steps above tell the same one by one." },
    words.map((word, k) => s("text", { transform: `translate(${left + (k + 0.7) * cell} ${top - 6}) rotate(-55)` }, word === END ? "(end)" : word)),
    steps.map((step, n) => [s("text", { x: left - 6, y: top + (n + 0.72) * cell, class: "end" }, call(step.action)),
      [...step.attention].map((weight, k) => s("rect", { class: "weight", x: left + k * cell, y: top + n * cell, width: cell - 1, height: cell - 1, "fill-opacity": weight.toFixed(3) },
        s("title", {}, `step ${n + 1}, ${call(step.action)}: ${percent(100 * weight)} on “${words[k]}”`)))]), row);
  element.addEventListener("pointermove", event => {
    const box = element.getBoundingClientRect(), n = Math.floor(((event.clientY - box.top) * height / box.height - top) / cell);
    if (steps[n]) onpoint(n);
  });
  return { element: h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Attention map" }, element), point: n => row.setAttribute("y", top + n * cell) };
}

// The tree from the top down; what a phrase means is said when it is pointed at or focused.
function derivation(tree) {
  const said = h("p", { class: "phrase small", "aria-live": "polite" });
  const words = node => typeof node === "string" ? [node] : node.parts.flatMap(words);
  const tell = node => said.replaceChildren(h("b", {}, `${node.category} → ${node.rule}`), " “", h("i", {}, words(node).join(" ")), "” means ", actions(node.actions));
  const drawn = node => typeof node === "string" ? h("li", { class: "leaf" }, h("i", {}, node))
    : h("li", {}, h("button", { type: "button", onclick: () => tell(node), onfocus: () => tell(node), onpointerenter: () => tell(node),
      "aria-label": `${node.category}: ${words(node).join(" ")}` }, node.category), h("ul", {}, node.parts.map(drawn)));
  tell(tree);
  return [h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Derivation tree" }, h("ul", { class: "tree" }, drawn(tree))), said];
}
