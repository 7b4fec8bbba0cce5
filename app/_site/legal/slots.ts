/** What the slots of a text are filled with: words as Markdown, or whether something is so. A missing detail is false. */
export type Slots = Readonly<Record<string, string | boolean>>;

/** A mark with a line of its own, which leaves no line behind. */
const markOnLine = /^(\{\{[#^/]\w+\}\})\n/gm;
const sectionOrSlot = /\{\{([#^])(\w+)\}\}([\s\S]*?)\{\{\/\2\}\}|\{\{(\w+)\}\}/g;

/**
 * Fills a text as Mustache does: `{{name}}` becomes the words, `{{#name}}…{{/name}}` stays if there are any or if it is so, and
 * `{{^name}}…{{/name}}` stays otherwise. What is filled in is not read again.
 */
export function fillSlots(text: string, slots: Slots): string {
  const detail = (name: string) => {
    const value = slots[name];
    if (value === undefined) throw new Error(`Nothing fills {{${name}}}.`);
    return value;
  };
  const fill = (part: string): string =>
    part.replaceAll(sectionOrSlot, (_, kind?: string, section = '', inner = '', slot = '') => {
      if (kind === undefined) return String(detail(slot));
      return (detail(section) !== false) === (kind === '#') ? fill(inner) : '';
    });
  return fill(text.replaceAll(markOnLine, '$1'));
}
