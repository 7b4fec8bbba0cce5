import MarkdownIt from 'markdown-it';
import type { ReactNode } from 'react';

/** Our own Markdown: HTML in it is shown, not taken. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
const { rules } = markdown.renderer;

/** What scrolls is a landmark, and landmarks of one page have different names. */
const numberOf = (tokens: readonly { type: string }[], index: number) =>
  tokens.slice(0, index + 1).filter(({ type }) => type === tokens[index]?.type).length;

// What scrolls is reachable by keyboard, and samples can be copied.
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
// Between the pages of the repository as between those of the site.
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

/** A guide, written by us in Markdown. */
export function Guide({ text }: { text: string }): ReactNode {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: rendered from files of this repository, without their HTML.
  return <div dangerouslySetInnerHTML={{ __html: markdown.render(text) }} />;
}
