import { account, free, wallet } from '@/lib/catalog';
import { forAnybody, forHolder, forWallet } from '@/lib/http/free-handler';
import type { HttpApp } from '@/lib/http/http-app';
import { expect, test } from '../support/without-browser';

/** None of these handlers uses it. */
const noApp = {} as HttpApp;
const request = new Request('https://api.example.com/health');

test('a free answer has the form that its operation promises', async () => {
  const status = { status: 'ok' as const };
  const right = forAnybody(free.health, async () => ({ body: status }));
  expect(await right.answer(noApp, request, {})).toEqual({ body: status });
  const withMore = { ...status, uptime: 5 };
  const wrong = forAnybody(free.health, async () => ({ body: withMore }));
  await expect(wrong.answer(noApp, request, {})).rejects.toThrow('uptime');
});

test('a handler may answer with a complete response, such as CSV', async () => {
  const csv = { status: 200, headers: { 'Content-Type': 'text/csv' }, body: 'a\r\n' };
  const handler = forAnybody(free.health, async () => csv);
  expect(await handler.answer(noApp, request, {})).toEqual(csv);
});

const takesFrom = async (_app: unknown, _accountId: string, _input: { from: string }) =>
  account.transactions.example.output;

test('a free operation with the handler of another does not compile', () => {
  const handlers = [
    // @ts-expect-error the output is that of another operation
    forAnybody(free.health, async () => ({ body: free.prices.example.output })),
    // @ts-expect-error only the holder of an account may call it
    forAnybody(account.get, async () => ({ body: account.get.example.output })),
    // @ts-expect-error anybody may call it
    forHolder(free.health, async () => ({ status: 'ok' as const })),
    // @ts-expect-error a wallet calls it
    forHolder(wallet.listUploads, async () => wallet.listUploads.example.output),
    // @ts-expect-error the holder of an account calls it
    forWallet(account.listUploads, async () => ({ body: account.listUploads.example.output })),
    // @ts-expect-error its query has no such field
    forHolder(account.transactions, takesFrom),
  ];
  expect(handlers).toHaveLength(6);
});
