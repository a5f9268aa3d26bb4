// Draws the page of `stcsim page` in node, to read what it says.

import {readFileSync} from 'node:fs';
import {createContext, runInContext} from 'node:vm';

import {Element, plainBrowser, Text} from '../../page/src/plain_dom.js';

/** A context of a canvas that draws nothing. */
const canvas = () => new Proxy({measureText: (text) => ({width: 7 * text.length})},
  {get: (target, key) => target[key] ?? (() => canvas()), set: () => true});

class Drawn extends Element {
  getContext() { return canvas(); }
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
  const browser = plainBrowser(Drawn);
  const {document} = browser;
  const [head, body, data] = ['head', 'body', 'script'].map((tag) => new Drawn(tag));
  document.documentElement.append(head, body);
  data.textContent = between('<script type="application/json" id="data">');
  const seen = [];
  class IntersectionObserver {
    constructor(tell) { this.tell = tell; }
    observe() { seen.push(this.tell); }
  }
  const window = {
    ...browser, IntersectionObserver, console, setTimeout, clearTimeout, URL, navigator: {userAgent: 'node'}, devicePixelRatio: 1,
    requestAnimationFrame: (draw) => setTimeout(draw, 0), addEventListener() {}, HTMLElement: Element, HTMLCanvasElement: Element,
  };
  Object.assign(document, {head, body, getElementById: () => data});
  window.window = window.self = document.defaultView = window;
  runInContext(between('\n<script>'), createContext(window));
  for (const tell of seen) tell([{isIntersecting: true}]);
  await new Promise((done) => { setTimeout(done, 100); });
  return textsOf(body);
}
