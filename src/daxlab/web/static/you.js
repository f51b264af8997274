// The paper's question, asked of the reader first and of three networks then. Nothing is stored or sent: the answers are
// in the address alone.

import { agent, bounds, player } from "./agent.js";
import { actions, difference, h, icon, named, percent } from "./dom.js";
import { data, language, network } from "./store.js";

const LETTERS = { D: "I_JUMP", W: "I_WALK", R: "I_RUN", K: "I_LOOK", L: "I_TURN_LEFT", T: "I_TURN_RIGHT" };
const HINTS = { "jump around left": ["walk around left"], "jump opposite right thrice": ["walk opposite right", "walk thrice"] };
const MOST = 30; // actions of an answer

export const dax = command => command.replaceAll("jump", "dax");
export const spun = sequence => sequence.map(action => action === "I_JUMP" ? "DAX" : action);
export const short = about => about.shots ? `${about.cell}, told ${about.shots} more` : about.shots === 0 ? about.cell : `${about.cell} on ${about.split}`;

export async function view(params, tools) {
  const { questions, first, networks } = await data("page"), scan = await language("scan");
  const given = (params.get("a") ?? "").split(".").filter(Boolean).slice(0, questions.length)
    .map(text => [...text].map(letter => LETTERS[letter]).filter(Boolean).slice(0, MOST));
  const abouts = first.map(key => networks.find(one => one.key === key));
  const fetch = () => first.forEach(key => network(key).catch(() => {})); // while the reader thinks, after the first click
  if (given.length) fetch();
  return given.length < questions.length ? question(given, questions, scan, fetch, tools) : outcome(given, questions, scan, abouts, tools);
}

function question(given, questions, scan, fetch, { address }) {
  const command = questions[given.length], chosen = [];
  const within = { left: -3.5, top: -3.5, size: 7 };
  const stage = h("div", { class: "stage" });
  const tray = h("div", { class: "tray", role: "group", "aria-label": "Your answer", "aria-live": "polite" });
  const done = h("a", { class: "main-button", role: "button", tabindex: 0 }, "That’s my answer");
  const show = () => {
    tray.replaceChildren(chosen.length ? actions(spun(chosen), { label: "Your answer so far" })
      : h("span", { class: "muted" }, "Click the actions, in their order."));
    const wide = bounds([spun(chosen)]), moving = agent(spun(chosen), { within: wide.size > 6 ? wide : within, label: "What your answer does" });
    stage.replaceChildren(moving.element);
    moving.show(Math.max(0, chosen.length - 1));
    requestAnimationFrame(() => requestAnimationFrame(() => moving.show(chosen.length)));
    undo.disabled = !chosen.length;
    done.setAttribute("aria-disabled", String(!chosen.length));
    if (chosen.length) done.href = address("you", { a: [...given, chosen].map(letters).join(".") }); else done.removeAttribute("href");
  };
  const undo = h("button", { type: "button", onclick: () => { chosen.pop(); show(); } }, "Undo");
  const chips = ["I_JUMP", "I_WALK", "I_TURN_LEFT", "I_TURN_RIGHT", "I_RUN", "I_LOOK"].map(action => {
    const own = spun([action])[0];
    return h("button", { type: "button", class: "chip", onclick: () => { fetch(); if (chosen.length < MOST) chosen.push(action); show(); } },
      icon(own, false), h("span", {}, named(own)));
  });
  show();
  const hints = (HINTS[command] ?? []).map(hint => h("p", { class: "hint" }, "To remind you: ", h("i", {}, hint), " means ",
    actions(scan.translate(hint), { label: hint })));
  const opening = given.length ? [] : [h("p", { class: "lead" }, "You know how to walk, run, look, turn left and turn right. Here is a new word.")];
  return [
    h("h1", {}, h("i", {}, "dax"), " means ", icon("DAX"), "."),
    ...opening,
    h("div", { class: "card question" }, h("div", {},
      h("p", { class: "over" }, `Question ${given.length + 1} of ${questions.length}`),
      h("h2", {}, "What does ", h("i", {}, dax(command)), " mean?"),
      hints, h("div", { class: "chips", role: "group", "aria-label": "Actions" }, chips), tray,
      h("div", { class: "buttons" }, done, undo)), stage),
    h("p", { class: "small" }, "Then three neural networks answer the same four questions. Nothing is stored or sent."),
  ];
}

const letters = sequence => sequence.map(action => Object.keys(LETTERS).find(letter => LETTERS[letter] === action)).join("");

async function outcome(given, questions, scan, abouts, { address }) {
  const nets = await Promise.all(abouts.map(about => network(about.key)));
  const rows = questions.map((command, n) => {
    const answers = [given[n], ...nets.map(net => net.answer(command.split(" ")).actions)];
    return { command, truth: scan.translate(command), answers };
  });
  const names = ["You", ...abouts.map(short)];
  const right = names.map((_, n) => rows.filter(row => difference(row.answers[n], row.truth) < 0).length);
  const alone = abouts.filter(about => !about.shots), best = Math.max(...right.slice(1, 1 + alone.length), 0);
  return [
    h("h1", { class: "score" }, names.slice(0, 1 + Math.max(1, alone.length)).map((name, n) => h("span", { class: n ? "net" : "you" }, `${name}: ${right[n]} of ${rows.length}. `))),
    h("p", { class: "lead" }, right[0] > best
      ? ["From one sentence you knew what ", h("i", {}, "dax twice"), " means. The networks did not, after a hundred thousand examples."]
      : ["Here is what everybody said."],
      abouts.map((about, n) => about.shots ? ` The same ${about.cell}, told the word in ${about.shots} longer commands as well: ${right[n + 1]} of ${rows.length}.` : null)),
    ...rows.map((row, n) => compared(row, names, n === 0)),
    h("div", { class: "note" },
      h("h2", {}, "Is that fair?"),
      h("p", {}, "The networks know your new word as ", h("i", {}, "jump"), "; ", h("i", {}, "dax"), " and ⟳ are only its costume here. ",
        "They read 100,000 examples, drawn at random, and a tenth of all they were told was this one word, alone: ",
        h("i", {}, "jump"), " means ", icon("I_JUMP"), ". They saw ", h("i", {}, "walk"), ", ", h("i", {}, "run"), " and ", h("i", {}, "look"),
        " in thousands of commands with ", h("i", {}, "twice"), ", ", h("i", {}, "and"), " and ", h("i", {}, "around left"), ", and of the commands that they were trained on ",
        alone.map((about, n) => [n ? " and " : "", `the ${about.cell} has ${percent(about.train)} right`]), "."),
      h("p", {}, "You, on the other hand, have known the word “twice” for years. That is the point of Brenden Lake and Marco Baroni’s paper of 2018: people use a new word at once in ",
        "every phrase they know, and these networks do not. Each of them is trained here as the paper trained its own."),
      abouts.filter(about => about.shots).map(about => h("p", {}, `“${short(about)}” is the same network, which was also shown the word in ${about.shots} longer commands`,
        about.seen.length ? [": ", h("i", {}, about.seen.slice(0, 3).map(dax).join(", ")), " and so on"] : "",
        `. Of the four questions ${asked(about, questions)} among them.`))),
    h("p", { class: "onward" }, h("a", { class: "main-button", href: address("shots") }, "How much must it see?"), " ",
      h("a", { href: address("ask") }, "Ask them anything"), " ", h("a", { href: address("results") }, "What the paper found"), " ",
      h("a", { href: address("you") }, "Answer again")),
  ];
}

function asked({ seen }, questions) {
  const many = questions.filter(command => seen.includes(command)).length;
  return many === 0 ? "none was" : many === 1 ? "one was" : `${many} were`;
}

function compared({ command, truth, answers }, names, autoplay) {
  const spins = answers.map(spun), meant = spun(truth), within = bounds([meant, ...spins]);
  const agents = answers.map((answer, n) => agent(spins[n], { within, label: `${names[n]}: where the answer leads` }));
  const moving = player(agents, { autoplay });
  const columns = answers.map((answer, n) => {
    const right = difference(answer, truth) < 0;
    return h("div", { class: "answer" },
      h("h3", {}, names[n], " ", h("span", { class: right ? "good" : "bad" }, right ? "✓ right" : "✗ wrong")),
      agents[n].element, actions(spins[n], { truth: right ? null : meant, label: `The answer of: ${names[n]}` }));
  });
  return h("section", { class: "card compared" }, h("h2", {}, h("i", {}, dax(command)), " means ", actions(meant, { label: "what it means" })),
    h("div", { class: "answers" }, columns), moving.element);
}
