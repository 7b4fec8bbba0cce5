import MarkdownIt from 'markdown-it';
import type { ReactNode } from 'react';

/** Renders our own Markdown; HTML in it is escaped. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
const { rules } = markdown.renderer;

/** Scrollable blocks are landmarks, which need different names on a page. */
const numberOf = (tokens: readonly { type: string }[], index: number) =>
  tokens.slice(0, index + 1).filter(({ type }) => type === tokens[index]?.type).length;

// Scrollable blocks are reachable by keyboard, and samples can be copied.
rules.fence = (tokens, index) => {
  const { content = '' } = tokens[index] ?? {};
  const code = markdown.utils.escapeHtml(content.replace(/\n$/, ''));
  return `<section class="sample" aria-label="Sample ${numberOf(tokens, index)}"><pre data-copy tabindex="0"><code>${code}</code></pre></section>\n`;
};
rules.table_open = (tokens, index) =>
  `<section class="scroll" tabindex="0" aria-label="Table ${numberOf(tokens, index)}"><table>\n`;
rules.table_close = () => '</table></section>\n';
rules.heading_open = (tokens, index) => {
  const { tag = 'h2' } = tokens[index] ?? {};
  return `<${tag} id="${slugOf(tokens[index + 1]?.content ?? '')}">`;
};
// Links between files in the repository become links between pages of the site.
rules.link_open = (tokens, index, options, _, renderer) => {
  const href = String(tokens[index]?.attrGet('href') ?? '');
  const page = /^([a-z0-9-]+)\.md(#.*)?$/.exec(href);
  if (page) tokens[index]?.attrSet('href', `/docs/${page[1]}${page[2] ?? ''}`);
  return renderer.renderToken(tokens, index, options);
};

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The page of a guide. */
export function Guide({ text }: { text: string }): ReactNode {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: rendered from files in this repository, with HTML escaped.
  return <div dangerouslySetInnerHTML={{ __html: markdown.render(text) }} />;
}
