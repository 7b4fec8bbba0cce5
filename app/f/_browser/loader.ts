import { momentWords } from '@/app/_page/moment';

/**
 * What every page of a form does in a browser: it shows times in the reader's time zone, and prints. It loads the form's own
 * script when someone starts to fill it in, so that reading the page loads no more. People who are faster than that script
 * post without it.
 */
for (const time of document.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
  const language = time.closest<HTMLElement>('[lang]')?.lang;
  time.textContent = momentWords(new Date(time.dateTime), language);
}

document.querySelector('.print')?.addEventListener('click', () => print());

const events = ['focusin', 'pointerdown', 'keydown'] as const;

function load(): void {
  for (const event of events) document.removeEventListener(event, load);
  void import('./main');
}

if (document.forms.length > 0) {
  for (const event of events) document.addEventListener(event, load, { passive: true });
}
