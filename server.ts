import next from 'next';
import { routes } from '@/app/_routes/table.generated';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { applyMigrations } from '@/lib/db/migrate';
import { parseSettings } from '@/lib/platform/settings';
import { createListener } from '@/lib/server/listener';

/** How long a stopping server waits for requests under way; what is cut off is taken up by recovery. */
const drainMs = 10_000;

async function main(): Promise<void> {
  const settings = parseSettings(process.env);
  const { DATABASE_URL, HOST, PORT, WORKER } = settings;
  const app = createApp({ settings, isBehindOurListener: true });
  // The framework's own code finds it there: pages, documents and instrumentation.ts, which then starts no other.
  setCurrentApp(app);
  const applied = await applyMigrations(DATABASE_URL);
  if (applied.length > 0) app.log.info({ applied }, 'migrations applied');

  const framework = next({ dev: false, hostname: HOST, port: PORT });
  const [running] = await Promise.all([
    app.start({ doesJobs: WORKER === 'in-process' }),
    framework.prepare(),
  ]);
  const handle = framework.getRequestHandler();
  const server = createListener(app, { routes, framework: (req, res) => handle(req, res) });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(PORT, HOST, resolve);
  });
  app.log.info({ host: HOST, port: PORT }, 'listening');

  const stop = async () => {
    const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
    await running.letGo();
    // Node keeps a connection alive after its answer even when the server no longer listens.
    setInterval(() => server.closeIdleConnections(), 100);
    const tooLate = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), drainMs));
    if (!(await Promise.race([closed, tooLate]))) app.log.warn('stopped with requests under way');
    await running.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
