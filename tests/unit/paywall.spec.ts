import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { createPaywall, evm, memoryStore } from '@/packages/paywall';
import type { OpenableStore, OpenedStore } from '@/packages/paywall/store';
import { expect, test } from '../support/without-browser';

const network = {
  network: 'base',
  rpcUrls: ['http://127.0.0.1:1'],
  payTo: privateKeyToAccount(generatePrivateKey()).address,
  settlementKeys: [generatePrivateKey()],
} as const;
const options = {
  name: 'Shop',
  publicUrl: 'https://api.example.com',
  secrets: [Buffer.alloc(32, 1).toString('base64')],
  networks: [evm(network)],
} as const;
const sale = {
  id: 'double',
  path: '/double',
  price: '0.01',
  title: 'Double',
  summary: 'Double a number.',
  input: z.strictObject({ n: z.number() }),
  output: z.strictObject({ n: z.number() }),
  example: { input: { n: 1 }, output: { n: 2 } },
  run: async ({ n }: { n: number }) => ({ n: n * 2 }),
};
const log = pino({ level: 'silent' });
const open = (more: object = {}) => createPaywall({ ...options, store: memoryStore(), log, ...more });

test('a paywall refuses malformed options by name', () => {
  expect(() => open({ publicUrl: 'https://api.example.com/shop' })).toThrow('publicUrl');
  expect(() => open({ secrets: ['short'] })).toThrow('secrets');
  expect(() => open({ networks: [] })).toThrow('networks');
  expect(() => open({ networks: [{ name: 'base', isTest: false }] })).toThrow('evm()');
  expect(() => open({ networks: [evm(network), evm({ ...network, network: 'base-sepolia' })] })).toThrow(
    'cannot be mixed',
  );
  expect(() => evm({ ...network, payTo: 'nobody' })).toThrow('payTo');
  expect(() => open({ networks: [evm(network), evm(network)] })).toThrow('networks has base twice');
  expect(() => open({ publicUrl: 'ftp://api.example.com' })).toThrow('publicUrl');
});

test('a paywall refuses what it cannot sell when it is declared', () => {
  const paywall = open();
  expect(() => paywall.sell({ ...sale, price: 'free' })).toThrow('price');
  expect(() => paywall.sell({ ...sale, path: '/double/{m}' })).toThrow('no m');
  expect(() => paywall.sell({ ...sale, method: 'GET' })).toThrow('no body');
  expect(() => paywall.sell({ ...sale, example: { input: { n: 1 }, output: { n: Number.NaN } } })).toThrow(
    'example.output',
  );
  const dated = { input: z.object({ at: z.date() }), run: async () => ({ n: 0 }) };
  const example = { input: { at: new Date(0) }, output: { n: 0 } };
  expect(() => paywall.sell({ ...sale, ...dated, example })).toThrow('its input has no JSON Schema');
  expect(() => paywall.sell({ ...sale, price: '0.00' })).toThrow('more than zero');
  paywall.sell(sale);
  expect(() => paywall.sell({ ...sale, path: '/other' })).toThrow('double is sold already');
  expect(() => paywall.sell({ ...sale, id: 'other' })).toThrow('/double is sold already');
});

test('a paywall refuses paths that requests could not reach', () => {
  const paywall = open();
  const named = {
    input: z.strictObject({ id: z.string(), part: z.string() }),
    example: { input: { id: '1', part: 'a' }, output: { n: 2 } },
    run: async () => ({ n: 2 }),
  };
  const at = (path: string, mppPath?: string) => () => paywall.sell({ ...sale, ...named, path, mppPath });
  expect(at('/x{id}/{part}')).toThrow('x{id} in /x{id}/{part} must be one field in braces');
  expect(at('/{id}/{id}')).toThrow('names a field twice');
  expect(at('/{id}/{part}', '/mpp')).toThrow('/{id}/{part} and /mpp have other fields');
  expect(at('/{id}/x', '/{id}/x')).toThrow('/{id}/x is sold already');
  paywall.sell({ ...sale, ...named, id: 'one', path: '/{id}/{part}/of' });
  expect(at('/{part}/{id}/of')).toThrow('/{part}/{id}/of is sold already');
  expect(() => paywall.sell({ ...sale, path: '/openapi.json' })).toThrow('/openapi.json is sold already');
  expect(() => paywall.sell({ ...sale, path: '/{n}' })).toThrow('n is in the path, so it is text');
});

test('a paywall refuses input that a later attempt could not read from the store', () => {
  const paywall = open();
  const day = z.string().transform((written) => new Date(written));
  const dated = { input: z.strictObject({ day }), run: async () => ({ n: 0 }) };
  const example = { input: { day: '2026-01-01' }, output: { n: 0 } };
  expect(() => paywall.sell({ ...sale, ...dated, example })).toThrow('not JSON once it is parsed');
  const slow = { input: z.strictObject({ n: z.number().refine(async () => true) }) };
  expect(() => paywall.sell({ ...sale, ...slow })).toThrow('cannot be checked without waiting');
});

/** Serves with a listener while something runs. */
async function serve(listener: RequestListener, use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The first line of the response to a request with any target. */
async function statusLine(port: number, target: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a:b/c\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).split('\r\n')[0] ?? '';
}

test('no target of a request ends the process of a paywall', async () => {
  const paywall = open();
  paywall.sell(sale);
  const byId = {
    input: z.strictObject({ id: z.string() }),
    example: { input: { id: '1' }, output: { n: 2 } },
  };
  paywall.sell({
    ...sale,
    ...byId,
    id: 'by.id',
    method: 'GET',
    path: '/of/{id}',
    run: async () => ({ n: 2 }),
  });
  await serve(paywall.listener, async (port) => {
    const targets = ['//', '//double', 'http://[/', '*', '/double', '/of/%00', '/of/%ff', '/of/1'];
    const lines = await Promise.all(targets.map((target) => statusLine(port, target)));
    expect(lines.map((line) => line.slice(9, 12))).toEqual(
      // The method, and the network, which cannot be reached.
      ['404', '404', '404', '404', '405', '400', '400', '503'],
    );
  });
  await paywall.stop();
});

test('a host that has answered a request itself goes on', async () => {
  const paywall = open();
  paywall.sell(sale);
  let requests = 0;
  const listener: RequestListener = (req, res) => {
    requests += 1;
    paywall.listener(req, res);
    if (requests === 1) res.writeHead(503).end('busy');
  };
  await serve(listener, async (port) => {
    expect(await statusLine(port, '/double')).toContain('503');
    expect(await statusLine(port, '/double')).toContain('405');
  });
  await paywall.stop();
});

test('a paywall that was stopped answers 503 and starts nothing', async () => {
  let beats = 0;
  const paywall = open({ store: storeTelling(() => beats++) });
  const handler = paywall.sell(sale);
  await paywall.start();
  await paywall.stop();
  beats = 0;
  const request = new Request('https://api.example.com/double', { method: 'POST' });
  expect((await handler(request)).status).toBe(503);
  await expect(paywall.start()).rejects.toThrow('was stopped');
  await sleep(1_500);
  expect(beats).toBe(0);
});

test('a paywall whose first check of a network fails leaves nothing running, and can be started again', async () => {
  let beats = 0;
  let isBroken = true;
  const breaking = pino({ level: 'error' }, { write: () => undefined });
  breaking.error = () => {
    if (isBroken) throw new Error('the disk is full');
  };
  const paywall = open({ store: storeTelling(() => beats++), log: breaking });
  await expect(paywall.start()).rejects.toThrow('the disk is full');
  beats = 0;
  await sleep(1_500);
  expect(beats).toBe(0);
  isBroken = false;
  await paywall.start();
  await expect.poll(() => beats).toBeGreaterThan(0);
  await paywall.stop();
});

test('stopping a paywall waits for the jobs that are running', async () => {
  const events: string[] = [];
  let finish: () => void = () => undefined;
  const store = storeWith(({ findWork, finality, close }) => ({
    findWork: async () => ({ ...(await findWork()), hasSettlementsNotFinal: true }),
    finality: {
      ...finality,
      notFinal: async () => {
        events.push('job begins');
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        events.push('job ends');
        return new Map();
      },
    },
    close: async () => {
      events.push('store closes');
      await close();
    },
  }));
  const paywall = open({ store });
  await paywall.start();
  await expect.poll(() => events).toEqual(['job begins']);
  const stopping = paywall.stop();
  await sleep(300);
  finish();
  await stopping;
  expect(events).toEqual(['job begins', 'job ends', 'store closes']);
});

/** A store in memory with some functions of another kind. */
function storeWith(change: (opened: OpenedStore) => Partial<OpenedStore>): OpenableStore {
  const inner = memoryStore();
  return {
    ...inner,
    open(parts) {
      const opened = inner.open(parts);
      return { ...opened, ...change(opened) };
    },
  };
}

/** A store in memory that tells when it is looked for work. */
function storeTelling(onLook: () => void): OpenableStore {
  return storeWith(({ findWork }) => ({
    findWork() {
      onLook();
      return findWork();
    },
  }));
}
