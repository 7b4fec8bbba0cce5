/**
 * The code of this folder runs inside the browser, in an isolated world: it sees the page's document, but the page's scripts
 * cannot see it. scripts/build-in-page.mjs makes one script of it.
 */

export { extractPage } from './extract';
export { toMarkdown } from './markdown';
export { scrollThrough } from './scroll';
