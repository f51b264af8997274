// The runs: every run of the ledger, filtered by any field, as dots by any other, and each run by itself.

import { h, named, percent } from "./dom.js";
import { data } from "./store.js";
import { strips } from "./strips.js";

const SHOWN = 40; // rows of dots in a chart, and of the table
const CHARTS = 12;
const FIRST = ["dataset", "split", "label", "status"];
const MEASURES = { accuracy: "test accuracy", train_accuracy: "training accuracy", oracle_accuracy: "accuracy with the right length told" };
const RESERVED = ["by", "of", "run", "each"];

const text = value => value === undefined ? "(none)" : typeof value === "string" ? value : JSON.stringify(value);

// Every run as {key, seed, status, accuracy, …, values}; `values`: all that it can be filtered by.
function table({ settings, columns, runs }) {
  const values = settings.map(({ fields, ...rest }) => ({ ...rest, ...fields }));
  const texts = values.map(own => new Map(Object.entries(own).map(([name, one]) => [name, text(one)])));
  return runs.map(run => {
    const row = Object.fromEntries(columns.map((name, n) => [name, run[n]]));
    return { ...row, values: values[row.setting], texts: texts[row.setting] };
  });
}

// Rows by the value of a field, or all as one group.
function grouped(rows, name) {
  const groups = new Map();
  for (const row of rows) {
    const own = name ? value(row, name) : "";
    if (!groups.has(own)) groups.set(own, []);
    groups.get(own).push(row);
  }
  return groups;
}

// The place of each group: numbers by size, names by their mean.
function rank(plots) {
  const numbers = plots.every(plot => Number.isFinite(Number(plot.name)));
  const sorted = [...plots].sort((a, b) => numbers ? a.name - b.name : b.mean - a.mean);
  return new Map(sorted.map((plot, n) => [plot.name, n]));
}

function commonest(all) {
  const times = new Map();
  for (const row of all) times.set(row.values.label, (times.get(row.values.label) ?? 0) + 1);
  return [...times].reduce((a, b) => b[1] > a[1] ? b : a, ["", 0])[0];
}

const value = (row, name) => name === "status" || name === "seed" ? String(row[name]) : row.texts.get(name) ?? "(none)";

export async function view(params, { address, wrote, onleave }) {
  const [all, { networks, live }] = await Promise.all([data("runs").then(table), data("page")]);
  if (params.get("run")) return one(all, params.get("run"), networks, address);
  const names = [...new Set([...FIRST, ...all.flatMap(row => Object.keys(row.values)), "seed"])];
  const different = names.filter(name => new Set(all.map(row => value(row, name))).size > 1 || FIRST.includes(name));
  const filters = new Map([...params].filter(([name]) => names.includes(name) && !RESERVED.includes(name)));
  let by = names.includes(params.get("by")) ? params.get("by") : "label", of = Object.hasOwn(MEASURES, params.get("of")) ? params.get("of") : "accuracy", each = names.includes(params.get("each")) ? params.get("each") : "", charts = [];
  if (![...params].length) { filters.set("label", commonest(all)); by = "split"; }
  const drawn = h("div", { class: "multiples" }), listed = h("div"), count = h("p", { class: "small", role: "status" }), chosen = h("div", { class: "filters" });
  const option = (name, now) => h("option", { value: name, selected: name === now }, name);
  const group = h("select", { id: "by", onchange: () => { by = group.value; show(); } }, different.map(name => option(name, by)));
  const measure = h("select", { id: "of", onchange: () => { of = measure.value; show(); } }, Object.entries(MEASURES).map(([name, words]) => h("option", { value: name, selected: name === of }, words)));

  const facet = h("select", { id: "each", onchange: () => { each = facet.value; show(); } }, h("option", { value: "" }, "all together"), different.map(name => option(name, each)));

  const fits = (row, without) => {
    for (const [name, wanted] of filters) if (name !== without && value(row, name) !== wanted) return false;
    return true;
  };

  function show() {
    wrote("runs", { by, of, each, ...Object.fromEntries(filters) });
    const rows = all.filter(row => fits(row)), measured = rows.filter(row => row[of] !== null && row[of] !== undefined);
    const facets = [...grouped(measured, each)].sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
    charts.forEach(chart => chart.stop());
    let cut = Math.max(0, facets.length - CHARTS), order = null;
    const cards = facets.slice(0, CHARTS).map(([name, some]) => {
      let plots = [...grouped(some, by)].map(([group, own]) => ({ name: group, points: own.map(row => ({ value: row[of], key: row.key })), mean: own.reduce((sum, row) => sum + row[of], 0) / own.length }));
      order ??= rank(plots); // charts beside each other have one order
      plots = plots.sort((a, b) => (order.get(a.name) ?? 1e9) - (order.get(b.name) ?? 1e9));
      cut += Math.max(0, plots.length - SHOWN);
      const chart = strips(plots.slice(0, SHOWN), { label: `${MEASURES[of]}${each ? `, ${each} ${name}` : ""}`, onpick: key => { location.hash = address("runs", { run: key }); } });
      charts.push(chart);
      return h("div", { class: "card" }, each ? h("h2", {}, `${each} ${name}`) : null, chart.element);
    });
    charts = charts.slice(-cards.length);
    drawn.classList.toggle("several", cards.length > 1);
    drawn.replaceChildren(...cards);
    const more = cut ? `; ${cut} further groups are not drawn` : "";
    count.textContent = `${rows.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} runs${more}. A dot is a run, the bar a mean.`;
    listed.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, ["run", "learner", "split", "seed", "accuracy"].map(name => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows.slice(0, SHOWN).map(row => h("tr", {}, h("th", { scope: "row" }, h("a", { href: address("runs", { run: row.key }) }, row.key.slice(0, 8))),
        h("td", {}, row.values.label), h("td", {}, row.values.split), h("td", {}, String(row.seed)), h("td", {}, row.status === "done" ? percent(row.accuracy, 2) : row.status))))));
    chosen.replaceChildren(...different.map(name => {
      const values = new Map();
      for (const row of all) if (fits(row, name)) { const own = value(row, name); values.set(own, (values.get(own) ?? 0) + 1); }
      if (filters.has(name) && !values.has(filters.get(name))) values.set(filters.get(name), 0);
      if (values.size < 2 && !filters.has(name)) return null;
      const order = [...values].sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
      return h("label", {}, `${name} `, h("select", { "data-field": name, onchange: event => {
        if (event.target.value) filters.set(name, event.target.value); else filters.delete(name);
        show();
        chosen.querySelector(`[data-field="${CSS.escape(name)}"]`)?.focus();
      } }, h("option", { value: "" }, "any"), order.map(([own, many]) => h("option", { value: own, selected: filters.get(name) === own }, `${own} (${many})`))));
    }).filter(Boolean));
  }

  onleave(() => charts.forEach(chart => chart.stop()));
  show();
  return [
    h("h1", {}, "The runs"),
    h("p", { class: "lead" }, `Every run of the ledger${live ? "" : " when this page was written"}: choose by any field, group by any other, click a dot.`),
    h("details", { class: "fields", open: true }, h("summary", {}, "Choose runs by"), chosen),
    h("p", { class: "controls" }, h("label", {}, "A row for each ", group), " ", h("label", {}, "a chart for each ", facet), " ", h("label", {}, "showing ", measure)),
    count, drawn,
    h("details", {}, h("summary", {}, `The first ${SHOWN} as a table`), h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Runs" }, listed)),
  ];
}

// A run by itself: what it is, what it scored, and what can be done with it.
async function one(all, prefix, networks, address) {
  const row = all.find(other => other.key.startsWith(prefix.slice(0, 12))), { live, languages, first } = await data("page");
  if (!row) throw new Error(`this page has no run ${prefix.slice(0, 12)}`);
  const kept = networks.find(other => other.key.startsWith(row.key));
  const spoken = live && !kept && (await data(`answers/${row.key}`).catch(() => ({}))).commands && Object.hasOwn(languages, row.values.dataset);
  const then = spoken ? command => address("ask", { q: command ?? "", n: [row.key.slice(0, 8), ...row.values.dataset === "scan" ? first.slice(0, 2).map(key => key.slice(0, 8)) : []].join(".") }) : null;
  const facts = { ...row.values, seed: row.seed, status: row.status, seconds: row.seconds, finished: row.finished && new Date(1000 * row.finished).toISOString().slice(0, 10) };
  const siblings = { label: row.values.label, dataset: row.values.dataset, split: row.values.split, by: "seed" };
  return [
    h("h1", {}, `Run ${row.key.slice(0, 8)}`),
    h("p", { class: "lead" }, `${row.values.label} on ${row.values.split}: ${row.status === "done" ? `${percent(row.accuracy, 2)} of the test right` : row.status}.`),
    h("p", { class: "onward" }, kept ? h("a", { class: "main-button", href: address("ask", { n: row.key.slice(0, 8) }) }, "Ask this network") : "It has no weights here, so it cannot be asked now.",
      then ? [" ", h("a", { href: then() }, "What it answered then")] : null,
      " ", h("a", { href: address("runs", siblings) }, "All its seeds"), " ", h("a", { href: address("runs") }, "All runs")),
    h("div", { class: "card" }, h("table", {}, h("tbody", {}, Object.entries(MEASURES).map(([name, words]) => h("tr", {}, h("th", { scope: "row" }, words), h("td", {}, percent(row[name], 2)))),
      Object.entries(facts).filter(([, fact]) => fact !== null && fact !== undefined).map(([name, fact]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, text(fact))))))),
    live ? await answers(row, kept ? command => address("ask", { q: command, n: row.key.slice(0, 8) }) : then) : h("p", { class: "small" }, "Its answers are in the ledger: ", h("code", {}, `daxlab runs answers ${row.key.slice(0, 8)}`), "."),
  ];
}

async function answers(row, onward) {
  try {
    const { wrong, commands, shown } = await data(`answers/${row.key}`);
    if (!commands) return h("p", { class: "small" }, "The ledger does not have its answers.");
    const of = onward ? command => h("a", { href: onward(command) }, command) : command => command;
    return h("details", { open: wrong > 0 }, h("summary", {}, `${wrong.toLocaleString("en")} wrong answers of ${commands.toLocaleString("en")}, as it was asked then`),
      h("div", { class: "scroll tall", tabindex: 0, role: "group", "aria-label": "Wrong answers" }, h("table", {}, h("thead", {}, h("tr", {}, ["command", "answer"].map(name => h("th", { scope: "col" }, name)))),
        h("tbody", {}, shown.map(([command, answer]) => h("tr", {}, h("th", { scope: "row" }, of(command)), h("td", {}, answer ? answer.split(" ").map(named).join(", ") : "nothing")))))));
  } catch (error) {
    return h("p", { class: "small" }, `Its answers cannot be shown: ${error.message}`);
  }
}
