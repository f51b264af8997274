// The paper's networks, computed here: safetensors in, actions out, greedily. The equations are those of
// src/daxlab/networks/seq2seq.py and cells.py. Knows nothing of grammars or of the page.

const SOS = 1, EOS = 2; // 0 is padding, which nothing here needs
const SPECIAL = ["<PAD>", "<SOS>", "<EOS>"];
export const END = "<EOS>";

// The arrays of a file, by name: {shape, data: Float32Array}.
export function tensors(buffer) {
  const view = new DataView(buffer), length = Number(view.getBigUint64(0, true));
  if (length > buffer.byteLength - 8) throw new Error("these are no safetensors");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  delete header.__metadata__;
  const arrays = Object.create(null);
  for (const [name, { dtype, shape, data_offsets: [start, end] }] of Object.entries(header)) {
    const bytes = buffer.slice(8 + length + start, 8 + length + end);
    if (dtype === "F32") arrays[name] = { shape, data: new Float32Array(bytes) };
    else if (dtype === "F16") arrays[name] = { shape, data: Float32Array.from(new Uint16Array(bytes), half) };
    else throw new Error(`${name} has numbers of type ${dtype}; this page reads F32 and F16`);
  }
  return arrays;
}

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

// matrix [rows, columns] times vector [columns], plus what is in `out` already.
function multiply(matrix, vector, out) {
  const columns = vector.length, data = matrix.data;
  for (let row = 0, at = 0; row < out.length; row++) {
    let sum = 0;
    for (let column = 0; column < columns; column++) sum += data[at++] * vector[column];
    out[row] += sum;
  }
  return out;
}

const sigmoid = x => 1 / (1 + Math.exp(-x));

function softmax(logits) {
  const most = Math.max(...logits), powers = logits.map(x => Math.exp(x - most));
  const total = powers.reduce((sum, x) => sum + x, 0);
  return powers.map(x => x / total);
}

// By the number of gates. `a`: from the input, `b`: from the state before, both [gates × hidden].
const CELLS = {
  1: (a, b) => [a.map((x, k) => Math.tanh(x + b[k]))],
  3: (a, b, [h]) => {
    const n = h.length;
    return [h.map((before, k) => {
      const r = sigmoid(a[k] + b[k]), z = sigmoid(a[n + k] + b[n + k]);
      return (1 - z) * Math.tanh(a[2 * n + k] + r * b[2 * n + k]) + z * before;
    })];
  },
  4: (a, b, [h, c]) => {
    const n = h.length, x = (gate, k) => a[gate * n + k] + b[gate * n + k];
    const cell = c.map((before, k) => sigmoid(x(1, k)) * before + sigmoid(x(0, k)) * Math.tanh(x(2, k)));
    return [cell.map((value, k) => sigmoid(x(3, k)) * Math.tanh(value)), cell];
  },
};

export class Network {
  // `vocabulary`: {words, actions, cap}: the symbols in the order of their numbers, and the most that an answer may have.
  constructor(buffer, vocabulary) {
    const arrays = tensors(buffer);
    const layers = side => {
      const found = [];
      while (`.${side}[${found.length}].w_input` in arrays) {
        const part = name => arrays[`.${side}[${found.length}].${name}`];
        found.push({ wInput: part("w_input"), bInput: part("b_input"), wHidden: part("w_hidden"), bHidden: part("b_hidden") });
      }
      return found;
    };
    this.words = new Map([...SPECIAL, ...vocabulary.words].map((word, n) => [word, n]));
    this.actions = [...SPECIAL, ...vocabulary.actions];
    this.cap = vocabulary.cap;
    this.encoder = layers("encoder");
    this.decoder = layers("decoder");
    this.embeddings = { word: arrays[".words"], action: arrays[".actions"] };
    this.output = { w: arrays[".w_output"], b: arrays[".b_output"] };
    const [gates, hidden] = this.encoder[0]?.wInput.shape ?? [];
    const sizes = [this.embeddings.word?.shape[0], this.embeddings.action?.shape[0]];
    const whole = this.decoder.length && this.output.w && this.output.b && CELLS[gates];
    const kind = Object.keys(arrays).every(name => /^\.(words|actions|[wb]_output|attend\.[wuv]|(en|de)coder\[\d+\]\.[wb]_(input|hidden))$/.test(name));
    if (!whole || !kind || sizes[0] !== this.words.size || sizes[1] !== this.actions.length) {
      throw new Error("these are not the weights of one of the paper's networks");
    }
    this.cell = CELLS[gates];
    this.states = gates === 4 ? 2 : 1;
    this.hidden = hidden;
    this.attend = ".attend.v" in arrays ? { w: arrays[".attend.w"], u: arrays[".attend.u"], v: arrays[".attend.v"].data } : null;
  }

  // The greedy answer to words: {actions, ended, steps: [{action, p, second, p2, attention}]}; the last step of an answer that
  // ended is <EOS>. `attention`: a weight for each word and for <EOS>; null in a network without it.
  // `length`: where it is told, the number of actions that it must give (the paper's oracle).
  answer(words, length = -1) {
    let { states, tops } = this.#encode(this.#numbers(words));
    const keys = this.attend && tops.map(top => multiply(this.attend.u, top, new Float64Array(this.hidden)));
    const actions = [], steps = [];
    for (let previous = SOS; previous !== EOS && steps.length < this.cap;) {
      const step = this.#step(states, previous, tops, keys);
      states = step.states;
      const chances = [...softmax(step.logits)];
      const best = length < 0 ? most(chances, 0) : steps.length < length ? most(chances, 1) : 0;
      const second = most(chances, 0, best);
      const name = symbol => this.actions[EOS + symbol];
      steps.push({ action: name(best), p: chances[best], second: name(second), p2: chances[second], chances, attention: step.attention });
      previous = EOS + best;
      if (previous !== EOS) actions.push(name(best));
    }
    return { actions, ended: steps.at(-1)?.action === END, steps };
  }

  // What the encoder makes of words: the hidden state of its top layer after <EOS>.
  state(words) {
    return this.#encode(this.#numbers(words)).tops.at(-1);
  }

  #numbers(words) {
    const unknown = words.find(word => !this.words.has(word));
    if (unknown !== undefined) throw new Error(`this network never saw the word “${unknown}”`);
    return [...words.map(word => this.words.get(word)), EOS];
  }

  #encode(numbers) {
    const states = this.encoder.map(() => this.#zero());
    const tops = [];
    for (const number of numbers) {
      let x = this.#row(this.embeddings.word, number);
      this.encoder.forEach((layer, n) => {
        states[n] = this.#cell(layer, x, states[n]);
        x = states[n][0];
      });
      tops.push(x);
    }
    return { states, tops };
  }

  #step(before, previous, tops, keys) {
    let x = this.#row(this.embeddings.action, previous), attention = null, context = null;
    if (this.attend) {
      const query = multiply(this.attend.w, before.at(-1)[0], new Float64Array(this.hidden));
      attention = softmax(keys.map(key => {
        let energy = 0;
        for (let k = 0; k < this.hidden; k++) energy += this.attend.v[k] * Math.tanh(query[k] + key[k]);
        return energy;
      }));
      context = new Float64Array(this.hidden);
      tops.forEach((top, t) => { for (let k = 0; k < this.hidden; k++) context[k] += attention[t] * top[k]; });
      x = join(x, context);
    }
    const states = [];
    this.decoder.forEach((layer, n) => {
      states.push(this.#cell(layer, x, before[n]));
      x = states[n][0];
    });
    const logits = multiply(this.output.w, context ? join(x, context) : x, Float64Array.from(this.output.b.data));
    return { states, logits, attention };
  }

  #cell(layer, x, state) {
    const a = multiply(layer.wInput, x, Float64Array.from(layer.bInput.data));
    const b = multiply(layer.wHidden, state[0], Float64Array.from(layer.bHidden.data));
    return this.cell(a, b, state);
  }

  #zero() {
    return Array.from({ length: this.states }, () => new Float64Array(this.hidden));
  }

  #row(matrix, number) {
    return Float64Array.from(matrix.data.subarray(number * this.hidden, (number + 1) * this.hidden));
  }
}

const join = (x, y) => { const both = new Float64Array(x.length + y.length); both.set(x); both.set(y, x.length); return both; };

// The place of the largest number from `first` on, of all but `without`; of equals the first.
function most(numbers, first, without = -1) {
  let best = -1;
  for (let n = first; n < numbers.length; n++) if (n !== without && (best < 0 || numbers[n] > numbers[best])) best = n;
  return best;
}
