/** The text that is considered for highlights and summaries, which limits the work. */
const consideredMax = 200_000;
/** Shorter ones are captions, buttons and the like. */
const proseMin = 40;

/** A heading, a paragraph, a list item, a row of a table or a line of code, without Markdown's marks. */
export interface TextBlock {
  readonly text: string;
  /** Whether it is made of sentences. */
  readonly isProse: boolean;
}

/** The blocks of a page's Markdown, as far as they are considered. */
export function blocksOf(markdown: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let fence: string | undefined;
  let paragraph: string[] = [];
  const add = (text: string, isProse: boolean) => {
    const shown = text.replace(/\s+/g, ' ').trim();
    if (/[\p{L}\p{N}]/u.test(shown))
      blocks.push({ text: shown, isProse: isProse && shown.length >= proseMin });
  };
  const endParagraph = () => {
    add(withoutMarks(paragraph.join(' ')), true);
    paragraph = [];
  };
  for (const line of markdown.slice(0, consideredMax).split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      else add(line, false);
    } else if (mark !== undefined) {
      endParagraph();
      fence = mark;
    } else if (/^\s*<!--.*-->\s*$/.test(line)) {
      endParagraph();
    } else if (/^\s*(#{1,6}\s|\|)/.test(line)) {
      endParagraph();
      add(withoutMarks(line.replace(/^\s*(#{1,6}\s+|\|)|\|\s*$/g, '')), false);
    } else {
      const [, item] = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/s.exec(line) ?? [];
      if (item !== undefined || line.trim() === '') endParagraph();
      paragraph.push(item ?? line.replace(/^[\s>]+/, ''));
    }
  }
  endParagraph();
  return blocks;
}

function withoutMarks(text: string): string {
  return text
    .replace(/!\[(?:[^[\]\\]|\\.){0,1000}\]\([^()\s]{0,4096}(?:\s"[^"]{0,500}")?\)/g, ' ')
    .replace(
      /\[((?:[^[\]\\]|\\.){0,1000})\]\((?:[^()\\\s]|\\.|\([^()\s]{0,200}\)){0,4096}(?:\s"[^"]{0,500}")?\)/g,
      '$1',
    )
    .replace(/(?<!\\)(\*\*|__|~~|`+)/g, '')
    .replace(/(?<![\\\p{L}\p{N}])[*_](?=\S)|(?<=[^\s\\])[*_](?![\p{L}\p{N}])/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
