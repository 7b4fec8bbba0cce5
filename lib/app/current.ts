import type { App } from '.';

/** Under a symbol of the process, because the framework's bundles each have modules of their own. */
const slot = Symbol.for('tuppence.app');
// Nothing else writes under this symbol.
const holder = globalThis as { [slot]?: App };

/**
 * The app of this process, for the route handlers and pages of the framework, which nobody hands anything. Filled by
 * server.ts, or by instrumentation.ts where the framework is started by somebody else.
 */
export function currentApp(): App {
  const app = holder[slot];
  if (!app) throw new Error('no app has been started in this process');
  return app;
}

/** Makes an app the one of this process. */
export function setCurrentApp(app: App): void {
  holder[slot] = app;
}

export function hasCurrentApp(): boolean {
  return holder[slot] !== undefined;
}
