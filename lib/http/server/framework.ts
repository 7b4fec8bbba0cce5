import { createServer } from 'node:http';
import type { Settings } from '@/lib/platform/settings';
import type { Handler } from './listener';

/** Next, which answers pages and documents. */
interface Framework {
  /** Loads Next, unless that has begun already. */
  load(): Promise<unknown>;
  /** Answers a request; loads Next first if need be. */
  readonly handle: Handler;
}

/** Loads nothing yet: Next takes as long to load as the rest of a start. */
export function openFramework({ HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>): Framework {
  let loaded: Promise<Handler> | undefined;
  const load = () => {
    loaded ??= prepare(HOST, PORT);
    return loaded;
  };
  return { load, handle: async (req, res) => (await load())(req, res) };
}

async function prepare(hostname: string, port: number): Promise<Handler> {
  const { default: next } = await import('next');
  // Next listens for WebSocket upgrades, and leaves some of their sockets open for good. It gets a server that has
  // none: without such a listener, Node answers a request for an upgrade like any other (RFC 9110, 7.8).
  const framework = next({ dev: false, hostname, port, httpServer: createServer() });
  await framework.prepare();
  const handle = framework.getRequestHandler();
  return (req, res) => handle(req, res);
}
