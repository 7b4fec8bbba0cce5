import { type HttpProxy, startHttpProxy } from '../../support/http-proxy';
import { stack } from '../../support/stack';
import { remoteServices } from '../../support/stores';

/** A service that a server uses besides chains and database. */
export type ServiceName = 'provider' | 'store';

/** The run's provider and a store of its own, behind proxies, and the settings that make a server use them. */
export interface Services {
  readonly proxies: ReadonlyMap<ServiceName, HttpProxy>;
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startServices(names: readonly ServiceName[]): Promise<Services> {
  const started = await Promise.all(names.map(async (name) => ({ name, ...(await starts[name]()) })));
  return {
    proxies: new Map(started.map(({ name, proxy }) => [name, proxy])),
    settings: Object.assign({}, ...started.map(({ settings }) => settings)),
    async close() {
      for (const { close } of started) await close();
    },
  };
}

interface Started {
  readonly proxy: HttpProxy;
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const starts: Readonly<Record<ServiceName, () => Promise<Started>>> = {
  async provider() {
    const addresses = Object.entries(stack().serverEnv).filter(([name]) => name.endsWith('_BASE_URL'));
    const [[, first] = []] = addresses;
    const proxy = await startHttpProxy(new URL(first ?? '').origin);
    return {
      proxy,
      settings: Object.fromEntries(
        addresses.map(([name, url]) => [name, `${proxy.url}${new URL(url).pathname}`]),
      ),
      close: () => proxy.close(),
    };
  },
  async store() {
    const service = await remoteServices['s3, checking']();
    const proxy = await startHttpProxy(service.serverEnv.S3_ENDPOINT ?? '');
    return {
      proxy,
      settings: { ...service.serverEnv, S3_ENDPOINT: proxy.url },
      async close() {
        await proxy.close();
        await service.stop();
      },
    };
  },
};
