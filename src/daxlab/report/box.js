// The box that asks a network: a command, its answer, and what is right. The network and its grammar are in the page.

import { difference, h, percent } from "./dom.js";
import { CommandError, Language, split } from "./language.js";
import { Network } from "./network.js";

const WORDS = 40; // of a command: the network is asked also what no grammar licenses
const box = document.getElementById("ask-box"), form = box.querySelector("form"), input = box.querySelector("input");
const answer = box.querySelector("output"), { language, vocabulary } = JSON.parse(document.getElementById("data:ask").textContent);
const words = new Language(language);
let network = null; // made when it is first asked

function weights() {
  return Uint8Array.from(atob(document.getElementById("data:weights").textContent), letter => letter.charCodeAt(0)).buffer;
}

function line(name, actions, wrong = -1) {
  const items = actions.map((action, n) => h("li", { class: n === wrong ? "bad" : null }, action));
  if (wrong === actions.length) items.push(h("li", { class: "bad" }, "(stops too early)"));
  return h("div", {}, h("span", { class: "name" }, name), h("ol", {}, items.length ? items : h("li", {}, "(nothing)")));
}

function show() {
  const typed = split(input.value).slice(0, WORDS), text = typed.join(" ");
  const unknown = typed.find(word => !words.words.includes(word));
  if (!typed.length) return answer.replaceChildren("Type a command.");
  if (unknown !== undefined) return answer.replaceChildren(`It never saw the word “${unknown}”. It knows ${words.words.join(", ")}.`);
  let right = null, complaint = "";
  try { right = words.translate(text); } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    complaint = error.message;
  }
  network ??= new Network(weights(), vocabulary);
  const { actions, ended, steps } = network.answer(typed), wrong = right ? difference(actions, right) : -1;
  const sure = steps.reduce((product, step) => product * step.p, 100);
  const verdict = !right ? h("b", {}, "Not licensed by the grammar")
    : h("b", { class: wrong < 0 ? "good" : "bad" }, wrong < 0 ? "✓ right" : "✗ wrong");
  answer.replaceChildren(verdict, right ? "" : `: ${complaint}. No answer is right; it gives one all the same.`,
    line("It answers", actions, wrong), ...(wrong < 0 ? [] : [line("Right is", right)]),
    h("p", { class: "after" }, `It gives this answer a probability of ${percent(sure)}.${ended ? "" : " It never ended, and was cut off."}`));
}

form.addEventListener("submit", event => { event.preventDefault(); show(); });
box.querySelectorAll("[data-ask]").forEach(button => button.addEventListener("click", () => { input.value = button.dataset.ask; show(); }));
box.hidden = false;
