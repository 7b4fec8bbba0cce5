import { explainMethods, loadDocuments } from '@/app/_site/load';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { openFramework } from '@/lib/http/server/framework';
import { createListener, type Handler } from '@/lib/http/server/listener';
import { applyMigrations } from '@/lib/platform/database/migrate';
import { parseSettings } from '@/lib/platform/settings';
import { Lifetime } from './lifetime';
import type { HostRequest } from './messages';

/** How long after a kill an unhandled rejection may still come from the killed server. */
const afterlifeMs = 1_000;

let lifetime: Lifetime | undefined;
let killedAt = Number.NEGATIVE_INFINITY;
/** Shared by all servers of this process, and loaded outside of their lifetimes. */
const framework = openFramework({ HOST: '127.0.0.1', PORT: 0 });
const loadsFramework = new Lifetime();

const answerPage: Handler = async (req, res) => {
  await loadsFramework.run(() => framework.load());
  await framework.handle(req, res);
};

/** Starts a server as lib/http/server/serve.ts does, within a lifetime. */
export async function startApp({
  settings: env,
  timings,
}: Extract<HostRequest, { do: 'start' }>): Promise<void> {
  if (lifetime) throw new Error('there is a server already');
  const started = new Lifetime();
  lifetime = started;
  await started.run(async () => {
    const settings = parseSettings(env);
    const app = createApp({ settings, timings });
    setCurrentApp(app);
    await applyMigrations(settings.DATABASE_URL);
    await app.start({ doesJobs: settings.WORKER === 'in-process' });
    const server = createListener(app, { explainMethods, documents: loadDocuments, framework: answerPage });
    server.on('connection', (socket) => started.ownSocket(socket));
    started.own(server, 'close', () => server.close());
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(settings.PORT, settings.HOST, resolve);
    });
  });
}

export function killApp(): void {
  lifetime?.end();
  lifetime = undefined;
  forgetConnections();
  killedAt = performance.now();
}

// An unhandled rejection ends a server. The work that a killed server leaves behind may reject with nobody to handle it.
process.on('unhandledRejection', (reason) => {
  if (performance.now() - killedAt < afterlifeMs) return;
  console.error(reason);
  process.exit(1);
});

/** Leaves behind requests that wait for a connection of fetch, whose connection pool belongs to the whole process. */
function forgetConnections(): void {
  // Node keeps the dispatcher of its fetch under this symbol.
  const slot = Symbol.for('undici.globalDispatcher.1');
  const holder = globalThis as { [slot]?: { constructor: new () => object } };
  const dispatcher = holder[slot];
  if (dispatcher) Object.assign(holder, { [slot]: new dispatcher.constructor() });
}
