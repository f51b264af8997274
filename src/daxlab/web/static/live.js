// Live: what the ledger says of a sweep under way, asked again every few seconds while the tab is seen.

import { h, percent } from "./dom.js";
import { data } from "./store.js";

const EVERY = 3000;

export async function view(params, { onleave }) {
  if (!(await data("page")).live) throw new Error("this page was written down; “daxlab web” serves one that is live");
  const state = h("div", { "aria-live": "polite" });
  let timer = null, left = false;
  async function show() {
    clearTimeout(timer);
    if (left) return;
    if (!document.hidden) {
      try { state.replaceChildren(...said(await data("status", true))); } catch (error) { state.replaceChildren(h("p", { class: "warning" }, `No word from the server: ${error.message}`)); }
    }
    if (!left) timer = setTimeout(show, EVERY);
  }
  onleave(() => { left = true; clearTimeout(timer); });
  await show();
  return [h("h1", {}, "Live"), state];
}

function said({ done, running, waiting, failed, writing, groups, best, runs_per_hour: rate, seconds_left: seconds }) {
  const counts = { done, running, waiting, failed };
  return [
    h("p", { class: "lead" }, writing ? `A sweep is under way${rate ? `: ${rate.toFixed(0)} runs an hour` : ""}${seconds ? `, about ${Math.ceil(seconds / 60)} minutes left` : ""}.` : "Nobody trains into this ledger now."),
    h("dl", { class: "counts" }, Object.entries(counts).map(([name, number]) => h("div", {}, h("dd", {}, number.toLocaleString("en")), h("dt", {}, name)))),
    ...groups.map(group => h("div", { class: "card" }, h("b", {}, group.label), ` · ${group.runs === 1 ? "1 run" : `${group.runs} runs`}`,
      h("progress", { max: group.steps, value: group.step, "aria-label": group.label }), h("p", { class: "small" }, `update ${group.step.toLocaleString("en")} of ${group.steps.toLocaleString("en")}`))),
    h("details", {}, h("summary", {}, "The best so far"), h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "The best so far" }, h("table", {}, h("tbody", {}, best.map(row => h("tr", {}, h("th", { scope: "row" }, row.split), h("td", {}, row.label), h("td", {}, `${row.runs} runs`), h("td", {}, percent(row.mean)))))))),
  ];
}
