// Of pages of text what a reader could not read: run inside the page, so each function stands alone.

/** Lines of text that lie over each other; what a box has scrolled out of sight does not. */
export function overlappingTexts() {
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const clips = new Map();
  const clipOf = (element) => {
    if (!element || element === document.documentElement) return {left: -1e9, right: 1e9, top: -1e9, bottom: 1e9};
    if (!clips.has(element)) {
      const outer = clipOf(element.parentElement);
      const style = getComputedStyle(element);
      const box = style.overflowX === 'visible' ? outer : element.getBoundingClientRect();
      clips.set(element, {left: Math.max(box.left, outer.left), right: Math.min(box.right, outer.right), top: Math.max(box.top, outer.top), bottom: Math.min(box.bottom, outer.bottom)});
    }
    return clips.get(element);
  };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.data.trim() === '' || !node.parentElement.checkVisibility() || node.parentElement.closest('option, .skip, script, style')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const clip = clipOf(node.parentElement);
    for (const box of range.getClientRects()) {
      const [left, right, top, bottom] = [Math.max(box.left, clip.left), Math.min(box.right, clip.right), Math.max(box.top, clip.top), Math.min(box.bottom, clip.bottom)];
      if (right - left > 1 && bottom - top > 1) lines.push({node, left, right, top, bottom});
    }
  }
  lines.sort((a, b) => a.top - b.top);
  const wrong = [];
  lines.forEach((one, i) => {
    for (let j = i + 1; j < lines.length && lines[j].top < one.bottom; ++j) {
      const other = lines[j];
      const [wide, high] = [Math.min(one.right, other.right) - Math.max(one.left, other.left), Math.min(one.bottom, other.bottom) - other.top];
      if (one.node !== other.node && wide > 2 && high > 0.3 * Math.min(one.bottom - one.top, other.bottom - other.top)) wrong.push(`'${one.node.data.trim().slice(0, 40)}' over '${other.node.data.trim().slice(0, 40)}'`);
    }
  });
  return [...new Set(wrong)].slice(0, 5);
}

/** Texts with less than 4.5:1 against what is behind them (WCAG 2.2, 1.4.3), each pair of colours once. */
export function faintTexts(least = 4.5) {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], below, opacity = 1) => [r, g, b].map((one, i) => one * a * opacity + below[i] * (1 - a * opacity));
  const light = (colour) => colour.map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => (element ? over(rgba(getComputedStyle(element).backgroundColor), behind(element.parentElement)) : [255, 255, 255]);
  /** In a picture, with the shapes that were drawn before and lie under its middle. */
  const behindInPicture = (text) => {
    const picture = text.ownerSVGElement;
    const box = text.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    return [...picture.querySelectorAll('rect, path, polygon')].filter((shape) => shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING).reduce((colour, shape) => {
      const at = shape.getBoundingClientRect();
      const style = getComputedStyle(shape);
      if (style.fill === 'none' || x < at.left || x > at.right || y < at.top || y > at.bottom) return colour;
      return over(rgba(style.fill), colour, Number(style.fillOpacity) * Number(style.opacity));
    }, behind(picture.parentElement));
  };
  const wrong = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || !element.checkVisibility() || element.closest('script, style, title')) continue;
    const inPicture = element.ownerSVGElement !== null && element.ownerSVGElement !== undefined;
    const style = getComputedStyle(element);
    const back = inPicture ? behindInPicture(element) : behind(element);
    const front = over(rgba(inPicture ? style.fill : style.color), back, Number(style.opacity));
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const key = `${front.map(Math.round)} on ${back.map(Math.round)}`;
    if (ratio < least && !wrong.has(key)) wrong.set(key, `'${node.data.trim().slice(0, 30)}' has ${ratio.toFixed(2)}:1 (${key})`);
  }
  return [...wrong.values()];
}
