import type { DocumentTools } from './document-tools';

/**
 * Runs inside the browser: shows what a screen shows only on demand, because paper cannot be scrolled or clicked.
 * @returns what stays closed, because only a script could open it
 */
export function revealContent(
  tools: DocumentTools,
  { mayBeFixed, mayClip, pageHeight }: { mayBeFixed: boolean; mayClip: boolean; pageHeight: number },
): readonly Element[] {
  const { all, parentOf, isWithin, set, isWider, isTaller, textsOf, linesOf, rectOf } = tools;
  const { localNameOf, numberOf, root, slack } = tools;
  const isBox = (element: Element): element is HTMLElement => element instanceof HTMLElement;
  const attributeOf = (element: Element, name: string) =>
    Element.prototype.getAttribute.call(element, name) ?? '';

  for (const details of all('details:not([open])')) {
    // Of details with one name, only one can be open.
    details.removeAttribute('name');
    details.setAttribute('open', '');
  }
  for (const found of all('[hidden="until-found" i]'))
    Element.prototype.removeAttribute.call(found, 'hidden');
  const opened = new Set(
    all('[popovertarget], [commandfor]').flatMap((control) => [
      attributeOf(control, 'popovertarget'),
      attributeOf(control, 'commandfor'),
    ]),
  );
  const closed: Element[] = [];
  for (const box of all('dialog:not([open]), [popover]')) {
    const id = attributeOf(box, 'id');
    if (id === '' || !opened.has(id)) closed.push(box);
    else if (isBox(box)) set(box, { display: 'block', position: 'static' });
  }

  // Time stands still on paper: what has an end is shown as it is then, and what has none as it is without its animation, if that is seen.
  for (const animation of Document.prototype.getAnimations.call(document)) {
    try {
      animation.finish();
    } catch {
      animation.cancel();
      const { effect } = animation;
      const target = effect instanceof KeyframeEffect ? effect.target : null;
      if (!target || !isBox(target)) continue;
      const { opacity, visibility } = getComputedStyle(target);
      if (opacity === '0') set(target, { opacity: '1' });
      if (visibility !== 'visible') set(target, { visibility: 'visible' });
    }
  }
  for (const animation of all('svg :is(animate, animateTransform, animateMotion, set)'))
    if (/indefinite/.test(attributeOf(animation, 'repeatCount') + attributeOf(animation, 'repeatDur')))
      animation.remove();
  for (const drawing of all('svg:has(animate, animateTransform, animateMotion, set)'))
    if (drawing instanceof SVGSVGElement && drawing.ownerSVGElement === null) drawing.setCurrentTime(86_400);

  if (mayClip)
    for (const box of all('*'))
      if (isBox(box) && getComputedStyle(box).contentVisibility === 'auto')
        set(box, { 'content-visibility': 'visible' });

  const body = all('body')[0];
  for (const box of all('*')) {
    const isPage = box === root || box === body;
    if (!isBox(box) || !(isPage || isWider(box) || isTaller(box))) continue;
    const name = localNameOf(box);
    if (name === 'textarea' || name === 'input') {
      // All of it with the borders, which are not scrolled.
      const { width, height } = rectOf(box);
      const full = (
        size: number,
        extent: 'scrollWidth' | 'scrollHeight',
        inner: 'clientWidth' | 'clientHeight',
      ) => `${Math.ceil(numberOf(box, extent) + size - numberOf(box, inner))}px`;
      const wide = full(width, 'scrollWidth', 'clientWidth');
      set(box, { 'box-sizing': 'border-box' });
      if (isWider(box)) set(box, { width: wide, 'min-width': wide, 'max-width': 'none' });
      if (name === 'textarea' && isTaller(box))
        set(box, { height: full(height, 'scrollHeight', 'clientHeight'), 'max-height': 'none' });
      continue;
    }
    const { overflowX, overflowY, display } = getComputedStyle(box);
    const scrolls = (overflow: string) =>
      /auto|scroll/.test(overflow) || (isPage && /hidden|clip/.test(overflow));
    if (!scrolls(overflowX) && !scrolls(overflowY)) continue;
    const isTall = isTaller(box);
    set(box, { overflow: 'visible', height: 'auto', 'max-height': 'none', bottom: 'auto' });
    if (isTall) set(box, { 'min-height': 'fit-content' });
    // What is shown one after the other is printed one below the other.
    if (isWider(box) && /flex|grid/.test(display)) set(box, { 'flex-wrap': 'wrap', 'grid-auto-flow': 'row' });
    // Boxes around it have the height of a window.
    for (let around = parentOf(box); isTall && around && around !== body; around = parentOf(around)) {
      if (!isBox(around) || !(isTaller(around) || /hidden|clip/.test(getComputedStyle(around).overflowY)))
        continue;
      set(around, { overflow: 'visible', height: 'auto', 'max-height': 'none' });
    }
  }

  for (const field of all('select')) {
    if (!(field instanceof HTMLSelectElement) || field.selectedOptions.length !== 1) continue;
    const probe = Document.prototype.createElement.call(document, 'span');
    probe.textContent = field.selectedOptions[0]?.label ?? '';
    const { font, letterSpacing } = getComputedStyle(field);
    set(probe, { position: 'absolute', 'white-space': 'pre', font, 'letter-spacing': letterSpacing });
    const around = parentOf(field);
    if (!around) continue;
    Node.prototype.appendChild.call(around, probe);
    const arrow = 28;
    const wide = rectOf(probe).width + arrow;
    probe.remove();
    if (rectOf(field).width < wide)
      set(field, { width: `${wide}px`, 'min-width': `${wide}px`, 'max-width': 'none' });
  }

  const isOpaque = (box: Element) => {
    const { backgroundColor, opacity } = getComputedStyle(box);
    const [, alpha = 1] = /(?:^rgba\(.*,|\/) ([\d.]+)\)$/.exec(backgroundColor) ?? [];
    return Number(alpha) * Number(opacity) > 0.9;
  };
  /** Whether the first line of the document is under a box. */
  const hidesText = (box: Element) => {
    for (const text of root ? textsOf(root) : []) {
      const [line] = linesOf(text);
      if (!line || isWithin(text, box)) continue;
      const [x, y] = [line.left + line.width / 2, line.top + line.height / 2];
      const seen = Document.prototype.elementFromPoint.call(document, x, y);
      return seen !== null && isWithin(seen, box);
    }
    return false;
  };
  if (mayBeFixed) {
    for (const box of all('*')) {
      if (!isBox(box) || getComputedStyle(box).position !== 'fixed') continue;
      const { top, bottom, left, right, height } = rectOf(box);
      // It would be cut at the end of each page.
      if (height > Math.max(pageHeight, window.innerHeight) + slack) {
        set(box, { position: 'absolute', top: `${Math.max(0, top)}px`, bottom: 'auto' });
        continue;
      }
      const width = root ? numberOf(root, 'clientWidth') : 0;
      const covers = top <= slack && left <= slack && bottom >= pageHeight - slack && right >= width - slack;
      if (!covers) continue;
      // A cover over the whole page, which a script would take away. Its own content stays.
      if (isOpaque(box) && hidesText(box))
        set(box, { position: 'static', background: 'none', height: 'auto', 'min-height': '0' });
    }
  }
  return closed;
}
