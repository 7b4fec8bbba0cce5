import { readFileSync } from 'node:fs';
import { isAddress } from 'viem';
import { createApp } from '@/lib/app';
import { Metrics } from '@/lib/platform/metrics/metrics';
import { askApp } from '../support/ask-app';
import { payingFetch } from '../support/buyer';
import { aFile } from '../support/files';
import { askMetrics, scrape, sumOf } from '../support/metrics';
import { newEvmPayer } from '../support/payers';
import { testPlatform } from '../support/platform';
import { network, networkNames, stack } from '../support/stack';
import { uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

test('only requests with the operator token get the metrics', async () => {
  const token = stack().serverEnv.OPERATOR_TOKEN ?? '';
  for (const authorization of [null, 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, token]) {
    const refused = await askMetrics(stack().apiUrl, authorization);
    expect(refused.status, String(authorization)).toBe(401);
    expect((await refused.json()).error.code).toBe('unauthorized');
  }
  const given = await askMetrics();
  expect(given.status).toBe(200);
  expect(given.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(given.headers.get('cache-control')).toBe('private, no-store');
});

test('without an operator token the path of the metrics gets 404, whatever the request has', async () => {
  const { settings, log } = testPlatform();
  const app = createApp({ settings, log });
  const headers = new Headers({ authorization: 'Bearer undefined' });
  const request = new Request('https://api.example.com/metrics', { headers });
  expect((await askApp(app, request)).status).toBe(404);
  await app.close();
});

test('the origin of files does not serve the metrics', async () => {
  expect((await askMetrics(stack().filesUrl)).status).toBe(404);
});

test('a paid call is counted with its phases, its price and its settlement', async () => {
  const before = await scrape();
  const wallet = await newEvmPayer();
  const bought = await payingFetch(wallet, 'base')(uploadsUrl(), { method: 'POST', body: aFile().body });
  expect(bought.status).toBe(200);
  const after = await scrape();
  const grew = (name: string, labels: Record<string, string>) =>
    sumOf(after, name, labels) - sumOf(before, name, labels);
  const operation = 'uploads.create';
  // Other tests make purchases at the same time.
  const [paid, unpaid] = ['sent', 'none'].map((payment) => ({ operation, rail: 'x402', payment }));
  expect(grew('tuppence_requests_total', { ...unpaid, status: '402' })).toBeGreaterThanOrEqual(1);
  expect(grew('tuppence_requests_total', { ...paid, status: '200' })).toBeGreaterThanOrEqual(1);
  expect(grew('tuppence_request_duration_seconds_count', { operation })).toBeGreaterThanOrEqual(1);
  const delivered = { operation, network: 'base', result: 'delivered' };
  expect(grew('tuppence_paid_calls_total', delivered)).toBeGreaterThanOrEqual(1);
  expect(grew('tuppence_revenue_usdc_total', { operation, network: 'base' })).toBeGreaterThan(0.00499);
  for (const phase of ['look_up', 'verify', 'claim', 'settle', 'deliver', 'record'])
    expect
      .soft(grew('tuppence_paid_call_phase_seconds_count', { operation, phase }), phase)
      .toBeGreaterThanOrEqual(1);
  const base = { network: 'base' };
  expect(grew('tuppence_settlement_transactions_total', { ...base, event: 'mined' })).toBeGreaterThanOrEqual(
    1,
  );
  expect(grew('tuppence_settlement_payments_sum', base)).toBeGreaterThanOrEqual(1);
  expect(grew('tuppence_settlement_gas_total', base)).toBeGreaterThan(30_000);
  expect(grew('tuppence_settlement_fees_total', base)).toBeGreaterThan(0);
  expect(grew('tuppence_settlement_duration_seconds_count', base)).toBeGreaterThanOrEqual(1);
  expect(sumOf(after, 'tuppence_signer_balance', base)).toBeGreaterThan(0);
  // Read up to a minute ago, perhaps before the first payment.
  const treasuries = after.samples.filter(({ name }) => name === 'tuppence_treasury_usdc');
  expect(treasuries.map(({ labels }) => labels.network).sort()).toEqual([...networkNames].sort());
  expect(sumOf(after, 'tuppence_network_offered', base)).toBe(1);
  expect(sumOf(after, 'tuppence_database_up')).toBe(1);
  expect(sumOf(after, 'tuppence_instances_alive')).toBeGreaterThanOrEqual(1);
});

test('no label has an ID, a payer or a path, and no metric more series than it needs', async () => {
  const wallet = await newEvmPayer();
  const bought = await payingFetch(wallet, 'base')(uploadsUrl(), { method: 'POST', body: aFile().body });
  const slot = await bought.json();
  await fetch(slot.publicUrl);
  await fetch(`${stack().apiUrl}/v1/no/such/path/${wallet.address}?id=${slot.id}`);
  await fetch(`${stack().apiUrl}/f/fm_0000000000000000000000`);
  const { samples } = await scrape();
  const signers = new Set(samples.flatMap(({ labels: { signer } }) => (signer ? [signer] : [])));
  expect(signers.size).toBeGreaterThan(0);
  const ours = samples.filter(({ name }) => name.startsWith('tuppence_'));
  // There are thousands of samples, so faults are collected, because the runner records every expectation.
  const wrong = ours.filter(({ labels: { signer, version, node, le, rpc = '1', ...words } }) => {
    const isToken = signer !== undefined && isAddress(signer) && signer === network('base').usdc;
    return (
      isToken ||
      !/^[1-9]$/.test(rpc) ||
      namesSomebody.test(JSON.stringify(words)) ||
      !Object.values(words).every(isFewWords)
    );
  });
  expect(wrong).toEqual([]);
  const series = new Map<string, number>();
  for (const { name, labels } of ours)
    if (labels.le === undefined) series.set(name, (series.get(name) ?? 0) + 1);
  expect([...series].filter(([, count]) => count > 700)).toEqual([]);
});

const namesSomebody = /(pc|up|fm|req|st)_[0-9A-Za-z]{8}|0x[0-9a-fA-F]{8}/;
const isFewWords = (value: string) => /^[a-z][a-zA-Z0-9_.-]{0,40}$|^[1-5]\d\d$|^\dxx$/.test(value);

test('docs/metrics.md lists exactly the metrics of a server, with their labels', () => {
  const { ofProcess, ofDatabase } = new Metrics();
  const existing = [ofProcess, ofDatabase]
    .flatMap((registry) => registry.getMetricsAsArray())
    // The package has the labels at run time, but not in its types.
    .map(
      (metric) =>
        [metric.name, [...((metric as { labelNames?: string[] }).labelNames ?? [])].sort()] as const,
    );
  const rows = readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(tuppence_\w+)` \| ([^|]*)\|/gm);
  const listed = [...rows].map(
    ([, name = '', labels = '']) =>
      [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label).sort()] as const,
  );
  const byName = (list: readonly (readonly [string, unknown])[]) => Object.fromEntries(list);
  expect(listed.length).toBe(existing.length);
  expect(byName(listed)).toEqual(byName(existing));
});
