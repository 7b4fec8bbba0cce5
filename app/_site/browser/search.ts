import { markWords } from '../docs/marks';
import type { Found } from '../docs/search-index';
import { countWords, groupsOf } from '../docs/search-words';

/** A dialog that searches the site, opened with `/`, Ctrl+K or the field in the header. It sends queries to the URL of that form. */

/** What most people look for, shown before they type. */
const usual = [
  ['/docs/getting-started', 'Getting started'],
  ['/docs/payments', 'How payment works'],
  ['/docs/reference', 'All calls'],
  ['/docs/errors', 'Errors'],
  ['/docs/lost-answers', 'Lost responses'],
] as const;

const waitMs = 120;

const dialog = document.createElement('dialog');
const input = document.createElement('input');
const announcement = document.createElement('p');
const list = document.createElement('div');

function build(): void {
  dialog.className = 'search-dialog';
  dialog.setAttribute('aria-label', 'Search the documentation');
  const form = document.createElement('form');
  form.action = '/docs/search';
  input.type = 'search';
  input.name = 'q';
  input.maxLength = 200;
  input.autocomplete = 'off';
  input.placeholder = 'Search guides, calls and errors';
  input.setAttribute('aria-label', 'Search the documentation');
  announcement.setAttribute('role', 'status');
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'tertiary';
  close.textContent = 'Close';
  close.addEventListener('click', () => dialog.close());
  form.append(input, close);
  dialog.append(form, announcement, list);
  document.body.append(dialog);
}

let pending: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

async function search(): Promise<void> {
  pending?.abort();
  const query = input.value.trim();
  if (query === '') return showUsual();
  pending = new AbortController();
  const { signal } = pending;
  try {
    const address = `/docs/search?q=${encodeURIComponent(query)}`;
    const answer = await fetch(address, { headers: { Accept: 'application/json' }, signal });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { results, total } = (await answer.json()) as { results: readonly Found[]; total: number };
    if (signal.aborted) return;
    const sections = groupsOf(results).map(({ title, found }) => section(title, found.map(entry)));
    show(sections, countWords(query, results.length, total));
  } catch {
    if (!signal.aborted) show([], 'The search did not answer. Press Enter to open it as a page.');
  }
}

function showUsual(): void {
  const links = usual.map(([path, title]) => linkTo(path, [title]));
  show([section('Often read', links)], '');
}

function show(sections: readonly HTMLElement[], words: string): void {
  announcement.textContent = words;
  list.replaceChildren(...sections);
}

function section(title: string, links: readonly HTMLElement[]): HTMLElement {
  const made = document.createElement('section');
  const heading = document.createElement('h2');
  heading.append(title);
  const items = document.createElement('ul');
  for (const link of links) items.appendChild(document.createElement('li')).append(link);
  made.append(heading, items);
  return made;
}

function entry({ path, title, place, text, words }: Found): HTMLAnchorElement {
  const [name, where, part] = ['strong', 'span', 'small'].map((tag) => document.createElement(tag));
  name?.append(title);
  where?.append(place);
  part?.append(...marked(text, words));
  return linkTo(
    path,
    [name, ' ', where, ' ', part].filter((one) => one !== undefined),
  );
}

function linkTo(path: string, content: readonly (Node | string)[]): HTMLAnchorElement {
  const link = document.createElement('a');
  // Only paths of this site, whatever the answer says.
  link.href = new URL(path, location.origin).pathname + new URL(path, location.origin).hash;
  link.append(...content);
  link.addEventListener('click', () => dialog.close());
  return link;
}

function marked(text: string, words: readonly string[]): (Node | string)[] {
  return markWords(text, words).map((piece) => {
    if (!piece.isMatch) return piece.text;
    const mark = document.createElement('mark');
    mark.append(piece.text);
    return mark;
  });
}

/** Arrow keys move between the field and the results. */
function move(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops: HTMLElement[] = [input, ...list.querySelectorAll('a')];
  const at = stops.findIndex((one) => one.matches(':focus'));
  const next = stops[at + step];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}

/** The field of a dialog that was just closed keeps the focus until the page is drawn again, so it does not count. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  !dialog.contains(target) &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function open(): void {
  if (!dialog.isConnected) build();
  dialog.showModal();
  input.select();
  void search();
}

function openByKey(event: KeyboardEvent): void {
  const isSlash = event.key === '/' && !isTyping(event.target) && !event.ctrlKey && !event.metaKey;
  const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
  if ((!isSlash && !isK) || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  open();
}

document.addEventListener('keydown', openByKey);
dialog.addEventListener('keydown', move);
input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => void search(), waitMs);
});
const field = document.querySelector<HTMLInputElement>('.site-header input[type="search"]');
if (field) {
  // Keys are no help where there is no keyboard.
  field.placeholder = matchMedia('(hover: hover)').matches ? 'Search  /' : 'Search';
  field.setAttribute('aria-keyshortcuts', '/ Control+K');
  field.addEventListener('click', open);
  field.addEventListener('keydown', (event) => {
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) open();
  });
}
