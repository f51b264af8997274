// The page: an address after # is a view and what it shows. Knows which views there are, not what is in them.

import { h } from "./dom.js";
import { data } from "./store.js";

const VIEWS = {
  you: ["You first", () => import("./you.js")],
  shots: ["How much must it see?", () => import("./shots.js")],
  ask: ["Ask anything", () => import("./ask.js")],
  near: ["Neighbours", () => import("./near.js")],
  when: ["When did it learn that?", async () => ({ view: (await import("./near.js")).over })],
  results: ["The results", () => import("./results.js")],
  runs: ["The runs", () => import("./runs.js")],
  live: ["Live", () => import("./live.js")],
};

const address = (name, values = {}) => {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== null)).toString();
  return `#/${name}${query ? `?${query}` : ""}`;
};

const main = document.getElementById("main"), nav = document.getElementById("views");
let leave = null, shown = null, drawing = 0;

// Write the address of what is seen, without drawing it anew; `push`: as a step that "back" undoes.
function wrote(name, values, push = false) {
  history[push ? "pushState" : "replaceState"](null, "", address(name, values));
}

async function draw() {
  const [name, query = ""] = location.hash.replace(/^#\/?/, "").split("?"), own = Object.hasOwn(VIEWS, name) ? name : "you";
  const [title, load] = VIEWS[own], mine = ++drawing;
  leave?.();
  leave = null;
  for (const link of nav.querySelectorAll("a")) {
    if (link.dataset.view === own) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  document.title = `${title} · daxlab`;
  let content, cleanup = null;
  try {
    const { view } = await load();
    content = await view(new URLSearchParams(query), { address, wrote, onleave: f => { cleanup = f; } });
  } catch (error) {
    content = [h("h1", {}, title), h("p", { class: "warning", role: "alert" }, `This cannot be shown: ${error.message}`)];
  }
  if (mine !== drawing) return cleanup?.(); // another view was asked for meanwhile
  leave = cleanup;
  main.replaceChildren(...[content].flat(Infinity));
  if (shown !== null && shown !== own) { main.focus({ preventScroll: true }); scrollTo(0, 0); }
  shown = own;
}

function theme() {
  const button = document.getElementById("theme"), root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const now = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
  const name = () => { button.textContent = now() === "dark" ? "Light" : "Dark"; };
  button.addEventListener("click", () => { root.dataset.theme = now() === "dark" ? "light" : "dark"; name(); });
  dark.addEventListener("change", name);
  name();
}

const { live: served } = await data("page");
for (const [name, [title]] of Object.entries(VIEWS)) {
  if (name !== "live" || served) nav.append(h("li", {}, h("a", { href: address(name), "data-view": name }, title)));
}
theme();
addEventListener("hashchange", draw);
addEventListener("popstate", event => { if (event.state === null && !location.hash) draw(); });
await draw();
