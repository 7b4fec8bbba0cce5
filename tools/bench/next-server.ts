// The custom server of every Next app that is compared: our listener (lib/http/server) with nothing in front of the framework, so
// that only the route handlers differ. `ours` also checks the networks that it offers.
import { createServer } from 'node:http';
import next from 'next';
import { newId } from '@/lib/platform/ids';

const [dir, which] = process.argv.slice(2);
const port = Number(process.env.PORT);

async function main(): Promise<void> {
  if (which === 'ours') {
    const { applyMigrations } = await import('@/lib/platform/database/migrate');
    const { createApp } = await import('@/lib/app');
    const { setCurrentApp } = await import('@/lib/app/current');
    const { checkNetworks } = await import('@/lib/payments/network-checks');
    const { parseSettings } = await import('@/lib/platform/settings');
    await applyMigrations(process.env.DATABASE_URL ?? '');
    const ours = createApp({ settings: parseSettings(process.env) });
    setCurrentApp(ours);
    // The app must know what it offers; the jobs that our server repeats are left out, because a baseline has none.
    await checkNetworks(ours);
  }
  const app = next({ dev: false, dir, hostname: '127.0.0.1', port });
  await app.prepare();
  const handle = app.getRequestHandler();
  const server = createServer({ maxHeaderSize: 32 * 1024, keepAliveTimeout: 65_000 }, (req, res) => {
    const requestId = newId('req');
    res.setHeader('Request-Id', requestId);
    req.headers['request-id'] = requestId;
    handle(req, res).catch(() => res.destroy());
  });
  server.listen(port, '127.0.0.1', () => process.send?.({ isReady: true }));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
