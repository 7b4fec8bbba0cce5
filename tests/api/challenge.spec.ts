import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar';
import { uploads } from '@/lib/catalog';
import { exactOnly } from '../support/expectations';
import { sendRaw } from '../support/raw';
import { network, networkNames, stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

const routes = [
  { method: 'POST', path: '/v1/uploads', template: undefined, operation: uploads.create, atomic: '5000' },
  {
    method: 'POST',
    path: '/v1/uploads/up_1/renew',
    template: '/v1/uploads/:id/renew',
    operation: uploads.renew,
    atomic: '5000',
  },
  {
    method: 'DELETE',
    path: '/v1/uploads/up_1',
    template: '/v1/uploads/:id',
    operation: uploads.remove,
    atomic: '1000',
  },
] as const;

/** The front door answers requests without a credential; a credential that is not a payment gets through to the route. */
const doors = [
  ['front door', []],
  ['route', ['Authorization', 'Basic nothing']],
] as const;

type Bazaar = Parameters<typeof validateDiscoveryExtension>[0];
const bazaarOf = ({ extensions }: PaymentRequired) => extensions?.bazaar as unknown as Bazaar;
const tokenOf = ({ extensions = {} }: PaymentRequired) =>
  (extensions.claim as { info: { token: string } }).info.token;

async function challenge(
  method: string,
  path: string,
  headers: readonly string[] = [],
): Promise<PaymentRequired> {
  const answer = await sendRaw({ method, path, headers });
  expect(answer.status).toBe(402);
  return decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '');
}

for (const { method, path, template, operation, atomic } of routes) {
  for (const [door, headers] of doors) {
    test(`${method} ${path} without payment gets the same challenge in header and body (${door})`, async () => {
      const answer = await sendRaw({ method, path, headers });
      expect(answer.status).toBe(402);
      const header = answer.headers.get('payment-required') ?? '';
      expect(header.length).toBeLessThan(8 * 1024);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-expose-headers')).toMatch(/PAYMENT-REQUIRED/);
      // Only the response to OPTIONS needs them.
      expect(
        [...answer.headers.keys()].filter((name) => /^access-control-(allow-[hm]|max)/.test(name)),
      ).toEqual([]);
      const text = await answer.text();
      expect(Buffer.from(header, 'base64').toString()).toBe(text);
      const { extensions, ...required } = JSON.parse(text) as PaymentRequired;
      const signIn = operation.addsUp ? [] : ['sign-in-with-x'];
      expect(Object.keys(extensions ?? {}).sort()).toEqual([
        ...['bazaar', 'claim', 'payment-identifier'],
        ...signIn,
      ]);
      expect({ ...required, accepts: exactOnly(required.accepts) }).toEqual({
        x402Version: 2,
        error: 'Payment required',
        payment: 'none',
        retry: 'pay',
        refunds: `${stack().apiUrl}/docs/refunds`,
        resource: {
          url: `${stack().apiUrl}${path}`,
          description: operation.summary,
          mimeType: 'application/json',
          serviceName: 'Tuppence',
          tags: ['files'],
        },
        accepts: networkNames.map((name) => {
          const { caip2, usdc, payTo, signer } = network(name);
          const isSolana = name === 'solana-mainnet';
          return {
            scheme: 'exact',
            network: caip2,
            amount: atomic,
            amountUsdcAtomic: atomic,
            asset: usdc,
            payTo,
            maxTimeoutSeconds: 300,
            extra: {
              ...(isSolana
                ? { name: 'USDC', mint: usdc, feePayer: signer }
                : { name: 'USD Coin', version: '2' }),
              ...(operation === uploads.create ? { paymentFlow: 'upfront' } : {}),
            },
          };
        }),
      });
    });
  }

  test(`${method} ${path} has a description that the official validators accept`, async () => {
    const bazaar = bazaarOf(await challenge(method, path));
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true });
    expect(validateDiscoveryExtensionSpec(bazaar as unknown as Record<string, unknown>)).toEqual({
      valid: true,
    });
    expect((bazaar as { routeTemplate?: string }).routeTemplate).toBe(template);
    expect(bazaar.info.input).toMatchObject({ type: 'http', method });
  });

  const bodies: readonly (readonly [string, string])[] = [
    ['empty', ''],
    ['malformed', '{"mime":'],
    ['huge', 'x'.repeat(5_000_000)],
  ];
  for (const [what, body] of bodies) {
    test(`${method} ${path} without payment is refused before its body is checked: ${what}`, async () => {
      const answer = await fetch(`${stack().apiUrl}${path}`, { method, body });
      expect(answer.status).toBe(402);
      expect((await answer.json()).error).toBe('Payment required');
    });
  }
}

test('every challenge has a new claim token', async () => {
  const tokens = await Promise.all(
    [...routes, ...routes, ...routes].map(async ({ method, path }) => tokenOf(await challenge(method, path))),
  );
  expect(new Set(tokens).size).toBe(tokens.length);
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
});

for (const [what, headers, host] of [
  ['Host', [], 'evil.example'],
  ['X-Forwarded-Host', ['X-Forwarded-Host', 'evil.example', 'X-Forwarded-Proto', 'gopher'], undefined],
  ['Forwarded', ['Forwarded', 'host=evil.example;proto=https'], undefined],
] as const) {
  for (const [door, credential] of doors) {
    test(`the URL in a challenge is the configured one, regardless of ${what} (${door})`, async () => {
      const answer = await sendRaw({
        method: 'POST',
        path: '/v1/uploads',
        host,
        headers: [...headers, ...credential],
      });
      const text = await answer.text();
      expect(JSON.parse(text).resource.url).toBe(`${stack().apiUrl}/v1/uploads`);
      expect(text).not.toContain('evil.example');
    });
  }
}

test('a long path does not make a long challenge', async () => {
  const path = `/v1/uploads/${'x'.repeat(4_000)}/renew`;
  for (const [, headers] of doors) {
    const answer = await sendRaw({ method: 'POST', path, headers });
    expect(answer.status).toBe(402);
    expect((answer.headers.get('payment-required') ?? '').length).toBeLessThan(8 * 1024);
  }
});

test('a path with quotes and angle brackets stays inside its JSON string', async () => {
  const required = await challenge('DELETE', `/v1/uploads/x%22,%22error%22:%22'<b>`);
  expect(exactOnly(required.accepts)).toHaveLength(networkNames.length);
  expect(required.resource.url).toContain(stack().apiUrl);
});

const sentByClients = [
  ...['payment-signature', 'x-payment', 'idempotency-key', 'authorization', 'content-type', 'sign-in-with-x'],
  'payment-authorization',
  ...['traceparent', 'tracestate', 'baggage', 'x-requested-with', 'x-request-id', 'accept-payment'],
  ...['mcp-session-id', 'mcp-protocol-version', 'last-event-id', '*'],
];
for (const header of sentByClients) {
  test(`CORS allows the header ${header}`, async () => {
    for (const { path } of routes) {
      const answer = await fetch(`${stack().apiUrl}${path}`, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://agent.example',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': header,
        },
      });
      expect(answer.ok).toBe(true);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/, */);
      expect(allowed).toContain(header);
      expect(answer.headers.get('access-control-allow-methods')).toMatch(/POST.*DELETE|DELETE.*POST/);
    }
  });
}
