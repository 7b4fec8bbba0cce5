// Runs the app of the folder that it was copied to. It serves no pages, and only the discovery documents.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { documents } from '@/lib/discovery/documents';
import type { FindDocument } from '@/lib/http/documents';
import { createListener } from '@/lib/http/server/listener';
import { configuredOffers } from '@/lib/payments/network-offers';
import { operatorDetails } from '@/lib/platform/public-operator';
import { parseSettings } from '@/lib/platform/settings';

const settings = parseSettings(process.env);
const site = {
  publicUrl: settings.PUBLIC_URL,
  offers: configuredOffers(settings),
  isTest: false,
  linkLimits: { downloads: null, bytes: null },
  operator: operatorDetails(settings),
  adapterDigests: { package: 'a'.repeat(64), program: 'b'.repeat(64), client: 'c'.repeat(64) },
  guides: [],
  source: { url: null, editUrl: null },
  isAvailable: () => true,
  flowOf: () => 'upfront' as const,
};

/** Made from the catalog without the pages, which need a build. */
const findDocument: FindDocument = async ({ path }) => {
  const document = documents[path];
  if (!document) return null;
  return {
    key: path,
    mediaType: document.mediaType,
    make: () => document.make(site),
    headers: {},
  };
};

async function explainMethods(): Promise<never> {
  throw new Error('no test opens a call in a browser here');
}

async function framework(_: IncomingMessage, res: ServerResponse): Promise<void> {
  res.writeHead(404).end();
}

const app = createApp({ settings });
setCurrentApp(app);
const running = await app.start({ doesJobs: false });
const server = createListener(app, { explainMethods, documents: async () => findDocument, framework });
server.listen(settings.PORT, settings.HOST, () => app.log.info('listening'));

process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await running.stop();
  process.exit(0);
});
