import next from 'next';
import { applyMigrations } from '@/lib/db/migrate';
import { log } from '@/lib/platform/log';
import { env } from '@/lib/platform/settings';
import { createListener } from '@/lib/server/listener';
import { startRuntime } from '@/lib/server/start';

/** How long a stopping server waits for requests under way; what is cut off is taken up by recovery. */
const drainMs = 10_000;

async function main(): Promise<void> {
  const { DATABASE_URL, HOST, PORT, WORKER } = env();
  const applied = await applyMigrations(DATABASE_URL);
  if (applied.length > 0) log().info({ applied }, 'migrations applied');

  const app = next({ dev: false, hostname: HOST, port: PORT });
  const [runtime] = await Promise.all([startRuntime({ doesJobs: WORKER === 'in-process' }), app.prepare()]);
  const handle = app.getRequestHandler();
  const server = createListener((req, res) => handle(req, res));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(PORT, HOST, resolve);
  });
  log().info({ host: HOST, port: PORT }, 'listening');

  const stop = async () => {
    const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
    await runtime.letGo();
    // Node keeps a connection alive after its answer even when the server no longer listens.
    setInterval(() => server.closeIdleConnections(), 100);
    const tooLate = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), drainMs));
    if (!(await Promise.race([closed, tooLate]))) log().warn('stopped with requests under way');
    await runtime.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
