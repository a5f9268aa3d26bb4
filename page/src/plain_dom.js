// As much of a browser as the page needs to be put together where there is none: what it says can be read, not how it looks.

export class Node {
  parentNode = null;
  childNodes = [];
  get firstChild() { return this.childNodes[0] ?? null; }
  get lastChild() { return this.childNodes.at(-1) ?? null; }
  get nextSibling() { return this.parentNode?.childNodes[this.parentNode.childNodes.indexOf(this) + 1] ?? null; }
  get isConnected() { return this.isRoot === true || (this.parentNode?.isConnected ?? false); }
  get textContent() { return this.childNodes.map((one) => one.textContent).join(''); }
  set textContent(text) { this.replaceChildren(...(text === '' ? [] : [String(text)])); }
  remove() {
    if (this.parentNode) this.parentNode.childNodes = this.parentNode.childNodes.filter((one) => one !== this);
    this.parentNode = null;
  }
  insertBefore(child, before) {
    child.remove();
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    this.childNodes.splice(at, 0, child);
    child.parentNode = this;
    return child;
  }
  appendChild(child) { return this.insertBefore(child, null); }
  removeChild(child) {
    child.remove();
    return child;
  }
  append(...children) { for (const one of children) this.appendChild(one instanceof Node ? one : new Text(one)); }
  replaceChildren(...children) {
    for (const one of [...this.childNodes]) one.remove();
    this.append(...children);
  }
}

export class Text extends Node {
  constructor(text) {
    super();
    this.data = String(text);
  }
  get textContent() { return this.data; }
  set textContent(text) { this.data = String(text); }
}

const screenWidth = 1280;

export class Element extends Node {
  attributes = new Map();
  style = {setProperty() {}};
  dataset = {};
  clientWidth = screenWidth;
  clientHeight = 600;
  scrollTop = 0;
  value = '';
  constructor(tag) {
    super();
    this.tagName = tag;
  }
  setAttribute(name, value) { this.attributes.set(name, String(value)); }
  setAttributeNS(_, name, value) { this.setAttribute(name, value); }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  removeAttribute(name) { this.attributes.delete(name); }
  addEventListener() {}
  removeEventListener() {}
  scrollIntoView() {}
  getContext() { return null; }
  getBoundingClientRect() { return {left: 0, top: 0, width: this.clientWidth, height: this.clientHeight}; }
}

/** Names that a browser has; elements below document.documentElement are part of its page. @param Kind of its elements */
export function plainBrowser(Kind = Element) {
  class Observer { observe() {} }
  const root = Object.assign(new Kind('html'), {isRoot: true});
  const document = {
    documentElement: root, createElement: (tag) => new Kind(tag), createElementNS: (_, tag) => new Kind(tag),
    createTextNode: (text) => new Text(text), addEventListener() {},
  };
  return {
    document, Node, IntersectionObserver: Observer, ResizeObserver: Observer, matchMedia: () => ({matches: false, addEventListener() {}}),
    getComputedStyle: () => ({fontFamily: 'sans-serif', getPropertyValue: () => '#808080'}),
  };
}
