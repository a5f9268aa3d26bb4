// Light and dark: what the system prefers until the reader chooses.

import {h} from './dom.js';

const listeners = new Set();
const system = matchMedia('(prefers-color-scheme: dark)');
let chosen = null;     // 'light' or 'dark'
let isPrinting = false;

export const isDark = () => !isPrinting && (chosen ?? (system.matches ? 'dark' : 'light')) === 'dark';

function apply() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

/** Calls `listener` whenever the colours change. */
export const onTheme = (listener) => listeners.add(listener);

/** The colour of a custom property of style.css. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function themeButton() {
  const button = h('button', {type: 'button', class: 'theme', onclick: () => {
    chosen = isDark() ? 'light' : 'dark';
    apply();
  }});
  const name = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
  onTheme(name);
  name();
  return button;
}

/** To be called once, before anything is drawn. Paper is always light. */
export function startTheme() {
  system.addEventListener('change', apply);
  window.addEventListener('beforeprint', () => { isPrinting = true; apply(); });
  window.addEventListener('afterprint', () => { isPrinting = false; apply(); });
  apply();
}
