/** A dialog that searches the documentation, opened with `/` or Ctrl+K. It sends queries to the URL of the search form. */

interface Found {
  readonly path: string;
  readonly title: string;
  readonly place: string;
  readonly text: string;
}

const waitMs = 120;

const dialog = document.createElement('dialog');
const input = document.createElement('input');
const announcement = document.createElement('p');
const list = document.createElement('ul');

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
  close.className = 'secondary';
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
  if (query === '') return show([], 'Type to search.');
  pending = new AbortController();
  const { signal } = pending;
  try {
    const address = `/docs/search?q=${encodeURIComponent(query)}`;
    const answer = await fetch(address, { headers: { Accept: 'application/json' }, signal });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { results } = (await answer.json()) as { results: readonly Found[] };
    const count = results.length === 1 ? '1 result' : `${results.length} results`;
    if (!signal.aborted)
      show(
        results,
        results.length === 0 ? 'Nothing was found.' : `${count}. The arrow keys move through them.`,
      );
  } catch {
    if (!signal.aborted) show([], 'The search did not answer. Press Enter to open it as a page.');
  }
}

function show(results: readonly Found[], words: string): void {
  announcement.textContent = words;
  list.replaceChildren(...results.map(entry));
}

function entry({ path, title, place, text }: Found): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  // Only paths of this site, whatever the answer says.
  link.href = new URL(path, location.origin).pathname + new URL(path, location.origin).hash;
  const [name, where, start] = ['strong', 'span', 'small'].map((tag) => document.createElement(tag));
  name?.append(title);
  where?.append(place);
  start?.append(text);
  for (const part of [name, where, start]) if (part) link.append(part, ' ');
  link.addEventListener('click', () => dialog.close());
  item.append(link);
  return item;
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

function open(event: KeyboardEvent): void {
  const isSlash = event.key === '/' && !isTyping(event.target) && !event.ctrlKey && !event.metaKey;
  const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
  if ((!isSlash && !isK) || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  if (!dialog.isConnected) build();
  dialog.showModal();
  input.select();
  void search();
}

document.addEventListener('keydown', open);
dialog.addEventListener('keydown', move);
input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => void search(), waitMs);
});
for (const field of document.querySelectorAll<HTMLInputElement>('.docs-sidebar input[type="search"]')) {
  field.placeholder = 'Search (/)';
  field.setAttribute('aria-keyshortcuts', '/ Control+K');
}
