// Documents of Markdown as HTML: by cmark-gfm, with what a page needs besides: names of headings, boxes that wide tables
// scroll in, and links that lead where they do in the site.

import {execFileSync} from 'node:child_process';

export const escaped = (text) => String(text).replace(/[&<>"]/g, (one) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[one]);
const plain = (html) => html.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot);/g, (_, name) => ({amp: '&', lt: '<', gt: '>', quot: '"'})[name]);

/** More letters than this in a cell break into lines. */
const mostLetters = 34;
/** Pixels of a picture that a phone shows well enough at its own width. */
const mostPhone = 560;
const extensions = ['table', 'strikethrough', 'autolink'].flatMap((name) => ['-e', name]);

function cmark(text) {
  try {
    return execFileSync('cmark-gfm', ['--unsafe', ...extensions], {input: text, encoding: 'utf8', maxBuffer: 1 << 28});
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('no cmark-gfm: scripts/install-deps.sh site installs it');
  }
}

/** The names that links.awk knows: of several headings with one text, the second has '-1' behind it. */
function namedHeadings(html) {
  const headings = [];
  const counts = new Map();
  const named = html.replace(/<h([1-6])>([\s\S]*?)<\/h\1>/g, (_, level, inner) => {
    const text = plain(inner).trim();
    const name = text.toLowerCase().replace(/[!-,./:-@[-^`{-~]/g, '').replaceAll(' ', '-');
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    const id = before === 0 ? name : `${name}-${before}`;
    headings.push({level: Number(level), text, id});
    return `<h${level} id="${escaped(id)}">${inner}</h${level}>`;
  });
  return {named, headings};
}

/** No line ends between the hyphens of an option. */
export const wholeOptions = (command) => command.replace(/--[\w-]+/g, '<span class="short">$&</span>');

/** A picture that leads to itself; where it is too wide for a phone, it scrolls there. */
export const pictureOf = (address, image) =>
  `<p class="picture${Number(/ width="(\d+)"/.exec(image)?.[1]) > mostPhone ? ' wide' : ''}"><a href="${address}">${image}</a></p>`;

const boxed = (html) => html
  .replace(/<code>([^<]{1,24})<\/code>/g, '<code class="short">$1</code>')
  .replace(/<code>([^<\n]{25,})<\/code>/g, (_, inner) => `<code>${wholeOptions(inner)}</code>`)
  .replace(/<table>/g, '<div class="pane"><table>').replace(/<\/table>/g, '</table></div>').replace(/<th(?=[ >])/g, '<th scope="col"')
  .replace(/<td( align="\w+")?>(.*?)<\/td>/gs, (cell, align = '', inner) => (plain(inner).length > mostLetters ? `<td${align} class="long">${inner}</td>` : cell))
  .replace(/<pre>/g, '<pre class="pane">')
  .replace(/<p>(<img [^>]*src="([^"]*)"[^>]*>)<\/p>/g, (_, image, source) => pictureOf(source, image));

/**
 * @param linkOf address in the document => address in the site
 * @param sizeOf address of a picture in the document => its attributes of width and height
 * @param liveLink query of the live page, which documents name as code => the link there, null where there is none
 * @returns {html, title, headings: [{level, text, id}]}
 */
export function rendered(text, linkOf, sizeOf, liveLink) {
  const html = cmark(text).replace(/<!--[\s\S]*?-->\n?/g, '');
  const {named, headings} = namedHeadings(html);
  const sized = named.replace(/<img src="([^"]*)"/g, (image, address) => `${image}${sizeOf(plain(address))}`);
  const linked = sized.replace(/ (href|src)="([^"]*)"/g, (_, name, address) => ` ${name}="${escaped(linkOf(plain(address)))}"`);
  const simulated = linked.replace(/<code>live\.html\?([^<]+)<\/code>/g, (code, query) => liveLink(plain(query)) ?? code);
  return {html: boxed(simulated.replace(/>([\w-]+)\.md<\/a>/g, '>$1</a>')), title: headings[0]?.text ?? '', headings};
}
