import next from 'next';
import { applyMigrations } from '@/lib/db/migrate';
import { env } from '@/lib/env';
import { log } from '@/lib/log';
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
    server.close();
    await runtime.letGo();
    // Node keeps a connection alive after its answer even when the server no longer listens.
    setInterval(() => server.closeIdleConnections(), 100);
    await Promise.race([
      new Promise((resolve) => server.once('close', resolve)),
      new Promise((resolve) => setTimeout(resolve, drainMs)),
    ]);
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
