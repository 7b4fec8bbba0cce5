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
