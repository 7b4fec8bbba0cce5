import { randomUUID } from 'node:crypto';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { z } from 'zod';
import type { Paywall } from '@/packages/paywall';
import { sale, withShop } from '../support/paywall-shop';
import { expect, test } from '../support/without-browser';

const input = { text: 'one two' };

test('a refusal of a service is repeated with its reason to the same payment', () =>
  withShop(
    (paywall) =>
      paywall.sell({
        ...sale,
        refusals: { no_words: 'The text has no words.' },
        prepare: async (_, { refuse }) => {
          throw refuse('no_words');
        },
      }),
    async (shop) => {
      const send = await shop.signed('/words', input);
      for (const _ of ['first', 'again']) {
        const { error } = await (await send()).json();
        expect(error).toMatchObject({
          code: 'invalid_input',
          reason: 'no_words',
          message: 'The text has no words.',
          payment: 'none',
        });
      }
      expect(await shop.earned()).toBe(0n);
    },
  ));

test('a service that hangs is tried again, and its buyer is told that the payment is kept', () => {
  let attempts = 0;
  let aborted: unknown;
  return withShop(
    (paywall) =>
      paywall.sell({
        ...sale,
        timeoutSeconds: 1,
        run: async (_, { signal }) => {
          attempts += 1;
          signal.addEventListener('abort', () => {
            aborted = signal.reason;
          });
          if (attempts === 1) await new Promise(() => undefined);
          return { words: 2 };
        },
      }),
    async (shop) => {
      const send = await shop.signed('/words', input);
      const late = await send();
      expect([late.status, (await late.json()).error.code]).toEqual([503, 'delivery_pending']);
      expect(aborted).toEqual(new Error('it took more than 1 seconds'));
      await expect.poll(() => attempts, { timeout: 15_000 }).toBe(2);
      const answer = await send();
      expect([answer.status, await answer.json()]).toEqual([200, { words: 2 }]);
      expect(await shop.earned()).toBe(2_000n);
    },
  );
});

test('preparation that hangs is refused, and nothing is charged', () =>
  withShop(
    (paywall) => paywall.sell({ ...sale, timeoutSeconds: 1, prepare: () => new Promise(() => undefined) }),
    async (shop) => {
      const answer = await (await shop.signed('/words', input))();
      const { error } = await answer.json();
      expect([answer.status, error.code, error.payment]).toEqual([503, 'service_unavailable', 'none']);
      expect(await shop.earned()).toBe(0n);
    },
  ));

test('a schema that rejects something within a service counts as a failure that may pass', () => {
  let attempts = 0;
  return withShop(
    (paywall) =>
      paywall.sell({
        ...sale,
        run: async () => {
          attempts += 1;
          // What another server has answered, which had an error once.
          return z.object({ words: z.number() }).parse(attempts === 1 ? { busy: true } : { words: 2 });
        },
      }),
    async (shop) => {
      const send = await shop.signed('/words', input);
      expect((await (await send()).json()).error.code).toBe('delivery_pending');
      await expect.poll(async () => (await send()).status, { timeout: 15_000 }).toBe(200);
      expect(await shop.earned()).toBe(2_000n);
    },
  );
});

for (const [what, declare] of [
  [
    'what its schema rejects',
    (paywall: Paywall) =>
      paywall.sell({
        ...sale,
        output: z.object({ words: z.number().max(2) }),
        run: async () => ({ words: 3 }),
      }),
  ],
  ['nothing', (paywall: Paywall) => paywall.sell({ ...sale, output: z.any(), run: async () => undefined })],
] as const)
  test(`the buyer of a call whose service returns ${what} is told that it needs attention`, () =>
    withShop(declare, async (shop) => {
      const send = await shop.signed('/words', input);
      for (const _ of ['first', 'again']) {
        const answer = await send();
        const { error } = await answer.json();
        expect([answer.status, error.code, error.payment]).toEqual([503, 'delivery_needs_attention', 'kept']);
      }
      expect(await shop.earned()).toBe(2_000n);
    }));

test('every attempt of a service gets the same input and the same result of its preparation', () => {
  const seen: unknown[] = [];
  return withShop(
    (paywall) =>
      paywall.sell({
        ...sale,
        input: z.strictObject({ texts: z.array(z.string()) }),
        example: { ...sale.example, input: { texts: ['b', 'a'] } },
        prepare: async ({ texts }) => {
          texts.sort();
          return { at: new Date(0), texts };
        },
        run: async ({ texts }, { prepared }) => {
          seen.push(structuredClone({ texts, prepared }));
          texts.length = 0;
          prepared.texts.length = 0;
          if (seen.length === 1) throw new Error('not now');
          return { words: 2 };
        },
      }),
    async (shop) => {
      const send = await shop.signed('/words', { texts: ['b', 'a'] });
      await expect.poll(async () => (await send()).status, { timeout: 15_000 }).toBe(200);
      const first = { texts: ['b', 'a'], prepared: { at: '1970-01-01T00:00:00.000Z', texts: ['a', 'b'] } };
      expect(seen).toEqual([first, first]);
    },
  );
});

test('a retry is recognized although a default of the input is another one each time', () =>
  withShop(
    (paywall) =>
      paywall.sell({
        ...sale,
        input: z.object({ text: z.string(), id: z.string().default(() => randomUUID()) }),
      }),
    async (shop) => {
      const send = await shop.signed('/words', input);
      const [first, again] = [await send(), await send()];
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      const other = await send({ text: 'one' });
      expect([other.status, (await other.json()).error.code]).toEqual([409, 'idempotency_conflict']);
      expect(await shop.earned()).toBe(2_000n);
    },
  ));

test('fields that a schema ignores may be nested too deeply, which costs nothing', () =>
  withShop(
    (paywall) => paywall.sell({ ...sale, input: z.object({ text: z.string() }) }),
    async (shop) => {
      const send = await shop.signed('/words', input);
      const deep = `{"text":"one","more":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
      const answer = await send(deep);
      expect([answer.status, (await answer.json()).error.code]).toEqual([400, 'invalid_input']);
      expect((await send()).status).toBe(200);
    },
  ));

test('a 402 is whole, whatever the texts of a call are', () => {
  const texts = {
    title: 'Wörter „zählen“ \n"🎉"',
    summary: 'slot-1, slot-2, slot-3 and slot-4 \\ \u0000 \u2028',
  };
  return withShop(
    (paywall) => paywall.sell({ ...sale, ...texts, example: { ...sale.example, input: { text: 'slot-4' } } }),
    async (shop) => {
      const answer = await fetch(`${shop.url}/words`, { method: 'POST' });
      expect(decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')).toMatchObject({
        resource: { description: texts.summary },
        extensions: { bazaar: { info: { input: { body: { text: 'slot-4' } } } } },
      });
      expect((await (await shop.signed('/words', input))()).status).toBe(200);
      expect((await fetch(`${shop.url}/mpp/words`, { method: 'POST' })).status).toBe(402);
    },
  );
});

test('a large response is stored and repeated whole', () => {
  const text = 'word '.repeat(2_000_000);
  return withShop(
    (paywall) =>
      paywall.sell({
        ...sale,
        output: z.object({ text: z.string() }),
        example: { ...sale.example, output: { text: '' } },
        run: async () => ({ text }),
      }),
    async (shop) => {
      const send = await shop.signed('/words', input);
      for (const _ of ['first', 'again']) expect(await (await send()).json()).toEqual({ text });
      expect(await shop.earned()).toBe(2_000n);
    },
  );
});

test('a call whose buyer disconnects is delivered, and its buyer gets the response later', () => {
  let begun = 0;
  let delivered = 0;
  return withShop(
    (paywall) =>
      paywall.sell({
        ...sale,
        run: async () => {
          begun += 1;
          await new Promise((resolve) => setTimeout(resolve, 500));
          delivered += 1;
          return { words: 2 };
        },
      }),
    async (shop) => {
      const send = await shop.signed('/words', input);
      const abort = new AbortController();
      const lost = send(input, abort.signal).catch(() => 'lost');
      await expect.poll(() => begun).toBe(1);
      abort.abort();
      expect(await lost).toBe('lost');
      const answer = await send();
      expect([answer.status, await answer.json(), delivered]).toEqual([200, { words: 2 }, 1]);
      expect(await shop.earned()).toBe(2_000n);
    },
  );
});

test('a page of another origin can buy where the paywall allows it, and not otherwise', async () => {
  const declare = (paywall: Paywall) => paywall.sell(sale);
  const preflight = (url: string) =>
    fetch(`${url}/words`, { method: 'OPTIONS', headers: { Origin: 'https://shop.example' } });
  await withShop(
    declare,
    async (shop) => {
      const allowed = await preflight(shop.url);
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(allowed.headers.get('access-control-allow-headers')).toContain('PAYMENT-SIGNATURE');
      const send = await shop.signed('/words', input);
      for (const answer of [await fetch(`${shop.url}/words`, { method: 'POST' }), await send()])
        expect(answer.headers.get('access-control-expose-headers')).toContain('PAYMENT-RE');
    },
    { cors: true },
  );
  await withShop(declare, async ({ url }) => {
    expect((await preflight(url)).status).toBe(405);
    const answer = await fetch(`${url}/words`, { method: 'POST' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([402, null]);
  });
});
