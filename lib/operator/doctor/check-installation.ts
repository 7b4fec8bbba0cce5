import { operations } from '@/lib/catalog';
import { scrape } from '@/lib/catalog/crawl';
import type { ProviderName } from '@/lib/catalog/providers';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import type { WithStore } from '@/lib/platform/storage';
import { findFault } from '@/lib/platform/storage/health';
import { chosenProvider, isAvailable } from '@/lib/platform/upstream/availability';
import { findProvider, type RemoteName } from '@/lib/platform/upstream/providers';
import type { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { type Finding, failed, ok, skipped, warning } from './finding';

interface InstallationDeps extends Pick<WithStore, 'store'>, Pick<Platform, 'settings'> {
  readonly reading: ReadingPool;
}

const answerMs = 5_000;

/** Writes, reads and removes a small object. */
export async function checkStore({ settings, store }: InstallationDeps): Promise<Finding> {
  const about = `STORAGE=${settings.STORAGE}`;
  const fault = await findFault(store);
  if (!fault) return ok(about, 'files can be written, read and removed');
  const advice: Record<Settings['STORAGE'], string> = {
    disk: 'Give the user of the server the permission to write in STORAGE_DIR, and free some space.',
    s3: 'Check the S3 settings, and that the key may read, write, delete and list in the bucket.',
    'vercel-blob': 'Check BLOB_READ_WRITE_TOKEN.',
  };
  return failed(about, `it cannot ${fault.step}: ${fault.error.message}`, advice[settings.STORAGE]);
}

/** Starts a browser and prints a page. */
export async function checkRenderer({ printing }: { readonly printing: PrintingPool }): Promise<Finding> {
  if ((await printing.readiness()) === 'ready') return ok('renderer', 'a PDF was printed');
  return failed(
    'renderer',
    'Chromium does not start; PDF rendering is off',
    'Install Chromium and set CHROMIUM_PATH. The log of the server names the reason.',
  );
}

/** Starts a browser as for reading a page, if this server reads pages itself. */
export async function checkReader(app: InstallationDeps): Promise<Finding[]> {
  if (chosenProvider(app, scrape.providers ?? []) !== 'reader') return [];
  if ((await app.reading.readiness()) !== 'ready')
    return [
      failed(
        'reader',
        "no browser starts with Chromium's sandbox, so pages are not read",
        'Let the server create namespaces and, as root, everyone read its folder (docs/operating-services.md#html-to-pdf), or set FIRECRAWL_API_KEY.',
      ),
    ];
  if (await app.reading.hasSandbox()) return [ok('reader', 'a browser started in its sandbox')];
  return [
    warning(
      'reader',
      "pages are read without Chromium's sandbox, so one that exploits Chromium can read the server's keys",
      'Let the server create namespaces (docs/deploying.md), and remove READER_WITHOUT_SANDBOX.',
    ),
  ];
}

const settingOf: Readonly<Record<RemoteName, keyof Settings>> = {
  exa: 'EXA_API_KEY',
  firecrawl: 'FIRECRAWL_API_KEY',
  serper: 'SERPER_API_KEY',
  searxng: 'SEARXNG_URL',
  duffel: 'DUFFEL_API_KEY',
};

/** Says which providers are configured and can be reached. Their keys are not tried, because that costs money. */
export async function checkProviders(app: Pick<Platform, 'settings'>): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(settingOf).map(([name, setting]) => checkProvider(app, name as RemoteName, setting)),
  );
  return [...found.flat(), ...unavailableOperations(app)];
}

async function checkProvider(
  app: Pick<Platform, 'settings'>,
  name: RemoteName,
  setting: keyof Settings,
): Promise<Finding[]> {
  const provider = findProvider(app, name);
  if (!provider) return [];
  if (provider.isSandbox)
    return [
      warning(setting, 'the key is for tests, so responses are made up', `Set ${setting} to a live key.`),
    ];
  try {
    await fetch(provider.baseUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMs),
    });
    return [ok(setting, `${name} can be reached; the key was not tried`)];
  } catch (error) {
    const message = `${name} cannot be reached: ${describeError(error).message}`;
    return [failed(setting, message, `Let this machine connect to ${new URL(provider.baseUrl).host}.`)];
  }
}

/** Operations whose providers are all missing. */
function unavailableOperations(app: Pick<Platform, 'settings'>): Finding[] {
  const isRemote = (name: ProviderName): name is RemoteName => name !== 'reader';
  return operations
    .filter((operation) => !isAvailable(app, operation))
    .map(({ id, providers = [] }) => {
      if (app.settings.OPERATIONS_OFF?.includes(id)) return skipped(id, 'not offered, by OPERATIONS_OFF');
      const names = providers.filter(isRemote).map((name) => settingOf[name]);
      return skipped(id, `not offered, because none of these is set: ${names.join(', ')}`);
    });
}
