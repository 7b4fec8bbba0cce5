import type { App } from '.';

/** Stored under a global symbol, because each of Next's bundles has its own modules. */
const slot = Symbol.for('tuppence.app');
// Nothing else uses this symbol.
const holder = globalThis as { [slot]?: App };

/**
 * The app of this process, for Next's route handlers and pages, which get no arguments of ours. Set by server.ts, or by
 * instrumentation.ts on other hosts.
 */
export function currentApp(): App {
  const app = holder[slot];
  if (!app) throw new Error('no app has been started in this process');
  return app;
}

/** Sets the app of this process. */
export function setCurrentApp(app: App): void {
  holder[slot] = app;
}

export function hasCurrentApp(): boolean {
  return holder[slot] !== undefined;
}
