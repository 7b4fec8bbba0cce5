/** Remembers in which language a reader wants samples. Choosing one works without it. */

const key = 'language of samples';
const choices = [...document.querySelectorAll<HTMLInputElement>('.languages input[name="language"]')];

/** Browsers may forbid storage; then nothing is remembered. */
function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(language: string): void {
  try {
    localStorage.setItem(key, language);
  } catch {
    // The choice holds for this page.
  }
}

const before = choices.find(({ value }) => value === stored());
if (before) before.checked = true;
for (const choice of choices) choice.addEventListener('change', () => store(choice.value));
