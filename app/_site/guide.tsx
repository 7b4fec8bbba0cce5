import MarkdownIt, { type Token } from 'markdown-it';
import type { ReactNode } from 'react';
import type { Drawing } from './docs/drawings';
import type { Heading } from './docs/layout';
import { highlight } from './highlight';
import { siteLink } from './markdown-links';

/** Renders our own Markdown; HTML in it is escaped. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
const { rules } = markdown.renderer;
const { escapeHtml } = markdown.utils;

/** Scrollable blocks are landmarks, which need different names on a page. */
const numberOf = (tokens: readonly { type: string }[], index: number) =>
  tokens.slice(0, index + 1).filter(({ type }) => type === tokens[index]?.type).length;

// Scrollable blocks are reachable by keyboard, and samples can be copied. What a program prints cannot be.
rules.fence = (tokens, index) => {
  const { content = '', info = '' } = tokens[index] ?? {};
  const language = info.trim();
  const code = highlight(content.replace(/\n$/, ''), language);
  const isOutput = language === 'text';
  const name = isOutput ? 'Output' : nameOf(tokens[index - 2], language);
  const label = escapeHtml(`${name} (sample ${numberOf(tokens, index)})`);
  const title = `<p class="sample-title">${escapeHtml(name)}</p>`;
  const shown = isOutput ? '<pre tabindex="0">' : '<pre data-copy tabindex="0">';
  const kind = isOutput ? 'sample output' : 'sample';
  return `<section class="${kind}" aria-label="${label}">${title}${shown}<code>${code}</code></pre></section>\n`;
};

const languageNames: Readonly<Record<string, string>> = {
  html: 'HTML',
  ini: 'Settings',
  js: 'JavaScript',
  json: 'JSON',
  python: 'Python',
  sh: 'Shell',
  sql: 'SQL',
  toml: 'TOML',
  ts: 'TypeScript',
  yaml: 'YAML',
};

/** What a sample is called: the file that the text before it asks to save it as, or its language. */
function nameOf(before: Token | undefined, language: string): string {
  const [, file] = /\bsave as `([\w.-]+)`:$/i.exec(before?.content ?? '') ?? [];
  return file ?? languageNames[language] ?? 'Sample';
}
rules.table_open = (tokens, index) =>
  `<section class="scroll" tabindex="0" aria-label="Table ${numberOf(tokens, index)}"><table class="stacking">\n`;
rules.table_close = () => '</table></section>\n';
// On a narrow screen the cells of a row are stacked, each after the title of its column.
rules.th_open = () => '<th scope="col">';
rules.td_open = (tokens, index) => `<td data-title="${escapeHtml(columnOf(tokens, index))}">`;
rules.heading_open = (tokens, index) => {
  const { tag = 'h2' } = tokens[index] ?? {};
  const id = slugOf(tokens[index + 1]?.content ?? '');
  return `${tag === 'h1' ? '' : '<div class="heading">'}<${tag} id="${id}">`;
};
// The link is beside the heading, so that it is not part of the heading's name.
rules.heading_close = (tokens, index) => {
  const { tag = 'h2' } = tokens[index] ?? {};
  const { content = '', children } = tokens[index - 1] ?? {};
  const label = escapeHtml(`Link to “${wordsOf(children)}”`);
  const link = `<a class="anchor" href="#${slugOf(content)}" aria-label="${label}">#</a></div>`;
  return `</${tag}>${tag === 'h1' ? '' : link}\n`;
};
// Links between files in the repository become links between pages of the site. Files beside `docs` have no page.
rules.link_open = (tokens, index, options, env, renderer) => {
  const token = tokens[index];
  const href = String(token?.attrGet('href') ?? '');
  if (token && !/^(#|\/|https?:|mailto:)/.test(href)) {
    const link = siteLink(href, String(env?.name));
    if (link) token.attrSet('href', link.replace(/\.md(#|$)/, '$1'));
    else token.attrs = null;
  }
  return renderer.renderToken(tokens, index, options);
};

// With its size, so that nothing moves when a drawing has loaded.
rules.image = (tokens, index, _options, env) => {
  const token = tokens[index];
  const drawings: readonly Drawing[] = Array.isArray(env?.drawings) ? env.drawings : [];
  const drawing = drawings.find(({ name }) => name === token?.attrGet('src'));
  const alt = escapeHtml(token?.content ?? '');
  if (!drawing) return alt;
  const { name, width, height } = drawing;
  return `<img src="/docs/${name}" alt="${alt}" width="${width}" height="${height}" loading="lazy">`;
};

/** The title of the column of a cell. */
function columnOf(tokens: readonly Token[], cell: number): string {
  const row = tokens.findLastIndex(({ type }, at) => at < cell && type === 'tr_open');
  const table = tokens.findLastIndex(({ type }, at) => at < cell && type === 'table_open');
  const before = tokens.slice(row, cell).filter(({ type }) => type === 'td_open').length;
  const titles = tokens.slice(table, row).filter((_, at) => tokens[table + at - 1]?.type === 'th_open');
  return wordsOf(titles[before]?.children);
}

/** The text of a heading without its marks. */
function wordsOf(
  children: readonly { readonly type: string; readonly content: string }[] | null | undefined,
): string {
  return (children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The headings of a guide below its title. */
export function headingsOf(text: string): Heading[] {
  const tokens = markdown.parse(text, {});
  return tokens.flatMap(({ type, tag }, index): Heading[] => {
    const inline = tokens[index + 1];
    if (type !== 'heading_open' || tag === 'h1' || !inline) return [];
    return [{ id: slugOf(inline.content), title: wordsOf(inline.children), level: Number(tag.slice(1)) }];
  });
}

/** A section of a guide; the part before the first heading has the title of the guide and no ID. */
interface GuideSection {
  readonly id: string | null;
  readonly title: string;
  readonly text: string;
}

/** The sections of a guide as plain text, for the search. */
export function sectionsOf(text: string): GuideSection[] {
  const tokens = markdown.parse(text, {});
  const starts = tokens.flatMap(({ type }, index) => (type === 'heading_open' ? [index] : []));
  return starts.map((start, at) => {
    const heading = tokens[start + 1];
    return {
      id: tokens[start]?.tag === 'h1' ? null : slugOf(heading?.content ?? ''),
      title: wordsOf(heading?.children),
      text: textOf(tokens.slice(start + 3, starts[at + 1])),
    };
  });
}

/** Text, without titles of columns. The cells of a row are parts of a sentence. */
function textOf(tokens: readonly Token[]): string {
  const parts = tokens.flatMap(({ type, children }, at) => {
    if (type === 'tr_close') return ['. '];
    const around = tokens[at - 1]?.type;
    if (type !== 'inline' || around === 'th_open') return [];
    if (around !== 'td_open') return [wordsOf(children), ' '];
    return [wordsOf(children), tokens[at + 2]?.type === 'td_open' ? ': ' : ''];
  });
  return parts
    .join('')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([.:]) ?\. /g, '$1 ')
    .replace(/^[. ]+/, '')
    .trim();
}

/** What the page of a guide shows. */
interface GuideProps {
  /** The name of its file in `docs`, which its links are relative to. */
  readonly name: string;
  readonly text: string;
  readonly drawings?: readonly Drawing[];
}

/** The page of a guide. */
export function Guide({ name, text, drawings = [] }: GuideProps): ReactNode {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: rendered from files in this repository, with HTML escaped.
  return <div dangerouslySetInnerHTML={{ __html: markdown.render(text, { name, drawings }) }} />;
}
