// What the page knows: fetched once, from files beside it, from a server, or from the page itself where it is one file.

import { Language } from "./language.js";
import { Network } from "./network.js";

const inside = name => document.getElementById(`data:${name}`)?.textContent;
const promises = new Map();

const once = (name, make) => {
  if (!promises.has(name)) {
    promises.set(name, make().catch(error => { promises.delete(name); throw error; }));
  }
  return promises.get(name);
};

async function get(name) {
  const response = await fetch(`data/${name}`);
  if (!response.ok) throw new Error((await response.text()).slice(0, 300) || `${name} cannot be read (${response.status})`);
  return response;
}

// A part of the data, such as "page" or "claims"; `again`: not what was fetched before.
export function data(name, again = false) {
  if (again) promises.delete(name);
  return once(name, async () => inside(name) === undefined ? (await get(`${name}.json`)).json() : JSON.parse(inside(name)));
}

export const language = name => once(`language ${name}`, async () => new Language((await data("page")).languages[name]));

// A network; `update`: as it was after some updates of its training.
export function network(key, update = null) {
  const name = `weights/${key}${update === null ? "" : `-${update}`}`;
  return once(name, async () => {
    const { vocabularies, networks } = await data("page"), about = networks.find(one => one.key === key);
    if (!about) throw new Error(`there is no network ${key.slice(0, 12)} here`);
    const text = inside(name);
    const buffer = text === undefined ? await (await get(`${name}.safetensors`)).arrayBuffer()
      : Uint8Array.from(atob(text), letter => letter.charCodeAt(0)).buffer;
    return new Network(buffer, vocabularies[about.dataset]);
  });
}
