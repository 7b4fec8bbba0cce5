import { readAsUtf8 } from '../encoding';

/**
 * Corrects a document in UTF-8 that the browser has read as windows-1252, because it declares no encoding, or a wrong one.
 * Nearly all of its texts with other characters than ASCII are valid UTF-8 then, which is unlikely for any other encoding.
 */
export function correctCharset(page: Document): void {
  if (page.characterSet !== 'windows-1252') return;
  const corrections: (() => void)[] = [];
  let [valid, invalid] = [0, 0];
  const correct = (text: string, write: (corrected: string) => void) => {
    const again = readAsUtf8(text);
    valid += again.utf8;
    invalid += again.others;
    if (again.utf8 > 0) corrections.push(() => write(again.text));
  };
  const waiting: Node[] = [page];
  for (let root = waiting.pop(); root; root = waiting.pop()) {
    const nodes = page.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      if (node instanceof CharacterData) {
        const text = node;
        correct(text.data, (corrected) => {
          text.data = corrected;
        });
      }
      if (!(node instanceof Element)) continue;
      // A form's fields hide its property of the same name.
      const attributes: NamedNodeMap = attributesOf.call(node);
      for (const attribute of attributes) {
        correct(attribute.value, (corrected) => {
          attribute.value = corrected;
        });
      }
      if (node.shadowRoot instanceof ShadowRoot) waiting.push(node.shadowRoot);
      if (node instanceof HTMLTemplateElement) waiting.push(node.content);
    }
  }
  if (valid <= 10 * invalid) return;
  for (const apply of corrections) apply();
}

const attributesOf = Object.getOwnPropertyDescriptor(Element.prototype, 'attributes')
  ?.get as () => NamedNodeMap;
