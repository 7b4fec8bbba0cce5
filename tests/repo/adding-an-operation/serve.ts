// Runs the app of the folder that it was copied to. The framework's part is reduced to the discovery documents.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { routes } from '@/app/_routes/table.generated';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { documents } from '@/lib/discovery/documents';
import { configuredOffers } from '@/lib/payments/networks';
import { parseSettings } from '@/lib/platform/settings';
import { createListener } from '@/lib/server/listener';

const settings = parseSettings(process.env);
const site = {
  publicUrl: settings.PUBLIC_URL,
  offers: configuredOffers(settings),
  guides: [],
  isAvailable: () => true,
};

async function framework(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const document = documents[req.url ?? ''];
  if (document) res.end(JSON.stringify(document.make(site)));
  else res.writeHead(404).end();
}

const app = createApp({ settings, isBehindOurListener: true });
setCurrentApp(app);
const running = await app.start({ doesJobs: false });
const server = createListener(app, { routes, framework });
server.listen(settings.PORT, settings.HOST, () => app.log.info('listening'));

process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await running.stop();
  process.exit(0);
});
