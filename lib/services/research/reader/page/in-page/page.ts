// What others call of the code that reads pages.
export { extractPage } from './extract';
export { toMarkdown } from './markdown';
