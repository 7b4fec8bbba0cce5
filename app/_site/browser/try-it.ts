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
