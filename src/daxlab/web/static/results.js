// What the paper found, and whether it holds here.

import { h, percent } from "./dom.js";
import { data } from "./store.js";
import { strips } from "./strips.js";

const SPLITS = [["simple", "new commands, of kinds it has seen"], ["turn-left", "a turn it only saw alone, in new company"],
  ["length", "longer action sequences than any it has seen"], ["jump", "a verb it only saw alone, in new company"]];
const SAME = { "release/simple_split/simple": "simple" };
const CLASS = { holds: "good", "does not hold": "bad", undecided: "open" };

export async function view(params, { address, onleave }) {
  const [claims, { settings, columns, runs }, { report }] = await Promise.all([data("claims"), data("runs"), data("page")]);
  const column = name => columns.indexOf(name);
  const best = settings.map(({ label, dataset, split, learner }) => learner === "rnn" && dataset === "scan" && label === "LSTM 2x200, dropout 0.5" ? SAME[split] ?? split : null);
  const rows = SPLITS.map(([split, asks]) => {
    const own = runs.filter(run => best[run[column("setting")]] === split && run[column("accuracy")] !== null);
    const values = own.map(run => run[column("accuracy")]), mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    return { name: split, note: `asks for ${asks}`, points: own.map(run => ({ value: run[column("accuracy")], key: run[column("key")] })), mean };
  }).filter(row => row.points.length);
  const chart = rows.length ? strips(rows, { onpick: key => { location.hash = address("runs", { run: key }); }, label: "Accuracy by split" }) : null;
  onleave(() => chart?.stop());
  const groups = [...new Set(claims.map(claim => claim.experiment))];
  const holding = claims.filter(claim => claim.verdict === "holds").length;
  return [
    h("h1", {}, "What the paper found"),
    h("p", { class: "lead" }, "Networks learn a language from its commands and answer new ones of kinds they have seen almost perfectly. Give them a verb they have only seen alone, and they fail almost always."),
    chart ? h("div", { class: "card" }, h("h2", {}, "The same network, four questions"),
      h("p", { class: "small" }, "Every dot is one network trained here: the paper’s overall best, an LSTM of two layers of 200 units. Click a dot for its run."),
      chart.element, h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["split", "asks for", "networks", "mean accuracy"].map(name => h("th", { scope: "col" }, name)))),
        h("tbody", {}, rows.map(row => h("tr", {}, h("th", { scope: "row" }, row.name), h("td", {}, row.note.replace("asks for ", "")), h("td", {}, String(row.points.length)), h("td", {}, percent(row.mean, 2))))))) : null,
    h("h2", {}, `Its claims, one by one: ${holding} of ${claims.length} hold here`),
    groups.map(group => h("section", {}, h("h3", {}, group), h("ul", { class: "claims" }, claims.filter(claim => claim.experiment === group).map(claim =>
      h("li", { id: claim.id }, h("details", {}, h("summary", {}, h("span", { class: `verdict ${CLASS[claim.verdict] ?? "open"}` }, claim.verdict), " ", claim.claim),
        h("p", { class: "small" }, claim.evidence))))))),
    h("p", { class: "small" }, "“Holds”: the 95% interval of every figure lies within what is needed. All figures, tables and drawings are in ",
      report ? h("a", { href: report }, "the report") : ["the report, which ", h("code", {}, "daxlab report --open"), " writes"], ". The paper: Lake, B. and Baroni, M. (2018). Generalization without systematicity: on the compositional skills of sequence-to-sequence recurrent networks. ICML."),
  ].filter(part => part !== null);
}
