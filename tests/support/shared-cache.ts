import type CachePolicy from 'http-cache-semantics';
import { fullTierPackages } from './full-tier-packages';
import { type HttpReply, startHttpProxy } from './http-proxy';

/** A cache that many clients share, such as a company's or a CDN's. */
export interface SharedCache {
  readonly url: string;
  /** The paths of the responses that it has stored so far. */
  stored(): string[];
  /** How many requests it has answered without contacting the service. */
  answered(): number;
  close(): Promise<void>;
}

/** A proxy in front of a service that stores every answer that RFC 9111 allows a shared cache to store. */
export async function startSharedCache(serviceUrl: string): Promise<SharedCache> {
  const { default: Policy } = await fullTierPackages.cachePolicy();
  const entries = new Map<string, { policy: CachePolicy; reply: HttpReply }>();
  let answered = 0;
  const proxy = await startHttpProxy(serviceUrl, { host: new URL(serviceUrl).host });
  proxy.intercept((request) => async ({ forward, reply }) => {
    const key = `${request.method} ${request.target}`;
    const asked = { ...request, url: request.target };
    const known = entries.get(key);
    if (known?.policy.satisfiesWithoutRevalidation(asked)) {
      answered += 1;
      reply(known.reply);
      return;
    }
    const fresh = await forward();
    const policy = new Policy(asked, fresh, { shared: true });
    if (policy.storable()) entries.set(key, { policy, reply: fresh });
    reply(fresh);
  });
  return {
    url: proxy.url,
    stored: () => [...entries.keys()],
    answered: () => answered,
    close: () => proxy.close(),
  };
}
