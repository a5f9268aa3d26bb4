// What a reader would stumble over in a page as it is drawn: run inside the page, so each function stands alone.

/** Texts of charts that lie over each other, or are cut off at the edge of their picture. */
export function overlaps(pictures = '.chart svg') {
  const wrong = [];
  for (const picture of document.querySelectorAll(pictures)) {
    const frame = picture.getBoundingClientRect();
    const texts = [...picture.querySelectorAll('text')].map((one) => ({text: one.textContent.trim(), box: one.getBoundingClientRect()}))
      .filter(({text, box}) => text !== '' && box.width > 0);
    const name = picture.closest('[aria-label]')?.getAttribute('aria-label') ?? '';
    texts.forEach(({text, box}, i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1) wrong.push(`${name}: '${text}' is cut off`);
      for (const other of texts.slice(i + 1)) {
        const [wide, high] = [Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left), Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top)];
        if (wide > 1.5 && high > 0.25 * Math.min(box.height, other.box.height)) wrong.push(`${name}: '${text}' over '${other.text}'`);
      }
    });
  }
  return wrong;
}

/** Colours of legends that nothing in their chart has, and lines in colours that no entry of their legend has. */
export function strayColours() {
  const wrong = [];
  for (const picture of document.querySelectorAll('.chart[data-legend="yes"] svg')) {
    const texts = [...picture.querySelectorAll('text')].map((one) => one.getBoundingClientRect());
    const paths = [...picture.querySelectorAll('path')].map((one) => ({box: one.getBoundingClientRect(), fill: one.getAttribute('fill'), stroke: one.getAttribute('stroke'),
      width: Number(one.getAttribute('stroke-width') ?? 1)}));
    const isIcon = ({box}) => box.width > 8 && box.width < 16 && box.height > 8 && box.height < 16 &&
      texts.some((text) => text.left - box.right > 0 && text.left - box.right < 9 && Math.abs((text.top + text.bottom - box.top - box.bottom) / 2) < 6);
    const icons = paths.filter(isIcon);
    if (icons.length === 0) continue;
    const others = paths.filter((one) => !icons.includes(one));
    const shown = new Set(icons.map((one) => one.fill));
    const drawn = new Set(others.flatMap((one) => [one.fill, one.stroke]));
    const name = picture.closest('[aria-label]')?.getAttribute('aria-label') ?? '';
    for (const colour of shown) if (!drawn.has(colour)) wrong.push(`${name}: nothing has the legend's ${colour}`);
    for (const one of others) {
      if (one.fill === 'none' && one.width === 2 && one.box.width > 30 && !shown.has(one.stroke)) wrong.push(`${name}: a line in ${one.stroke} is not in the legend`);
    }
  }
  return wrong;
}
