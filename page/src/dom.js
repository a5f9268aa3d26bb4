// Elements without innerHTML: whatever a layer is called, it stays text.

/** h('td', {class: 'number', onclick: f}, 'text', child, [more]): an element. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(element.style, value);
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

/** The same in a picture: svg('rect', {x: 1, width: 2}). */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces what an element contains. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** A choice among texts or {value, label}. */
export function select(label, options, chosen, onchange) {
  const items = options.map((one) => (typeof one === 'string' ? {value: one, label: one} : one));
  const box = h('select', {onchange: () => onchange(box.value)},
    items.map((one) => h('option', {value: one.value, selected: one.value === chosen}, one.label)));
  return h('label', {class: 'choice'}, h('span', {}, label), box);
}

const mostTabs = 8;
/** The same with all of it in sight, where there is not too much. */
export function tabs(label, options, chosen, onchange) {
  if (options.length > mostTabs) return select(label, options, chosen, onchange);
  const items = options.map((one) => (typeof one === 'string' ? {value: one, label: one} : one));
  return h('div', {class: 'tabs', role: 'tablist', 'aria-label': label}, items.map((one) =>
    h('button', {type: 'button', role: 'tab', 'aria-selected': String(one.value === chosen), onclick: () => onchange(one.value)}, one.label)));
}

/** A part of the page with a heading, that can be linked to. */
export function section(id, title, ...children) {
  return h('section', {id, class: id.replace(/-\d+$/, '')}, h('h2', {}, title), ...children);
}

/** Offers a text as a file to save. */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = h('a', {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
