// How much must it see? One kind of network after 0, 1, 2, … composed examples of the new word, by a slider.

import { agent, bounds, player } from "./agent.js";
import { actions, difference, h, percent, s } from "./dom.js";
import { data, language, network } from "./store.js";
import { dax, spun } from "./you.js";

export async function view(params, { wrote, onleave }) {
  const { questions, ladder, networks } = await data("page"), scan = await language("scan");
  const steps = ladder.map(key => networks.find(one => one.key === key));
  if (!steps.length) throw new Error("no network of this kind has its weights here");
  let at = Math.max(0, steps.findIndex(one => String(one.shots) === params.get("n"))), turn = 0, moving = null;
  let command = questions.includes(params.get("q")) ? params.get("q") : questions[0];
  const answer = h("div", { class: "card", "aria-live": "polite" }), seen = h("div"), chart = h("div", { class: "chart" });
  const told = h("output", { class: "told", for: "shots" });
  const slider = h("input", { type: "range", id: "shots", min: 0, max: steps.length - 1, step: 1, value: at,
    oninput: () => { at = +slider.value; show(); } });
  const select = h("select", { id: "question", onchange: () => { command = select.value; show(); } },
    questions.map(one => h("option", { value: one, selected: one === command }, dax(one))));

  slider.addEventListener("focus", () => ladder.forEach(key => network(key).catch(() => {})), { once: true });

  async function show() {
    const mine = ++turn, about = steps[at], truth = scan.translate(command);
    const many = about.shots === 1 ? "1 longer command" : `${about.shots} longer commands`;
    told.textContent = about.shots ? `dax alone, and ${many}` : "dax alone";
    slider.setAttribute("aria-valuetext", told.textContent);
    wrote("shots", { n: about.shots, q: command });
    chart.replaceChildren(drawn(steps, at));
    seen.replaceChildren(...examples(about, scan));
    const net = await network(about.key);
    if (mine !== turn) return;
    const mineActions = net.answer(command.split(" ")).actions, right = difference(mineActions, truth) < 0;
    const both = [spun(truth), spun(mineActions)], within = bounds(both);
    const agents = both.map((one, n) => agent(one, { within, label: n ? "the network" : "what is meant" }));
    moving?.stop();
    moving = player(agents);
    answer.replaceChildren(h("div", { class: "answers two" },
      h("div", { class: "answer" }, h("h3", {}, "What it means"), agents[0].element, actions(both[0])),
      h("div", { class: "answer" }, h("h3", {}, `The ${about.cell} `, h("span", { class: right ? "good" : "bad" }, right ? "✓ right" : "✗ wrong")),
        agents[1].element, actions(both[1], { truth: right ? null : both[0] }))), moving.element);
  }
  onleave(() => moving?.stop());
  await show();
  return [
    h("h1", {}, "How much must it see?"),
    h("p", { class: "lead" }, "You needed one sentence. The same network was trained again, each time with a few more commands that use the new word in company."),
    h("div", { class: "pair" }, h("div", { class: "card" },
      h("div", { class: "slide" }, h("label", { for: "shots" }, "It was told "), told, slider,
        h("div", { class: "ticks", "aria-hidden": "true" }, steps.map(one => h("span", {}, String(one.shots))))),
      h("p", { class: "which" }, h("label", { for: "question" }, "What does "), select, " mean?"),
      chart), answer),
    seen,
    h("p", { class: "small" }, `Seven networks (${steps[0].name}), one for each number: another network, or other examples, would do somewhat better or worse. `,
      "The paper’s own figures are means of five. Here too ", h("i", {}, "dax"), " is the network’s ", h("i", {}, "jump"), "."),
  ];
}

// The accuracies as a line of points, the chosen one marked.
function drawn(steps, at) {
  const width = 360, height = 190, left = 42, right = 14, top = 26, bottom = 40;
  const x = n => left + n * (width - left - right) / Math.max(1, steps.length - 1), y = v => top + (100 - v) * (height - top - bottom) / 100;
  const words = steps.map(one => `${one.shots}: ${percent(one.accuracy)}`).join(", ");
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Accuracy on all other commands with dax. ${words}` },
    s("text", { x: 0, y: 12, class: "title" }, "Right on all other commands with dax"),
    [0, 50, 100].map(v => [s("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "rule" }), s("text", { x: left - 6, y: y(v) + 4, class: "end" }, `${v}%`)]),
    s("path", { class: "line", d: steps.map((one, n) => `${n ? "L" : "M"}${x(n)} ${y(one.accuracy)}`).join("") }),
    steps.map((one, n) => [s("circle", { cx: x(n), cy: y(one.accuracy), r: n === at ? 7 : 4, class: n === at ? "dot now" : "dot" }),
      s("text", { x: x(n), y: height - bottom + 18, class: n === at ? "middle strong" : "middle" }, String(one.shots))]),
    s("text", { x: x(at), y: y(steps[at].accuracy) - 12, class: "middle strong" }, percent(steps[at].accuracy)),
    s("text", { x: width - right, y: height - 4, class: "end" }, "composed examples in its training"));
}

function examples(about, scan) {
  if (!about.seen.length) return [h("p", { class: "small" }, "It has seen the word alone, and nothing else of it.")];
  const list = about.seen.map(command => h("li", {}, h("i", {}, dax(command)), " ", actions(spun(scan.translate(command)), { label: command })));
  const many = about.seen.length === 1 ? "The command that it was shown" : `The ${about.seen.length} commands that it was shown`;
  return [h("details", {}, h("summary", {}, many), h("ul", { class: "examples" }, list))];
}
