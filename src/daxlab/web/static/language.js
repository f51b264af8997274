// A language by its grammar: what a command means, how it is derived, and what may come next. Interprets the rules that
// daxlab.web.content writes down; knows nothing of networks, and no word of any language.

const END = null; // among what may follow: the command can end here

export class CommandError extends Error {
  // `place`: the index of the word that cannot stand there; `expected`: what can.
  constructor(message, place, expected) {
    super(message);
    Object.assign(this, { place, expected });
  }
}

export const split = text => text.split(/\s+/).filter(Boolean);

export class Language {
  // `declared`: {start, recursion, longest, rules: [[category, parts, written, meaning], …]}
  constructor(declared) {
    this.start = declared.start;
    this.recursion = declared.recursion;
    this.longest = declared.longest;
    this.rules = new Map();
    for (const [category, parts, written, meaning] of declared.rules) {
      if (!this.rules.has(category)) this.rules.set(category, []);
      this.rules.get(category).push({ category, parts, written, meaning });
    }
    const all = [...this.rules.values()].flat();
    this.words = [...new Set(all.flatMap(rule => rule.parts).filter(part => !this.rules.has(part)))];
    this.actions = [...new Set(all.flatMap(rule => rule.meaning).filter(item => typeof item === "string"))];
  }

  // The actions that a command denotes.
  translate(text) {
    return this.tree(text).actions;
  }

  // What may follow these words: words, and `null` where the command can end. Empty if they begin no command.
  next(text) {
    const words = split(text), chart = this.#chart(words.slice(0, this.longest + 1));
    return chart.length > words.length ? this.#expected(chart.at(-1), words.length) : [];
  }

  // The derivation: {category, rule, actions, parts}, as Python's Tree.to_dict.
  tree(text) {
    const all = split(text), words = all.slice(0, this.longest + 1);
    const chart = this.#chart(words), read = chart.length - 1;
    if (read < words.length) {
      const word = words[read], expected = this.#expected(chart[read], read);
      const what = this.words.includes(word) ? "cannot stand here" : "is not a word of this language";
      throw new CommandError(`“${word}” ${what}`, read, expected);
    }
    if (all.length > this.longest) throw new CommandError(`no command has more than ${this.longest} words`, this.longest, []);
    if (!words.length || !this.#complete(chart.at(-1))) {
      const after = words.length ? `the command cannot end after “${words.at(-1)}”` : "the command is empty";
      throw new CommandError(after, words.length, this.#expected(chart.at(-1), words.length));
    }
    const trees = this.#trees(words, chart);
    if (!trees.length) throw new CommandError("phrases are nested more deeply than the grammar allows", 0, []);
    if (new Set(trees.map(one => one.actions.join(" "))).size > 1) throw new CommandError("this command has more than one meaning", 0, []);
    return plain(trees[0]);
  }

  // Earley's algorithm: for each place the rules under way there, up to the first word that cannot stand.
  #chart(words) {
    const chart = [];
    for (let here = 0, items = this.#items(this.start, 0); here <= words.length; here++) {
      const sets = { items: [], seen: new Set(), completed: new Set() };
      const add = item => {
        const name = `${item.id}.${item.dot}.${item.from}`;
        if (!sets.seen.has(name)) { sets.seen.add(name); sets.items.push(item); }
      };
      items.forEach(add);
      chart.push(sets);
      for (let n = 0; n < sets.items.length; n++) {
        const { rule, dot, from } = sets.items[n], part = rule.parts[dot];
        if (part === undefined) {
          sets.completed.add(`${rule.category} ${from}`);
          const waiting = chart[from].items.filter(item => item.rule.parts[item.dot] === rule.category);
          for (const item of waiting) add({ ...item, dot: item.dot + 1 });
        } else if (this.rules.has(part)) this.#items(part, here).forEach(add);
      }
      items = sets.items.filter(item => item.rule.parts[item.dot] === words[here] && !this.rules.has(words[here]))
        .map(item => ({ ...item, dot: item.dot + 1 }));
      if (!items.length) break;
    }
    return chart;
  }

  #items(category, from) {
    return this.rules.get(category).map((rule, n) => ({ rule, id: `${category} ${n}`, dot: 0, from }));
  }

  #complete(sets) {
    return sets.completed.has(`${this.start} 0`);
  }

  #expected(sets, read) {
    const after = sets.items.map(item => item.rule.parts[item.dot]).filter(part => part !== undefined && !this.rules.has(part));
    const words = read < this.longest ? this.words.filter(word => after.includes(word)) : [];
    return read && this.#complete(sets) ? [...words, END] : words;
  }

  // The trees of the whole command: one for each meaning and depth of recursion.
  #trees(words, chart) {
    const memo = new Map();
    const phrase = (category, from, to) => {
      const name = `${category} ${from} ${to}`;
      if (!chart[to].completed.has(`${category} ${from}`)) return [];
      if (memo.has(name)) return memo.get(name);
      const different = new Map();
      for (const rule of this.rules.get(category)) {
        for (const parts of sequences(rule.parts, 0, from, to)) {
          const tree = this.#tree(rule, parts);
          if (tree === null) continue;
          const kind = JSON.stringify([tree.actions, Object.entries(tree.depths).sort()]);
          if (!different.has(kind)) different.set(kind, tree);
        }
      }
      memo.set(name, [...different.values()]);
      return memo.get(name);
    };
    const sequences = (parts, dot, from, to) => {
      if (dot === parts.length) return from === to ? [[]] : [];
      const found = [], part = parts[dot], rest = parts.length - dot - 1;
      if (!this.rules.has(part)) {
        if (words[from] !== part || from >= to) return [];
        return sequences(parts, dot + 1, from + 1, to).map(others => [part, ...others]);
      }
      for (let middle = rest ? from + 1 : to; middle <= to - rest; middle++) {
        const here = phrase(part, from, middle);
        if (!here.length) continue;
        for (const others of sequences(parts, dot + 1, middle, to)) found.push(...here.map(one => [one, ...others]));
      }
      return found;
    };
    return phrase(this.start, 0, words.length);
  }

  // A phrase of these parts; null where a category is inside itself too often.
  #tree(rule, parts) {
    const depths = Object.create(null); // a category may be called “constructor”
    for (const part of parts.filter(part => typeof part === "object")) {
      for (const [category, depth] of Object.entries(part.depths)) depths[category] = Math.max(depth, depths[category] ?? 0);
    }
    depths[rule.category] = (depths[rule.category] ?? 0) + 1;
    if (this.recursion && depths[rule.category] > this.recursion + 1) return null;
    const actions = rule.meaning.flatMap(item => typeof item === "string" ? [item] : parts[item].actions ?? []);
    return { category: rule.category, rule: rule.written, actions, parts, depths };
  }
}

const plain = ({ category, rule, actions, parts }) => ({
  category, rule, actions, parts: parts.map(part => typeof part === "string" ? part : plain(part)),
});
