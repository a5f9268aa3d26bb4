// As much of a browser as the page of `stcsim page` needs to draw itself in node: what it says can be read, not how it
// looks.

import {readFileSync} from 'node:fs';
import {createContext, runInContext} from 'node:vm';

const screenWidth = 1280;

class Node {
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

class Text extends Node {
  constructor(text) {
    super();
    this.data = String(text);
  }
  get textContent() { return this.data; }
  set textContent(text) { this.data = String(text); }
}

/** A context of a canvas that draws nothing. */
const canvas = () => new Proxy({measureText: (text) => ({width: 7 * text.length})},
  {get: (target, key) => target[key] ?? (() => canvas()), set: () => true});

class Element extends Node {
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
  getContext() { return canvas(); }
  getBoundingClientRect() { return {left: 0, top: 0, width: this.clientWidth, height: this.clientHeight}; }
}

/** What is said, each text and each label by itself; what is only decoration, and scripts, say nothing. */
function textsOf(node) {
  if (node instanceof Text) return [node.data];
  if (node.attributes?.get('aria-hidden') === 'true' || node.tagName === 'style') return [];
  return [node.attributes?.get('aria-label'), ...node.childNodes.flatMap(textsOf)].filter(Boolean);
}

/** The texts of a page, with what its charts say. */
export async function pageTexts(file) {
  const page = readFileSync(file, 'utf8');
  const between = (start) => page.slice(page.indexOf(start) + start.length).split('</script>')[0];
  const root = Object.assign(new Element('html'), {isRoot: true});
  const [head, body, data] = ['head', 'body', 'script'].map((tag) => new Element(tag));
  root.append(head, body);
  data.textContent = between('<script type="application/json" id="data">');
  const document = {
    documentElement: root, head, body, getElementById: () => data, addEventListener() {},
    createElement: (tag) => new Element(tag), createElementNS: (_, tag) => new Element(tag), createTextNode: (text) => new Text(text),
  };
  const seen = [];
  class IntersectionObserver {
    constructor(tell) { this.tell = tell; }
    observe() { seen.push(this.tell); }
  }
  const window = {
    document, Node, IntersectionObserver, ResizeObserver: class { observe() {} }, console, setTimeout, clearTimeout, URL,
    navigator: {userAgent: 'node'}, devicePixelRatio: 1, requestAnimationFrame: (draw) => setTimeout(draw, 0), addEventListener() {},
    matchMedia: () => ({matches: false, addEventListener() {}}), HTMLElement: Element, HTMLCanvasElement: Element,
    getComputedStyle: () => ({fontFamily: 'sans-serif', getPropertyValue: () => '#808080'}),
  };
  window.window = window.self = document.defaultView = window;
  runInContext(between('\n<script>'), createContext(window));
  for (const tell of seen) tell([{isIntersecting: true}]);
  await new Promise((done) => { setTimeout(done, 100); });
  return textsOf(body);
}
