import type { ProviderName } from '@/lib/catalog/providers';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';

/** A configured provider: its URL and headers. */
export interface Provider {
  readonly name: ProviderName;
  readonly baseUrl: string;
  /** Authentication headers. Secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the key is a test key, so that responses are fictional. */
  readonly isSandbox: boolean;
}

/** Providers that are called over the network. */
export type RemoteName = Exclude<ProviderName, 'reader'>;

const isSandboxKey = (key: string) => /^(sandbox_|duffel_test_)/.test(key);

/** Makes a provider from the settings; null when it is not configured. */
const configured: Readonly<Record<RemoteName, (env: Settings) => Omit<Provider, 'name'> | null>> = {
  exa: ({ EXA_API_KEY: key, EXA_BASE_URL: baseUrl }) =>
    key ? { baseUrl, headers: { 'x-api-key': key }, isSandbox: isSandboxKey(key) } : null,
  firecrawl: ({ FIRECRAWL_API_KEY: key, FIRECRAWL_BASE_URL: baseUrl }) =>
    key ? { baseUrl, headers: { Authorization: `Bearer ${key}` }, isSandbox: isSandboxKey(key) } : null,
  serper: ({ SERPER_API_KEY: key, SERPER_BASE_URL: baseUrl }) =>
    key ? { baseUrl, headers: { 'X-API-KEY': key }, isSandbox: isSandboxKey(key) } : null,
  searxng: ({ SEARXNG_URL: baseUrl }) => (baseUrl ? { baseUrl, headers: {}, isSandbox: false } : null),
  duffel: ({ DUFFEL_API_KEY: key, DUFFEL_BASE_URL: baseUrl }) =>
    key
      ? {
          baseUrl,
          headers: { Authorization: `Bearer ${key}`, 'Duffel-Version': 'v2' },
          isSandbox: isSandboxKey(key),
        }
      : null,
};

/** The provider of this name; null when it is not configured. */
export function findProvider(app: Pick<Platform, 'settings'>, name: RemoteName): Provider | null {
  const provider = configured[name](app.settings);
  return provider && { name, ...provider };
}

/** The providers that have their settings. */
export function configuredProviders(app: Pick<Platform, 'settings'>): ProviderName[] {
  const remote = Object.keys(configured) as RemoteName[];
  return [
    ...remote.filter((name) => findProvider(app, name) !== null),
    ...(hasReader(app) ? (['reader'] as const) : []),
  ];
}

/** Our own reader only needs Chromium: the operator's, or the packaged one for Linux on x64. */
export function hasReader(app: Pick<Platform, 'settings'>): boolean {
  return app.settings.CHROMIUM_PATH !== undefined || (process.platform === 'linux' && process.arch === 'x64');
}
