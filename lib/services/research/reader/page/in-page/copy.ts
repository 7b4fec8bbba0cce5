// A form's fields hide its own properties of the same names, so these are read past them.
const getter = <T>(prototype: object, name: string) => {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  return (node: Node): T => get?.call(node);
};
const childrenOf = getter<NodeListOf<ChildNode>>(Node.prototype, 'childNodes');
const textContentOf = getter<string | null>(Node.prototype, 'textContent');
const shadowOf = getter<ShadowRoot | null>(Element.prototype, 'shadowRoot');
const documentOf = getter<Document>(Node.prototype, 'ownerDocument');
const baseOf = getter<string>(Node.prototype, 'baseURI');
const headings = 'h2, h3, h4, h5, h6';
const lengthOf = (node: Node) => (textContentOf(node) ?? '').replace(/\s+/g, ' ').length;

function isVisible(element: Element): boolean {
  const { visibility } = getComputedStyle(element);
  return visibility === 'visible' || visibility === '';
}

// Elements of a frame have other constructors, so `instanceof` does not tell.
const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE;
const isHtml = (node: Node): node is HTMLElement =>
  isElement(node) && node.namespaceURI === 'http://www.w3.org/1999/xhtml';
const isSlot = (node: Node): node is HTMLSlotElement => isHtml(node) && node.nodeName === 'SLOT';

/** The document in a frame of the same site. */
function framed(node: Node): Element | null {
  if (!/^I?FRAME$/.test(node.nodeName)) return null;
  const frame = node as HTMLIFrameElement;
  const shown = frame.contentDocument;
  const box = frame.getBoundingClientRect();
  // Advertisements write into empty frames.
  const isPage = shown !== null && /^https?:/.test(shown.URL) && box.width * box.height > 10_000;
  return isPage ? shown.body : null;
}

/** The nodes that are shown inside a node. */
function composedChildren(node: Node): Node[] {
  if (!isElement(node)) return [...childrenOf(node)];
  const inner = framed(node);
  if (inner) return [...childrenOf(inner)];
  if (isSlot(node)) {
    const assigned = node.assignedNodes({ flatten: true });
    if (assigned.length > 0) return assigned;
  }
  return [...childrenOf(shadowOf(node) ?? node)];
}

/** Whether an element shows the one after it: a control, or the heading of a closed section. */
function opens(element: Element): boolean {
  if (element.matches('button, [aria-expanded], [tabindex="0"], :has(> button[aria-expanded])')) return true;
  const text = (textContentOf(element) ?? '').trim();
  if (element.nodeName === 'SUMMARY' || text === '' || text.length > 200) return false;
  const heading = element.matches(headings) ? element : element.querySelector(headings);
  return heading !== null && (textContentOf(heading) ?? '').trim() === text;
}

/** Whether a control of the page shows the element: it is a tab's panel, or the hidden part of an accordion. */
function hasControl(element: Element): boolean {
  const role = element.getAttribute('role');
  if (role === 'tabpanel' || element.getAttribute('hidden') === 'until-found') return true;
  if (role !== null && /dialog|menu|listbox|navigation|search|tooltip/.test(role)) return false;
  if (element.closest('nav, header, footer, dialog, [role="navigation"], [role="dialog"]')) return false;
  const id = element.getAttribute('id');
  const owner = documentOf(element);
  const control = id
    ? owner.querySelector(
        [`[aria-controls~="${CSS.escape(id)}"]`, `[href="#${CSS.escape(id)}"]`]
          .concat(['data-target', 'data-bs-target'].map((name) => `[${name}="#${CSS.escape(id)}"]`))
          .join(', '),
      )
    : null;
  const before = element.previousElementSibling;
  const opener = control ?? (before && opens(before) ? before : null);
  if (!opener || opener.closest('nav, header, footer') || opener.hasAttribute('aria-haspopup')) return false;
  const linked = [...element.querySelectorAll('a[href]')].reduce((sum, link) => sum + lengthOf(link), 0);
  return linked < 0.6 * lengthOf(element);
}

const unseen =
  /^(AUDIO|VIDEO|HEAD|SCRIPT|STYLE|META|LINK|TITLE|TEMPLATE|NOSCRIPT|BODY|HTML|SOURCE|IMG|PICTURE|OPTION|INPUT|RP|AREA)$/;

/** Whether a style sheet hides the element with all that is in it. */
function isHidden(element: Element): boolean {
  if (!isHtml(element) || unseen.test(element.nodeName) || !documentOf(element).defaultView) return false;
  const style = getComputedStyle(element);
  if (style.display === 'none') return true;
  if (style.overflow === 'hidden' && style.display !== 'inline' && style.display !== 'contents') {
    const { width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0) return true;
  }
  if (style.position !== 'absolute' && style.position !== 'fixed') return false;
  const { right, bottom } = element.getBoundingClientRect();
  return right + scrollX < -100 || bottom + scrollY < -100;
}

function absolute(node: Node, reference: string | null): string | null {
  const base = baseOf(node);
  if (reference === null || reference.trim() === '' || !URL.canParse(reference, base)) return null;
  const { href, protocol } = new URL(reference, base);
  return /^(https?|mailto|tel|sms|geo):$/.test(protocol) ? href : null;
}

function copyAddresses(from: Element, twin: Element): void {
  for (const name of ['href', 'src', 'poster']) {
    const reference = from.getAttribute(name);
    if (reference === null) continue;
    const address = absolute(from, reference);
    if (address === null || (name !== 'href' && !/^https?:/.test(address))) twin.removeAttribute(name);
    else twin.setAttribute(name, address);
  }
}

function copyElement(from: Element, copied: Document): Element {
  const isFramed = framed(from) !== null;
  const name = isFramed ? 'section' : isSlot(from) ? 'span' : from.nodeName === 'FRAMESET' ? 'body' : null;
  const twin = name === null ? copied.importNode(from, false) : copied.createElement(name);
  if (name === null) copyAddresses(from, twin);
  const isMarked = from.hasAttribute('hidden') || from.getAttribute('aria-hidden') === 'true';
  if ((isMarked && hasControl(from)) || isHidden(from)) {
    // A control shows it.
    for (const name of ['hidden', 'style', 'aria-hidden']) twin.removeAttribute(name);
  }
  if (/^(BUTTON|FIELDSET|IMG|INPUT|OBJECT|OUTPUT|SELECT|TEXTAREA)$/.test(from.nodeName)) {
    const fieldName = from.getAttribute('name');
    if (fieldName !== null) twin.setAttribute('data-name', fieldName);
    twin.removeAttribute('name');
    twin.removeAttribute('id');
  }
  return twin;
}

/** Whether most of the text between header and footer is invisible: until scripts run, or until its elements are defined. */
function isMostlyInvisible(body: Element): boolean {
  if (!isVisible(body)) return true;
  let [seen, hidden] = [0, 0];
  const texts = documentOf(body).createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const { length } = (textContentOf(text) ?? '').trim();
    const parent = text.parentElement;
    if (length === 0 || !parent || unseen.test(parent.nodeName)) continue;
    if (parent.closest('nav, header, footer')) continue;
    if (isVisible(parent)) seen += length;
    else hidden += length;
  }
  return hidden > seen;
}

/**
 * Copies the shown page as people see it: shadow trees with their slots filled, frames of the same site in
 * place, without what only a style sheet hides, with absolute addresses. The page's scripts do not know the copy.
 */
export function copyPage(page: Document): Document {
  const wholeLength = page.body ? lengthOf(page.body) : 0;
  const isWaiting = page.body !== null && page.defaultView !== null && isMostlyInvisible(page.body);
  /** Hidden formulas are the source of what is shown; a page whose text is hidden waits for its scripts. */
  const isLeftOut = (element: Element) =>
    isHidden(element) &&
    !hasControl(element) &&
    element.querySelector('math') === null &&
    lengthOf(element) < 0.4 * wholeLength;

  const copied = page.implementation.createHTMLDocument();
  copied.documentElement.remove();
  const isInvisible = (node: Node): node is Element =>
    isElement(node) && !isWaiting && page.defaultView !== null && !isVisible(node);
  const waiting: [from: Node, to: Node, isInPanel: boolean][] = [[page, copied, false]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [from, to, isInOuterPanel] = next;
    const isInPanel = isInOuterPanel || (isInvisible(from) && hasControl(from));
    const isSilent = !isInPanel && isInvisible(from);
    for (const child of composedChildren(from)) {
      if (child.nodeType === Node.TEXT_NODE && !(isSilent && !unseen.test(from.nodeName)))
        to.appendChild(copied.importNode(child, false));
      if (!isElement(child) || isLeftOut(child)) continue;
      const twin = copyElement(child, copied);
      to.appendChild(twin);
      waiting.push([child, twin, isInPanel]);
    }
  }
  return copied;
}
