/**
 * Loads the script of the form when somebody begins to fill it in: reading costs nothing, and whoever is faster than the
 * script posts without it.
 */
const events = ['focusin', 'pointerdown', 'keydown'] as const;

function load(): void {
  for (const event of events) document.removeEventListener(event, load);
  void import('./main');
}

for (const event of events) document.addEventListener(event, load, { passive: true });
