import './copy';
import './orientation';
import './search';
import { storedPayment } from '@/app/_wallets/stored-payment';
import { pageOf, tryIds } from '../reference/try/state';

/** Loads the script of "Try it" when it is opened, so that reading a page does not. */

const details = document.querySelector<HTMLDetailsElement>(`details#${tryIds.details}`);

function openAtLink(): void {
  if (details && location.hash === `#${tryIds.details}`) details.open = true;
}

if (details) {
  details.addEventListener('toggle', () => void import('./try/main'), { once: true });
  window.addEventListener('hashchange', openAtLink);
  openAtLink();
  // A payment that was signed before a reload is followed to its end.
  if (storedPayment(pageOf(details.dataset.operation ?? '')).read() !== null) details.open = true;
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
