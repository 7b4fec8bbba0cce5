import { addCopyButton } from '../copy-button';

/** Elements that the script of "Try it" makes. Text only: a service's answer is never parsed as markup. */

type Content = Node | string;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

export const code = (text: string): HTMLElement => element('code', {}, text);

/** A list of terms with their values, without those that are not known. */
export function facts(entries: Readonly<Record<string, Content | null>>): HTMLElement {
  const rows = Object.entries(entries).flatMap(([term, value]) =>
    value === null ? [] : [element('div', {}, element('dt', {}, term), element('dd', {}, value))],
  );
  return element('dl', { className: 'facts' }, ...rows);
}

/**
 * JSON that scrolls on its own, with the keyboard too, in the colors of samples (`highlight.css`).
 * @param title stands above it, beside a button that copies it
 */
export function json(label: string, value: unknown, title?: string): HTMLElement {
  const text = JSON.stringify(value, null, 2);
  const block = element('pre', { tabIndex: 0 }, element('code', {}, ...colored(text)));
  const section = element('section', { className: 'sample' }, block);
  section.setAttribute('aria-label', label);
  if (title !== undefined) {
    section.prepend(element('p', { className: 'sample-title' }, title));
    addCopyButton(block, label, text);
  }
  return section;
}

/** A name with its colon, a string, a number or a word such as `true`. */
const tokens = /("(?:[^"\\]|\\.)*"(?=:))|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null)/;
const colors = ['hljs-attr', 'hljs-string', 'hljs-number', 'hljs-literal'] as const;

/** The parts of formatted JSON: what stands between tokens is followed by one group for each color. */
function colored(text: string): Content[] {
  return text.split(tokens).flatMap((part, at): Content[] => {
    const className = colors[(at % (colors.length + 1)) - 1];
    // A group without a match is undefined, whatever its type says.
    if (!part) return [];
    return className === undefined ? [part] : [element('span', { className }, part)];
  });
}

/** A radio button with its label. */
export function option(name: string, value: string, isChecked: boolean, label: string): HTMLElement {
  const input = element('input', { type: 'radio', name, value, checked: isChecked, id: `${name}-${value}` });
  return element('div', { className: 'option' }, input, element('label', { htmlFor: input.id }, label));
}
