import { joinLines, linesOf, type Paragraph, type TextItem } from './pdf-lines';

/** What a page shows, in reading order. */
export type Block =
  | Paragraph
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'item'; readonly depth: number; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

/** A node of a page's structure tree (ISO 32000-1, 14.7), as pdf.js reports it. */
export interface TagNode {
  readonly role?: string;
  readonly type?: string;
  readonly id?: string;
  readonly children?: readonly TagNode[];
}

/** The beginning or end of marked content (ISO 32000-1, 14.6). */
export interface Mark {
  readonly type: string;
  readonly id?: string;
  readonly tag?: string;
}

/**
 * The blocks of a tagged page.
 * @returns null when the tags leave out a part of its text
 */
export function blocksOfTags(root: TagNode, items: readonly (TextItem | Mark)[]): Block[] | null {
  const textOfId = new Map<string, TextItem[]>();
  const open: (string | null)[] = [];
  let shown = 0;
  let tagged = 0;
  for (const item of items) {
    if ('str' in item) {
      if (open.includes('Artifact')) continue;
      const id = open.findLast((one) => one !== null && one !== 'Artifact') ?? null;
      const { length } = item.str.trim();
      shown += length;
      if (id === null) continue;
      tagged += length;
      const list = textOfId.get(id) ?? [];
      list.push(item);
      textOfId.set(id, list);
    } else if (item.type === 'endMarkedContent') open.pop();
    else open.push(item.tag === 'Artifact' ? 'Artifact' : (item.id ?? null));
  }
  if (shown === 0 || tagged < 0.9 * shown) return null;

  const isBlock = (role: string | undefined) =>
    /^(H[1-6]?|Title|P|L|LI|Table|TR|Caption|BlockQuote|TOC|TOCI|Note|FENote)$/.test(role ?? '');
  const hasBlock = (node: TagNode): boolean =>
    (node.children ?? []).some((child) => isBlock(child.role) || hasBlock(child));
  /** The text of a node, without that of lists in it. */
  const itemsOf = (node: TagNode): TextItem[] => {
    if (node.type === 'content') return textOfId.get(node.id ?? '') ?? [];
    return (node.children ?? []).flatMap((child) => (child.role === 'L' ? [] : itemsOf(child)));
  };
  const read = (node: TagNode) => {
    const lines = linesOf(itemsOf(node));
    return {
      text: joinLines(lines.map(({ text }) => text)),
      size: Math.max(0, ...lines.map(({ size }) => size)),
      lines: lines.length,
    };
  };
  const all = (node: TagNode, role: RegExp): TagNode[] =>
    (node.children ?? []).flatMap((child) => (role.test(child.role ?? '') ? [child] : all(child, role)));

  const blocks: Block[] = [];
  const add = (node: TagNode) => {
    const found = read(node);
    if (found.text !== '') blocks.push({ kind: 'paragraph', ...found });
  };
  const walk = (node: TagNode, depth: number): void => {
    const { role = '', children = [] } = node;
    const heading = /^(?:H([1-6])?|Title)$/.exec(role);
    if (heading) {
      const { text } = read(node);
      if (text !== '') blocks.push({ kind: 'heading', level: Number(heading[1] ?? 1), text });
    } else if (role === 'Table') {
      const rows = all(node, /^TR$/).map((row) => all(row, /^T[HD]$/).map((cell) => read(cell).text));
      if (rows.some((row) => row.length > 0)) blocks.push({ kind: 'table', rows });
    } else if (role === 'LI' || role === 'TOCI') {
      const { text } = read(node);
      if (text !== '') blocks.push({ kind: 'item', depth, text });
      for (const list of all(node, /^L$/)) walk(list, depth + 1);
    } else if (node.type === 'content' || !hasBlock(node)) add(node);
    else for (const child of children) walk(child, depth);
  };
  walk(root, 0);
  return blocks;
}
