import './copy';
import './filter-rows';
import './orientation';
import './search';
import './start-simulator';
import { storedPayment } from '@/app/_wallets/stored-payment';
import { pageOf, tryIds } from '../reference/try/state';

/** Opens "Try it" by its link, and loads its script only then, so that reading a page does not. */

const panel = document.querySelector<HTMLDialogElement>(`dialog#${tryIds.panel}`);

function open(panel: HTMLDialogElement): void {
  void import('./try/main');
  if (!panel.open) panel.showModal();
  panel.querySelector('h2')?.focus();
}

if (panel) {
  const openAtLink = () => {
    if (location.hash === `#${tryIds.panel}`) open(panel);
  };
  window.addEventListener('hashchange', openAtLink);
  // Closing returns to the link, which a jump to the fragment would scroll away.
  for (const link of document.querySelectorAll(`a[href="#${tryIds.panel}"]`))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      open(panel);
    });
  document.getElementById(tryIds.close)?.addEventListener('click', () => panel.close());
  // So that the same address opens it again.
  panel.addEventListener('close', () => history.replaceState(null, '', location.pathname + location.search));
  openAtLink();
  // A payment that was signed before a reload is followed to its end.
  if (storedPayment(pageOf(panel.dataset.operation ?? '')).read() !== null) open(panel);
}

/** Remembers in which language a reader wants samples, on the front page and in the reference. The choice itself needs no script. */

const key = 'language of samples';
const choices = document.querySelectorAll<HTMLInputElement>('.choices input[name="language"]');

const before = remembered(key);
for (const choice of choices) {
  if (choice.value === before) choice.checked = true;
  choice.addEventListener('change', () => remember(key, choice.value));
}

/** The browser's storage. Where it is forbidden, nothing is remembered. */

function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice still holds for this page.
  }
}
