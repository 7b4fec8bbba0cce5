/**
 * Loads the form's script when someone starts to fill it in, so that reading the page loads no script. People who are
 * faster than the script post without it.
 */
const events = ['focusin', 'pointerdown', 'keydown'] as const;

function load(): void {
  for (const event of events) document.removeEventListener(event, load);
  void import('./main');
}

for (const event of events) document.addEventListener(event, load, { passive: true });
