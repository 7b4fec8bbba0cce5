import Turndown from 'turndown';
import { all } from './dom';
import { repeatSpannedCells } from './grid';

/** Converts an element to Markdown (GFM). Changes the element, because Markdown table cells cannot contain blocks. */
export function toMarkdown(element: Element): string {
  prepareText(element);
  prepareTables(element);
  numberItems(element);
  markTasks(element);
  const service = new Turndown({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  service.remove('script style noscript template iframe object button select textarea'.split(' '));
  const rule: Rule = (name, filter, replacement) => service.addRule(name, { filter, replacement });
  addTextRules(rule);
  addTableRules(rule);
  return service.turndown(element).trim();
}

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ').trim();

/** Turns lists, paragraphs and code in a cell into lines of text. */
function flattenCell(cell: Element): void {
  const page = cell.ownerDocument;
  for (const list of all('ul, ol', cell).reverse()) {
    const depth = ancestors(list, cell).filter(({ nodeName }) => /^[UO]L$/.test(nodeName)).length;
    const bullet = depth === 0 ? '•' : '◦';
    const items = [...list.children].filter(({ nodeName }) => nodeName === 'LI');
    items.forEach((item, at) => {
      const line = page.createElement('div');
      line.append(list.nodeName === 'OL' ? `${at + 1}. ` : `${bullet} `, ...trimmed(item));
      item.replaceWith(line);
    });
    list.replaceWith(...list.childNodes);
  }
  for (const pre of all('pre', cell)) {
    const lines = (pre.textContent ?? '').split('\n').map((line) => {
      const code = page.createElement('code');
      code.textContent = line.trim();
      const div = page.createElement('div');
      div.append(code);
      return div;
    });
    pre.replaceWith(...lines);
  }
  for (const heading of all('h1, h2, h3, h4, h5, h6', cell)) {
    const strong = page.createElement('strong');
    strong.append(...heading.childNodes);
    const line = page.createElement('div');
    line.append(strong);
    heading.replaceWith(line);
  }
  for (const rule of all('hr', cell)) rule.remove();
  for (const block of all(
    'p, div, blockquote, section, figure, figcaption, dl, dt, dd, address',
    cell,
  ).reverse()) {
    block.replaceWith(page.createElement('br'), ...block.childNodes, page.createElement('br'));
  }
}

/** The content of an item without white space before it. */
function trimmed(item: Element): ChildNode[] {
  const nodes = [...item.childNodes];
  while (nodes[0]?.nodeType === 3 && (nodes[0].textContent ?? '').trim() === '') nodes.shift();
  return nodes;
}

function ancestors(node: Element, until: Element): Element[] {
  const found: Element[] = [];
  for (let up = node.parentElement; up && up !== until; up = up.parentElement) found.push(up);
  return found;
}

/** The rows of a table itself, without those of tables in it. */
const rowsOf = (table: Element) => all('tr', table).filter((row) => row.closest('table') === table);

/** Whether a table only lays out a page: it has one column, or tables in it and no heads. */
function isLayout(table: Element): boolean {
  const rows = rowsOf(table);
  if (rows.every((row) => row.children.length <= 1)) return true;
  return table.querySelector('table') !== null && !rows.some((row) => row.querySelector(':scope > th'));
}

/** Writes a table in a cell as lines, a row each. */
function flattenTable(table: Element): void {
  const page = table.ownerDocument;
  const lines = rowsOf(table).map((row) => {
    const line = page.createElement('div');
    for (const [at, cell] of [...row.children].entries()) line.append(at === 0 ? '' : ', ', ...trimmed(cell));
    return line;
  });
  table.replaceWith(...lines);
}

// Turndown works on a copy, so the result is passed in an attribute.
const layout = 'data-layout';
const isInLayout = (node: Element) => node.closest('table')?.hasAttribute(layout) !== false;

function prepareTables(element: Element): void {
  for (const table of all('table', element)) table.toggleAttribute(layout, isLayout(table));
  for (const inner of all(`table:not([${layout}]) table`, element).reverse()) flattenTable(inner);
  for (const table of all(`table:not([${layout}])`, element)) {
    repeatSpannedCells(table);
    for (const cell of all('td, th', table)) flattenCell(cell);
  }
}

function prepareText(element: Element): void {
  for (const end of all('h1 br, h2 br, h3 br, h4 br, h5 br, h6 br', element)) end.replaceWith(' ');
  for (const quote of all('q', element)) {
    const [open, close] =
      ancestors(quote, element).filter(({ nodeName }) => nodeName === 'Q').length % 2 === 0 ? '“”' : '‘’';
    quote.prepend(open ?? '');
    quote.append(close ?? '');
  }
  for (const reading of all('ruby rt', element)) {
    const before = reading.previousElementSibling;
    const isInParentheses = before?.nodeName === 'RP' && !/[)）]/.test(before.textContent ?? '');
    if (!isInParentheses) reading.replaceWith(`(${reading.textContent})`);
  }
}

/** Notes the numbers of items that do not just count up from the first, and letters. */
function numberItems(element: Element): void {
  for (const list of all('ol[reversed], ol[type]:not([type="1"]), ol:has(> li[value])', element)) {
    const items = [...list.children].filter(({ nodeName }) => nodeName === 'LI');
    const step = list.hasAttribute('reversed') ? -1 : 1;
    const type = list.getAttribute('type') ?? '1';
    let number = Number(list.getAttribute('start') ?? (step < 0 ? items.length : 1)) - step;
    for (const item of items) {
      number = item.hasAttribute('value') ? Number(item.getAttribute('value')) : number + step;
      item.setAttribute('data-number', numeral(number, type));
    }
  }
}

/** A number as a list of this type shows it: https://html.spec.whatwg.org/multipage/grouping-content.html#attr-ol-type */
function numeral(number: number, type: string): string {
  if (!/^[aAiI]$/.test(type) || number < 1 || number >= 4_000) return String(number);
  let text = '';
  let left = number;
  if (/i/i.test(type)) {
    for (const [sign, value] of roman) for (; left >= value; left -= value) text += sign;
  } else {
    for (; left > 0; left = Math.floor((left - 1) / 26))
      text = String.fromCharCode(97 + ((left - 1) % 26)) + text;
  }
  return /[AI]/.test(type) ? text.toUpperCase() : text;
}

const roman = Object.entries({
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
});

/** Notes the checkboxes of task lists, and removes others, which are for the page's visitor. */
function markTasks(element: Element): void {
  const page = element.ownerDocument;
  for (const box of all('li input[type="checkbox"]', element)) {
    const item = box.closest('li');
    const isTask = item && (box.hasAttribute('disabled') || /task/.test(item.className));
    const holder = box.closest('label') ?? box;
    if (item && isTask) {
      const mark = page.createElement('span');
      mark.setAttribute('data-task', box.hasAttribute('checked') ? 'x' : ' ');
      mark.textContent = 'task';
      for (const text of item.childNodes) {
        if (text.nodeType === Node.TEXT_NODE) text.textContent = (text.textContent ?? '').trimStart();
      }
      item.prepend(mark);
    }
    if ((holder.textContent ?? '').trim() === '') holder.remove();
    else box.remove();
  }
}

type Rule = (
  name: string,
  filter: string | readonly string[] | ((node: Element) => boolean),
  replacement: (content: string, node: Element) => string,
) => void;

function addTextRules(rule: Rule): void {
  rule('struck', ['del', 's', 'strike'], (content) => (content.trim() === '' ? '' : `~~${content}~~`));
  rule(
    'task',
    (node) => node.hasAttribute('data-task'),
    (_, node) => `[${node.getAttribute('data-task')}] `,
  );
  rule(
    'formula',
    (node) => node.hasAttribute('data-formula'),
    (_, node) => {
      const tex = node.textContent ?? '';
      return node.getAttribute('data-formula') === 'block' ? `\n\n$$\n${tex}\n$$\n\n` : `$${oneLine(tex)}$`;
    },
  );
  rule(
    'numbered item',
    (node) => node.hasAttribute('data-number'),
    (content, node) => {
      const prefix = `${node.getAttribute('data-number')}.  `;
      const text = content.replace(/^\n+|\n+$/g, '').replace(/\n/g, `\n${' '.repeat(prefix.length)}`);
      return `${prefix}${text}${node.nextSibling ? '\n' : ''}`;
    },
  );
  rule('superscript', 'sup', (content, node) => {
    const text = content.trim();
    // A footnote: its number in brackets is the link.
    if (node.querySelector('a[href*="#"]')) return ` [${(node.textContent ?? '').replace(/[[\]\s]/g, '')}]`;
    if (text === '' || /^(st|nd|rd|th|e|er|re|ème|o|a|ª|º|TM|SM|®|©|™)$/.test(text)) {
      // Ordinals and trade marks. A letter after a time or a figure is a footnote.
      if (!/^[ao]$/.test(text)) return text;
    }
    return /^[\p{L}\p{N}.,*+−–\-_\\]+$/u.test(text) ? `^${text}` : `^(${text})`;
  });
  rule('subscript', 'sub', (content) => {
    const text = content.trim();
    if (/^\d+$/.test(text)) return [...text].map((digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)]).join('');
    if (text === '') return '';
    return /^[\p{L}\p{N}+−–-]+$/u.test(text) ? `_${text}` : `_(${text})`;
  });
  rule(
    'link without an address',
    (node) => node.nodeName === 'A' && !node.getAttribute('href'),
    (content) => content,
  );
  // A link around headings, images or paragraphs: links in Markdown have one line.
  rule(
    'link round blocks',
    (node) =>
      node.nodeName === 'A' && node.querySelector('h1, h2, h3, h4, h5, h6, p, div, ul, figure') !== null,
    (content, node) => {
      const lines = content.split('\n').map((line) => line.trim());
      const first = lines.findIndex((line) => line !== '' && !line.startsWith('!['));
      if (first < 0) return content;
      const [, marks = '', words = ''] = /^(#+ |- )?(.*)$/.exec(lines[first] ?? '') ?? [];
      lines[first] = /\]\(/.test(words)
        ? `${marks}${words}`
        : `${marks}[${words}](${node.getAttribute('href')})`;
      return `\n\n${lines.join('\n')}\n\n`;
    },
  );
  rule('summary', 'summary', (content) => `\n\n**${oneLine(content).replace(/\*\*/g, '')}**\n\n`);
}

function addTableRules(rule: Rule): void {
  rule('cell', ['td', 'th'], (content, node) => {
    if (isInLayout(node)) return `\n\n${content}\n\n`;
    const lines = content
      .split(/\s*\n\s*/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
    // A pipe ends a cell even in code.
    const text = lines
      .join('<br>')
      .replace(/\\?\|/g, '\\|')
      // Unescapes what looks like a list, which a cell cannot contain.
      .replace(/(^|<br>)(\d+)\\\. /g, '$1$2. ');
    return `| ${text} `;
  });
  rule('row', 'tr', (content, node) => {
    if (isInLayout(node)) return `\n\n${content}\n\n`;
    return content.trim() === '' ? '' : `\n${content.replace(/\n/g, ' ')}|`;
  });
  rule('rows', ['thead', 'tbody', 'tfoot'], (content) => content);
  rule('columns', ['colgroup', 'col'], () => '');
  rule('caption', 'caption', (content, node) => {
    const table = node.closest('table');
    return table?.hasAttribute(layout) ? `\n\n${content}\n\n` : '';
  });
  rule('table', 'table', (content, node) => {
    if (node.hasAttribute(layout)) return `\n\n${content}\n\n`;
    const rows = content.split('\n').filter((line) => line.startsWith('|'));
    // Not Math.max(...rows): there may be more rows than a call may have arguments.
    const columns = rows.reduce(
      (most, line) => Math.max(most, (line.match(/(?<!\\)\|/g)?.length ?? 1) - 1),
      0,
    );
    if (columns === 0) return '';
    const first = node.querySelector('tr');
    const isHead =
      first?.closest('thead') || (first && [...first.children].every(({ nodeName }) => nodeName === 'TH'));
    const empty = `|${'  |'.repeat(columns)}`;
    const [head, ...rest] = isHead ? rows : [empty, ...rows];
    const caption = (node.querySelector('caption')?.textContent ?? '').replace(/\s+/g, ' ').trim();
    const border = `|${' --- |'.repeat(columns)}`;
    return `\n\n${caption === '' ? '' : `${caption}\n\n`}${[head, border, ...rest].join('\n')}\n\n`;
  });
}
