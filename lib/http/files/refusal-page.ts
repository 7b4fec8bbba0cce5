import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ApiError } from '@/lib/catalog/errors/api-error';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import { testNotice } from '@/lib/catalog/test-service';
import type { Settings } from '@/lib/platform/settings';
import type { Assets } from '../page-assets';

/** The page for a person who has opened a link without a file. It needs no other request, and has nothing that strangers wrote. */

const words: Readonly<Partial<Record<ErrorCode, readonly [title: string, next: string]>>> = {
  link_not_ready: [
    'This file is not here yet',
    'It has not been uploaded. Ask the sender, or try again later.',
  ],
  link_not_found: [
    'There is no file at this link',
    'Check that the link is complete, or ask the sender for a new one.',
  ],
  link_taken_down: ['This file was removed', 'The operator of this service took it down.'],
  download_limit: ['This file has reached its limit for today', 'Try again after midnight UTC.'],
};

/** Says nothing of charges, unlike the messages for programs: its reader has only opened a link. */
function wordsFor({ code, message, status }: ApiError): readonly [title: string, next: string] {
  if (code === 'link_gone')
    return ['This file is no longer available', `${message} Ask the sender for a new link.`];
  if (status >= 500) return ['This file cannot be shown right now', 'Try again in a few minutes.'];
  return words[code] ?? ['This file cannot be shown', message];
}

/** The typeface of the other pages, in the page itself: this origin loads nothing. Without a build, the system's font stands in. */
function typeface(): string {
  const folder = path.join(process.cwd(), 'public/f/assets');
  try {
    const { font } = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Assets;
    const data = readFileSync(path.join(folder, font)).toString('base64');
    return `@font-face { font-family: Figtree; font-weight: 300 900; src: url("data:font/woff2;base64,${data}") format("woff2") }`;
  } catch {
    return '';
  }
}

/** The colors and widths of the other pages, whose style this origin cannot load. */
const colorsAndWidths = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1d22; --quiet: #565c67; --line: #dcdcd8; --accent: #8a4b1f }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15171b; --ink: #f0f1f4; --quiet: #b2b8c3; --line: #363b44; --accent: #e9a878 }
}
html { font-size: 112.5% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 Figtree, system-ui, sans-serif; overflow-wrap: break-word }
header { border-bottom: 1px solid var(--line) }
header p, main, footer { max-width: 36rem; margin: 0 auto; padding: .75rem clamp(1rem, 4vw, 2rem) }
header p { display: flex; gap: .75rem; align-items: center; font-weight: 700 }
main { padding-block: 2rem 3rem }
code { font-size: .9em }
h1 { margin: 0 0 .5rem; font-size: clamp(1.75rem, 1.25rem + 2.25vw, 2.5rem); line-height: 1.2; text-wrap: balance }
p { margin: 0 0 1.5rem }
small, footer { color: var(--quiet); font-size: .875rem }
a { color: var(--accent); text-underline-offset: .15em }
:focus-visible { outline: 3px solid; outline-offset: 2px }
`;

let made: { readonly text: string; readonly hash: string } | undefined;

function style(): { readonly text: string; readonly hash: string } {
  if (made) return made;
  const text = `${typeface()}${colorsAndWidths}`;
  made = { text, hash: createHash('sha256').update(text).digest('base64') };
  return made;
}

/** Allows this style in the page, and nothing else. */
export function refusalPagePolicy(): string {
  return `sandbox; default-src 'none'; style-src 'sha256-${style().hash}'; font-src data:`;
}

/** As in `app/_page/brand.tsx`. */
const coin =
  '<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><circle cx="16" cy="16" r="15" fill="#8a4b1f"/><circle cx="16" cy="16" r="12" fill="none" stroke="#f6d9b8" stroke-width="1.5" stroke-dasharray="1.5 1.5"/><path fill="#f6d9b8" d="M11.2 13c.3-2.7 2.3-4.5 5-4.5 2.9 0 5 1.8 5 4.3 0 1.8-.9 3-3.4 5l-2.9 2.4h6.5v3H10.8v-2.5l5-4.3c1.8-1.5 2.3-2.2 2.3-3.3 0-1.1-.8-1.8-2-1.8-1.3 0-2.1.8-2.3 2.1z"/></svg>';

/** Tells a person who has opened a link why there is no file, and what to do. */
export function refusalPage(
  error: ApiError,
  requestId: string,
  { PUBLIC_URL, NETWORKS }: Pick<Settings, 'PUBLIC_URL' | 'NETWORKS'>,
): string {
  const [title, next] = wordsFor(error);
  const link = (path: string, text: string) => `<a href="${escaped(PUBLIC_URL + path)}">${text}</a>`;
  const notice = NETWORKS === 'test' ? `<p>${escaped(testNotice)}</p>` : '';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} · Tuppence</title><style>${style().text}</style></head>
<body><header><p>${coin} <span translate="no">Tuppence</span></p></header>
<main><h1>${title}</h1><p>${escaped(next)}</p>${notice}<p><small>Request ID: <code>${escaped(requestId)}</code></small></p></main>
<footer>${link('/terms', 'Terms')} · ${link('/privacy', 'Privacy')} · ${link('/contact', 'Contact')} · ${link('/abuse', 'Report abuse')}</footer></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
