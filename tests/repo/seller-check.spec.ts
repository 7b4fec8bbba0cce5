import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { findFreePort } from '@/local/free-port';
import { freeCases } from '@/packages/seller-check/free/cases';
import { UnpaidSeller } from '@/packages/seller-check/free/seller';
import { exitCodeOf, formatResult, formatSummary } from '@/packages/seller-check/report';
import { type CaseResult, runCases } from '@/packages/seller-check/run-cases';
import { fullOnly, sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { faults } from './seller-check/faults';
import { type Fault, openShop } from './seller-check/shop';

const text = JSON.stringify({ text: 'one two' });

/** Checks the shop by some cases. */
async function checkShop(
  fault: Fault,
  method = 'POST',
  only: readonly string[] = [],
  host = '127.0.0.1',
): Promise<CaseResult[]> {
  const shop = await openShop(fault);
  shop.url.hostname = host;
  const call = { url: shop.url, method, headers: [], body: method === 'POST' ? text : undefined };
  const cases = only.length === 0 ? freeCases : freeCases.filter(({ id }) => only.includes(id));
  const results = await runCases(cases, new UnpaidSeller(call, 500));
  await shop.close();
  return results;
}

/** A server that answers 200 to whatever it gets, with content, and never closes a connection. */
async function checkCareless(id: string): Promise<CaseResult[]> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'));
    closing.push(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  const closing: (() => void)[] = [];
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/words`);
  const method = id === 'message.head-content' ? 'GET' : 'POST';
  const cases = freeCases.filter((one) => one.id === id);
  const results = await runCases(cases, new UnpaidSeller({ url, method, headers: [] }, 300));
  for (const close of closing) close();
  server.close();
  await once(server, 'close');
  return results;
}

const failuresOf = (results: readonly CaseResult[]) =>
  results.flatMap(({ id, finding }) =>
    finding.result === 'fail' || finding.result === 'error' ? [`${id}: ${finding.detail}`] : [],
  );

test('a seller that keeps every rule passes, and every case applies to one of its calls', async () => {
  const byMethod = await Promise.all(['POST', 'GET', 'DELETE'].map((method) => checkShop({}, method)));
  expect(byMethod.flatMap(failuresOf)).toEqual([]);
  const applied = byMethod.flat().filter(({ finding }) => finding.result === 'pass');
  const never = freeCases.filter(({ id }) => !applied.some((one) => one.id === id));
  // The shop is on this machine, and its answers are not stored by caches.
  expect(never.map(({ id }) => id)).toEqual(['answer.encrypted', 'request.vary']);
});

test('every case has its own ID, a rule of less than 25 words, and a fault that it must see', () => {
  const ids = freeCases.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const messages = ids.filter((id) => id.startsWith('message.'));
  expect([...Object.keys(faults), ...messages].toSorted()).toEqual(ids.toSorted());
  expect(freeCases.filter(({ rule }) => rule.sentence.split(' ').length >= 25).map(({ id }) => id)).toEqual(
    [],
  );
});

for (const { id, title } of freeCases) {
  test(
    `the case ${id} sees a seller of which it is not true: ${title}`,
    sample(id === 'x402.amount'),
    async () => {
      const { fault, method, host } = faults[id] ?? {};
      const results = await (fault ? checkShop(fault, method, [id], host) : checkCareless(id));
      expect(results.map(({ finding }) => finding.result)).toEqual(['fail']);
    },
  );
}

test('the report of a failed case has the rule, its address, and a command that repeats the request', async () => {
  const [result] = await checkShop({ header: () => 'no base64' }, 'POST', ['x402.header-decodes']);
  if (!result) throw new Error('no result');
  const report = formatResult(result);
  expect(report).toMatch(/^FAIL {3}x402\.header-decodes/);
  expect(report).toContain('"Data Format: Base64-encoded PaymentRequired schema in header"');
  expect(report).toContain('https://github.com/x402-foundation/x402/blob/main/specs/transports-v2/http.md');
  expect(report).toContain(`--data-raw '${text}'`);
  expect(report).toContain('PAYMENT-REQUIRED: no base64');
  expect(formatSummary([result])).toContain('0 passed, 1 failed, 0 not applicable');
});

test('the exit code is 1 for a rule that must be kept, 0 for one that should be, and 2 for an error', async () => {
  const [must] = await checkShop({ header: () => 'no base64' }, 'POST', ['x402.header-decodes']);
  const [should] = await checkShop(faults['answer.content-type']?.fault ?? {}, 'POST', [
    'answer.content-type',
  ]);
  if (!must || !should) throw new Error('no result');
  const error = { ...must, finding: { result: 'error', detail: '' } } as const;
  expect([[must, error], [should], [should, error], []].map(exitCodeOf)).toEqual([1, 0, 2, 0]);
});

test('a seller that answers nothing to a payment fails the cases with payments', async () => {
  const fault: Fault = {
    reply: (_, { req }) => {
      if (req.headers['payment-signature'] !== undefined) req.socket.destroy();
    },
  };
  const results = await checkShop(fault, 'POST', ['payment.not-json', 'x402.amount']);
  expect(results.map(({ id, finding }) => [id, finding.result])).toEqual([
    ['x402.amount', 'pass'],
    ['payment.not-json', 'fail'],
  ]);
});

test('a seller that answers nothing at all is an error of each case', async () => {
  const url = new URL(`http://127.0.0.1:${await findFreePort()}/words`);
  const [first, second] = await runCases(
    freeCases.slice(0, 2),
    new UnpaidSeller({ url, method: 'GET', headers: [] }),
  );
  expect([first?.finding.result, second?.finding.result]).toEqual(['error', 'error']);
});

test('an exception of one case is an error of that case only', async () => {
  const rule = { document: '', section: '', sentence: '', url: '', strength: 'must' } as const;
  const failing = { id: 'a', title: '', rule, check: () => Promise.reject(new Error('no chain')) };
  const passing = { id: 'b', title: '', rule, check: async () => ({ result: 'pass' }) as const };
  const results = await runCases([failing, passing], undefined);
  expect(results.map(({ finding }) => finding)).toEqual([
    { result: 'error', detail: 'no chain' },
    { result: 'pass' },
  ]);
});

test('the command prints each case and a summary, and exits with 1 for a broken rule', fullOnly, async () => {
  const shop = await openShop({ header: () => 'no base64' });
  const run = (...args: string[]) =>
    new Promise<{ code: unknown; output: string }>((resolve) => {
      const command = ['--import', 'tsx', 'packages/seller-check/main.ts', ...args];
      execFile(process.execPath, command, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });
  try {
    const checked = await run(shop.url.href, '--body', text, '--only', 'x402.');
    expect(checked.code).toBe(1);
    expect(checked.output).toMatch(/^FAIL {3}x402\.header-decodes/m);
    expect(checked.output).toMatch(/^\d+ passed, \d+ failed, \d+ not applicable$/m);
    const json = await run(shop.url.href, '--body', text, '--only', 'answer.is-402', '--json');
    expect([json.code, JSON.parse(json.output).results.length]).toEqual([0, 1]);
    const usage = await run('words.example');
    expect([usage.code, usage.output]).toEqual([2, expect.stringContaining('The address must be a URL')]);
  } finally {
    await shop.close();
  }
});

test('text of a seller does not control the terminal', async () => {
  const [result] = await checkShop({ header: () => 'no base64' }, 'POST', ['x402.header-decodes']);
  if (!result) throw new Error('no result');
  const report = formatResult({ ...result, finding: { result: 'fail', detail: 'a\u001b[2Jb\u202ec' } });
  expect(report).toContain('a\ufffd[2Jb\ufffdc');
});
