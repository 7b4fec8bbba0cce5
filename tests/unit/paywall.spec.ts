import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { createPaywall, evm, memoryStore } from '@/packages/paywall';
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
const open = (more: object = {}) => createPaywall({ ...options, store: memoryStore(), ...more });

test('a paywall refuses malformed options by name', () => {
  expect(() => open({ publicUrl: 'https://api.example.com/shop' })).toThrow('publicUrl');
  expect(() => open({ secrets: ['short'] })).toThrow('secrets');
  expect(() => open({ networks: [] })).toThrow('networks');
  expect(() => open({ networks: [{ name: 'base', isTest: false }] })).toThrow('evm()');
  expect(() => open({ networks: [evm(network), evm({ ...network, network: 'base-sepolia' })] })).toThrow(
    'cannot be mixed',
  );
  expect(() => evm({ ...network, payTo: 'nobody' })).toThrow('payTo');
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
  paywall.sell(sale);
  expect(() => paywall.sell({ ...sale, path: '/other' })).toThrow('double is sold already');
  expect(() => paywall.sell({ ...sale, id: 'other' })).toThrow('/double is sold already');
});
