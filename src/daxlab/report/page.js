// What a page can do beside being read: say what one points at, open all, turn dark, save a figure. Nothing is stored or fetched.
(() => {
  const root = document.documentElement, find = name => document.getElementById(name);
  const every = (which, what, at = document) => at.querySelectorAll(which).forEach(what);

  const theme = find("theme"), scheme = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : scheme.matches;
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  scheme.addEventListener("change", name);
  name();

  const folds = () => [...document.querySelectorAll("details")], unfold = find("unfold");
  unfold.hidden = !folds().length;
  unfold.addEventListener("click", () => {
    const open = unfold.textContent === "Open all";
    folds().forEach(fold => { fold.open = open; });
    unfold.textContent = open ? "Close all" : "Open all";
  });
  let before = [];
  addEventListener("beforeprint", () => { before = folds().filter(fold => fold.open); folds().forEach(fold => { fold.open = true; }); });
  addEventListener("afterprint", () => { folds().forEach(fold => { fold.open = before.includes(fold); }); });

  // A link to a folded part opens it, and all that it is folded into.
  const reveal = () => {
    const at = location.hash && find(decodeURIComponent(location.hash.slice(1)));
    for (let fold = at && at.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (at) at.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  every('a[href^="#"]:not([data-svg])', link => link.addEventListener("click", () => {
    if (link.hash === location.hash) setTimeout(reveal);  // no change of the address, and yet to be shown
  }));
  reveal();

  // The list of contents says where one is.
  const links = new Map();
  every('nav a[href^="#"]', link => links.set(find(link.hash.slice(1)), link));
  const here = () => {
    const passed = [...links.keys()].filter(part => part.getBoundingClientRect().top < innerHeight / 3);
    const ended = innerHeight + scrollY >= root.scrollHeight - 2, at = ended ? [...links.keys()].pop() : passed.pop();
    links.forEach((link, part) => { part === at ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"); });
  };
  addEventListener("scroll", here, { passive: true });
  here();

  // The word on a mark, at once, and on a screen that is touched too.
  const box = document.body.appendChild(document.createElement("div"));
  box.id = "tip";
  box.setAttribute("aria-hidden", "true");
  const hide = () => { box.hidden = true; };
  const show = event => {
    const mark = event.target.closest("svg .tips > *, svg.strip > *");
    if (!mark) return hide();
    const title = mark.querySelector("title");
    if (title) { mark.dataset.said = title.textContent; title.remove(); }  // else the browser shows it too
    if (!mark.dataset.said) return hide();
    box.textContent = mark.dataset.said;
    box.hidden = false;
    const at = mark.getBoundingClientRect(), wide = box.offsetWidth, x = at.width > 60 ? event.clientX : at.left + at.width / 2;
    box.style.left = `${Math.max(8, Math.min(x - wide / 2, root.clientWidth - wide - 8))}px`;
    box.style.top = `${at.top > box.offsetHeight + 10 ? at.top - box.offsetHeight - 6 : at.bottom + 6}px`;
  };
  hide();
  addEventListener("pointerover", show);
  addEventListener("pointerdown", show);
  addEventListener("scroll", hide, { passive: true });

  // A file of its own has no page around it, so each variable gives way to its light colour.
  const light = document.styleSheets[0].cssRules[0].style;
  every("a[data-svg]", link => {
    link.hidden = false;
    link.addEventListener("click", () => {
      const drawing = link.closest("figure").querySelector("svg").cloneNode(true);
      every(".tips", tips => tips.remove(), drawing);
      const text = new XMLSerializer().serializeToString(drawing).replace(/var\((--[a-z]+)\)/g,
        (_, name) => name === "--sans" ? "sans-serif" : light.getPropertyValue(name).trim());
      link.href = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
    });
  });
})();
