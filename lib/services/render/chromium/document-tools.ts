/**
 * Runs inside the browser: how the other functions there look at a document. A form's fields can hide its properties, so they are
 * read from the prototypes.
 */
export function documentTools() {
  const slack = 1.5;
  const property = (prototype: object, name: string) =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get ?? (() => undefined);
  const readers = {
    parentElement: property(Node.prototype, 'parentElement'),
    children: property(Element.prototype, 'children'),
    localName: property(Element.prototype, 'localName'),
    scrollWidth: property(Element.prototype, 'scrollWidth'),
    scrollHeight: property(Element.prototype, 'scrollHeight'),
    clientWidth: property(Element.prototype, 'clientWidth'),
    clientHeight: property(Element.prototype, 'clientHeight'),
    style: property(HTMLElement.prototype, 'style'),
  };
  const numberOf = (element: Element, name: keyof typeof readers): number => readers[name].call(element);
  const childrenOf = (element: Element): Element[] => [...readers.children.call(element)];
  const localNameOf = (element: Element): string => readers.localName.call(element);
  const rectOf = (element: Element): DOMRect => Element.prototype.getBoundingClientRect.call(element);

  const everything = [...Document.prototype.querySelectorAll.call(document, '*')];
  const shadows: ShadowRoot[] = [];
  const addShadows = (elements: readonly Element[]) => {
    for (const element of elements) {
      const shadow = element instanceof HTMLFormElement ? null : element.shadowRoot;
      if (!shadow) continue;
      shadows.push(shadow);
      addShadows([...shadow.querySelectorAll('*')]);
    }
  };
  addShadows(everything);
  /** The elements of the document and of its shadow trees. */
  const all = (selector: string): Element[] => [
    ...Document.prototype.querySelectorAll.call(document, selector),
    ...shadows.flatMap((shadow) => [...shadow.querySelectorAll(selector)]),
  ];
  const parentOf = (node: Node): Element | null => {
    const parent: Element | null = readers.parentElement.call(node);
    if (parent) return parent;
    const tree = Node.prototype.getRootNode.call(node);
    return tree instanceof ShadowRoot ? tree.host : null;
  };
  const isWithin = (inner: Node, outer: Element): boolean => {
    for (let one: Node | null = inner; one; one = parentOf(one)) if (one === outer) return true;
    return false;
  };

  const set = (element: HTMLElement, values: Record<string, string>) => {
    const style = readers.style.call(element);
    for (const [name, value] of Object.entries(values))
      CSSStyleDeclaration.prototype.setProperty.call(style, name, value, 'important');
  };
  const isWider = (element: Element) =>
    numberOf(element, 'scrollWidth') > numberOf(element, 'clientWidth') + slack;
  const isTaller = (element: Element) =>
    numberOf(element, 'scrollHeight') > numberOf(element, 'clientHeight') + slack;

  const within = function* (tree: Node): Generator<Text> {
    const walker = Document.prototype.createTreeWalker.call(document, tree, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (node instanceof Text && node.data.trim() !== '') yield node;
  };
  /** The texts in an element, with those in shadow trees. */
  const textsOf = function* (element: Element): Generator<Text> {
    yield* within(element);
    for (const shadow of shadows) if (isWithin(shadow.host, element)) yield* within(shadow);
  };
  /** The lines of a text. */
  const linesOf = (text: Text): DOMRect[] => {
    const range = Document.prototype.createRange.call(document);
    range.selectNodeContents(text);
    return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
  };
  const isSeen = (element: Element): boolean =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });

  const [root] = everything;
  return {
    ...{ slack, all, parentOf, isWithin, set, isWider, isTaller, textsOf, linesOf, isSeen, rectOf },
    ...{ childrenOf, localNameOf, numberOf, root, hasShadows: () => shadows.length > 0 },
  };
}

export type DocumentTools = ReturnType<typeof documentTools>;
