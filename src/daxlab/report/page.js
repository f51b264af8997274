// What a page can do beside being read: turn light or dark, and save a figure. Nothing is stored, nothing is fetched.
(() => {
  const root = document.documentElement, theme = document.getElementById("theme");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  // A file of its own has no page around it, so each variable gives way to its light colour.
  for (const link of document.querySelectorAll("a[data-svg]")) {
    link.hidden = false;
    link.addEventListener("click", () => {
      const drawing = link.closest("figure").querySelector("svg");
      const text = new XMLSerializer().serializeToString(drawing).replace(/var\(--[a-z]+, ([^()]+)\)/g, "$1");
      link.href = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
    });
  }
  const all = () => document.querySelectorAll("details");
  let open = [];
  addEventListener("beforeprint", () => { open = [...all()].filter(d => d.open); all().forEach(d => { d.open = true; }); });
  addEventListener("afterprint", () => { all().forEach(d => { d.open = open.includes(d); }); });
  // A link into a folded part opens it.
  const reveal = () => { const at = location.hash && document.getElementById(location.hash.slice(1));
    const fold = at && at.closest("details"); if (fold) { fold.open = true; at.scrollIntoView(); } };
  addEventListener("hashchange", reveal); reveal();
})();
