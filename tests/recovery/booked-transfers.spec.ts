import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@playwright/test';
import { Client } from 'pg';
import type { App } from '@/lib/app';
import { bookTransfers, examineTransfers } from '@/lib/operator/transfers/book-transfers';
import { rpcCall } from '@/local/json-rpc';
import { cookieOf, enterToken, formTokenIn, operatorToken, sendToConsole } from '../support/console';
import { falsify, startRpcProxy } from '../support/rpc-proxy';
import { test } from './fixtures';
import { openAccount } from './rig/accounts';
import { callsOf, transfersOf } from './rig/found';
import {
  actionsAbout,
  booked,
  byProgram,
  onBase,
  payWithoutCall,
  postingsOf,
  worklistAbout,
} from './rig/lost-payments';
import { mine } from './rig/own-chain';
import { problemOf, refundByProgram, shareRefundRig } from './rig/refunding';
import {
  makeFinal,
  openOperator,
  operator,
  type SoldCall,
  sell,
  statusOf,
  transferOnBase,
} from './rig/refunds';
import { ask } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

/** Payments that are missing from the ledger: found on their chain, booked by an operator, then refunded or kept. */

let rig: Rig;
let app: App;
shareRefundRig((shared) => {
  ({ rig, app } = shared);
});

test('a payment that the audit finds is booked once it is final, and refunded to its payer', async () => {
  const payment = await payWithoutCall(rig);
  const { wallet, request, transactionHash } = payment;
  const finding = `broken: a used authorization has a paid call (base ${wallet.address} ${request.authorization} in ${transactionHash})`;
  expect(await rig.audit()).toEqual([finding]);
  const patient = openOperator(rig, { FINALITY_BLOCKS: 'base=1000000' });
  try {
    expect(await problemOf(bookTransfers(patient, operator, onBase(payment), 'too early'))).toBe('not_final');
  } finally {
    await patient.close();
  }
  const shown = await byProgram(rig, payment);
  expect(shown).toMatchObject({ exitCode: 0, errors: '' });
  for (const told of [
    '0.005 USDC on base',
    transactionHash,
    wallet.address,
    request.authorization,
    'Nothing has been recorded',
  ])
    expect(shown.output).toContain(told);
  expect(await callsOf(rig, wallet.address)).toEqual([]);
  expect(await rig.audit()).toEqual([finding]);
  expect((await byProgram(rig, payment, '--yes')).exitCode).toBe(2);

  const id = await booked(rig, payment);
  expect(await rig.audit()).toEqual([]);
  expect(await postingsOf(rig, id)).toEqual([
    { posting: `settled chain:base:treasury prepaid:${wallet.address} 5000` },
  ]);
  expect(await actionsAbout(rig, id)).toEqual([{ action: 'transfer.book', note: 'found by the audit' }]);
  const [item] = await worklistAbout(rig, id);
  expect(JSON.parse(item ?? '')).toMatchObject({
    kind: 'needs_attention',
    operation: 'transfers.unmatched',
    reason: 'transfer_without_call',
    amount: '0.005',
    payer: wallet.address,
  });
  const again = await byProgram(rig, payment, '--note', 'again', '--yes', '--json');
  expect(again.exitCode).toBe(0);
  expect(JSON.parse(again.output)).toMatchObject({ outcome: 'already_booked', paidCallId: id });
  expect(await actionsAbout(rig, id)).toHaveLength(1);

  // The caller is told where the money is, and is not charged again.
  const asked = await ask(request);
  expect([asked.status, asked.body.error]).toMatchObject([
    409,
    { code: 'payment_already_used', paidCallId: id },
  ]);
  expect(await statusOf(rig, { id })).toMatchObject({ state: 'needs_attention', payment: 'kept' });

  const refund = await transferOnBase(rig, wallet.address, 5_000n);
  await mine(rig, 6);
  expect((await refundByProgram(rig, { id }, '--transaction', refund, '--yes')).exitCode).toBe(0);
  await until('a refund', async () => (await statusOf(rig, { id })).state === 'refunded');
  expect(await statusOf(rig, { id })).toMatchObject({ payment: 'refunded', refund: { transaction: refund } });
  expect((await postingsOf(rig, id))[1]).toEqual({
    posting: `refunded prepaid:${wallet.address} chain:base:treasury 5000`,
  });
  expect(await worklistAbout(rig, id)).toEqual([]);
  expect((await ask(request)).body.error.code).toBe('payment_already_used');
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('the list that the audit prints is booked at once, as often as it is given, and a failure stops nothing', async () => {
  const lost = [await payWithoutCall(rig), await payWithoutCall(rig), await payWithoutCall(rig)];
  const list = await rig.tuppence('audit', '--json', '--from-block', String(rig.firstBlock));
  expect(list).toMatchObject({ exitCode: 1, errors: '' });
  const lines = list.output.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  const folder = test.info().outputPath();
  await mkdir(folder, { recursive: true });
  const save = async (name: string, content: readonly string[]) => {
    const file = path.join(folder, name);
    await writeFile(file, content.join('\n'));
    return file;
  };
  const unknown = { ...JSON.parse(lines[0] ?? '').payment, transactionHash: `0x${'ab'.repeat(32)}` };
  const [first = '', ...others] = lines;
  const other = '{"promise":"a balance has an account","about":"acct_1","payment":null}';
  const file = await save('lost.jsonl', [first, JSON.stringify({ payment: unknown }), other, ...others]);

  const shown = await rig.tuppence('book', '--file', file);
  expect(shown).toMatchObject({
    exitCode: 1,
    output: expect.stringMatching(
      /\n3 would be booked, 0 booked before, 1 failed\nNothing has been recorded\. /,
    ),
    errors:
      '1 line is about something else than a missing payment, and left out.\n' +
      `base ${unknown.transactionHash}: No block has this transaction.\n`,
  });
  const done = await rig.tuppence('book', '--file', file, '--note', 'restored', '--yes', '--json');
  expect(done.exitCode).toBe(1);
  const results = done.output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results.map(({ outcome }) => outcome)).toEqual(['booked', 'failed', 'booked', 'booked']);
  expect(results[1]).toMatchObject({
    transactionHash: unknown.transactionHash,
    error: { code: 'transaction_not_found' },
  });
  expect(await rig.audit()).toEqual([]);
  const rows = await rig.query(
    `SELECT DISTINCT correlation_id FROM operator_action WHERE action = 'transfer.book' AND note = 'restored'`,
  );
  expect(rows).toHaveLength(1);

  const good = await save('good.jsonl', lines);
  expect(await rig.tuppence('book', '--file', good, '--note', 'again', '--yes')).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/\n0 booked, 3 booked before, 0 failed\n$/),
    errors: '',
  });
  const hashes = lost.map(({ transactionHash }) => transactionHash);
  const named = await rig.tuppence('book', ...hashes, '--network', 'base', '--json');
  expect(named.exitCode).toBe(0);
  expect(named.output.match(/"outcome":"already_booked"/g)).toHaveLength(3);
  for (const { wallet } of lost) expect(await callsOf(rig, wallet.address)).toHaveLength(1);
});

test('the commands on the page about a restore book what was lost, whatever npm prints around the list', async () => {
  const lost = [await payWithoutCall(rig), await payWithoutCall(rig)];
  const page = await readFile('docs/incidents/restore.md', 'utf8');
  const commands = [...page.matchAll(/^ *(npm run tuppence -- (?:audit|book) .*lost\.jsonl.*)$/gm)].map(
    ([, command = '']) => command,
  );
  expect(commands).toHaveLength(3);
  const folder = test.info().outputPath();
  await mkdir(folder, { recursive: true });
  const program = `node ${path.resolve('dist/tuppence.js')}`;
  for (const command of commands) {
    const asRun = command
      .replace('npm run tuppence --', `(echo; echo '> tuppence@0.0.16 tuppence'; ${program}`)
      .replace(/( >|$)/, ')$1');
    const { stderr } = await sh(asRun, folder);
    expect(stderr, command).toBe('');
  }
  for (const { wallet } of lost)
    expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'needs_attention' }]);
  expect(await rig.audit()).toEqual([]);
  const piped = await sh(`${program} audit --json | ${program} book --file -`, folder);
  expect(piped.stdout).toBe('The list has no payment to book.\n');
});

/** Runs a command of the operator in a shell. The audit exits with 1 if it finds something. */
function sh(command: string, cwd: string): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, NODE_ENV: 'production' as const, ...rig.operatorSettings };
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd, env }, (_, stdout, stderr) => resolve({ stdout, stderr }));
  });
}

test('a booked payment is kept with a note, as revenue, and can still be refunded', async () => {
  const payment = await payWithoutCall(rig);
  const id = await booked(rig, payment);
  const look = await rig.tuppence('keep', id);
  expect(look).toMatchObject({ exitCode: 0, output: `${id} would be kept. Add --yes to do it.\n` });
  expect((await rig.tuppence('keep', id, '--yes')).exitCode).toBe(2);
  expect(await statusOf(rig, { id })).toMatchObject({ state: 'needs_attention' });
  expect(await rig.tuppence('keep', id, '--note', 'our own test', '--yes')).toMatchObject({
    exitCode: 0,
    output: `${id} is kept.\n`,
  });
  expect((await postingsOf(rig, id))[1]).toEqual({
    posting: `kept prepaid:${payment.wallet.address} revenue:transfers.unmatched 5000`,
  });
  expect(await actionsAbout(rig, id)).toEqual([
    { action: 'transfer.book', note: 'found by the audit' },
    { action: 'transfer.keep', note: 'our own test' },
  ]);
  expect(await worklistAbout(rig, id)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
  const again = await rig.tuppence('keep', id, '--note', 'again', '--yes', '--json');
  expect(JSON.parse(again.output).error.code).toBe('not_waiting');
  const account = await openAccount(rig);
  const refunded = await refundByProgram(
    rig,
    { id },
    ...['--account', account.accountId, '--reason', 'requested_by_caller', '--yes'],
  );
  expect(refunded.exitCode).toBe(0);
  expect((await postingsOf(rig, id))[2]).toEqual({
    posting: `refunded revenue:transfers.unmatched account:${account.accountId} 5000`,
  });
  expect(await rig.audit()).toEqual([]);
});

test('a call that was bought is neither booked nor kept', async () => {
  const wallet = await rig.newEvmPayer();
  const call = await sell(rig, wallet);
  await makeFinal(rig, call);
  const [transactionHash = ''] = await transfersOf(rig, wallet.address);
  const booking = await byProgram(rig, { transactionHash }, '--note', 'mine', '--yes', '--json');
  expect(JSON.parse(booking.output).error.code).toBe('in_ledger');
  const keeping = await rig.tuppence('keep', call.id, '--note', 'mine', '--yes', '--json');
  expect(JSON.parse(keeping.output).error.code).toBe('not_booked');
  expect(await actionsAbout(rig, call.id)).toEqual([]);
});

test('a transaction that is no payment to us, or that no block has, is not booked', async () => {
  const toStranger = await transferOnBase(rig, (await rig.newEvmPayer()).address, 5_000n);
  // A plain transfer names no authorization, so a second booking could not be told from the first.
  const plain = await transferOnBase(rig, rig.payTo.evm, 5_000n, { from: await rig.newEvmPayer() });
  await mine(rig, 6);
  const codeOf = (transactionHash: string, network = 'base') =>
    problemOf(examineTransfers(app, { network, transactionHash }));
  expect(await codeOf(toStranger)).toBe('no_payment');
  expect(await codeOf(plain)).toBe('no_payment');
  expect(await codeOf(`0x${'ab'.repeat(32)}`)).toBe('transaction_not_found');
  expect(await codeOf('0x12')).toBe('not_a_hash');
  expect(await codeOf(plain, 'polygon')).toBe('network_not_configured');
  expect((await rig.tuppence('book', plain)).exitCode).toBe(2);
  expect((await rig.tuppence('book', 'tw_000000000000000000000000')).errors).toContain(
    'no transfer with this id',
  );
});

test('nothing is booked while the nodes do not agree, or one does not answer', async () => {
  const payment = await payWithoutCall(rig);
  const second = await startRpcProxy(rig.chainUrl('base'));
  const twoNodes = openOperator(rig, { BASE_RPC_URL: `${rig.chainUrl('base')},${second.url}` });
  try {
    const book = () => problemOf(bookTransfers(twoNodes, operator, onBase(payment), 'found'));
    const hides = second.on(
      'eth_getTransactionReceipt',
      falsify(() => null),
    );
    expect(await book()).toBe('nodes_disagree');
    hides.remove();
    const silent = second.on('*', async () => ({ fault: 'close' }));
    expect(await book()).toBe('network_unavailable');
    silent.remove();
    expect(await callsOf(rig, payment.wallet.address)).toEqual([]);
    expect(await book()).toBe('done');
  } finally {
    await twoNodes.close();
    await second.close();
  }
});

test('a transfer on the worklist is booked by its ID and leaves the list', async () => {
  const { wallet, request } = await payWithoutCall(rig);
  expect((await ask(request)).body.error.code).toBe('payment_already_used');
  const [{ id: transfer } = { id: '' }] = await rig.query<{ id: string }>(
    'SELECT id FROM transfer_without_call WHERE payer = $1',
    [wallet.address],
  );
  expect(await worklistAbout(rig, transfer)).toHaveLength(1);
  const { exitCode, output } = await rig.tuppence('book', transfer, '--note', 'sent by a stranger', '--yes');
  expect(exitCode).toBe(0);
  const [call] = await callsOf(rig, wallet.address);
  expect(output).toContain(`${call?.id}  0.005 USDC on base`);
  expect(await worklistAbout(rig, transfer)).toEqual([]);
  expect(await worklistAbout(rig, call?.id ?? '')).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

/** Removes a sold upload from the books, as restoring an older backup does. */
function loseFromBooks({ id }: SoldCall): Promise<void> {
  return changeInBooks(`
      DELETE FROM posting WHERE paid_call_id = '${id}'
        OR settlement_id = (SELECT settlement_id FROM paid_call WHERE id = '${id}');
      DELETE FROM settlement_transaction WHERE id = (SELECT settlement_id FROM paid_call WHERE id = '${id}');
      DELETE FROM paid_call_move WHERE paid_call_id = '${id}';
      DELETE FROM upload WHERE paid_call_id = '${id}';
      DELETE FROM paid_call WHERE id = '${id}'`);
}

/** Replica mode disables the triggers that protect the ledger. */
async function changeInBooks(sql: string): Promise<void> {
  const client = new Client({ connectionString: rig.databaseUrl });
  await client.connect();
  try {
    await client.query(`SET session_replication_role = replica; ${sql}`);
  } finally {
    await client.end();
  }
}

test('an operator books a Solana payment that a restore lost by its signature, and refunds it into a prepaid account', async () => {
  const call = await sell(rig, await rig.newSolanaPayer());
  const other = await sell(rig, await rig.newSolanaPayer());
  await makeFinal(rig, call);
  await makeFinal(rig, other);
  await loseFromBooks(call);
  expect(await rig.audit()).toHaveLength(1);
  const [signature = ''] = await transfersOf(rig, call.wallet.address);
  const request = { network: 'solana-mainnet', transactionHash: signature };
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [40]);
  const [transfer] = await bookTransfers(app, operator, request, 'restored from a dump');
  expect(transfer).toMatchObject({
    payer: call.wallet.address,
    authorization: call.request.authorization,
    amountAtomic: 5_000n,
  });
  const id = transfer?.paidCallId ?? '';
  expect(await rig.audit()).toEqual([]);
  const account = await openAccount(rig);
  const refunded = await refundByProgram(rig, { id }, '--account', account.accountId, '--yes');
  expect(refunded.exitCode).toBe(0);
  expect(await statusOf(rig, { id })).toMatchObject({
    state: 'refunded',
    refund: { accountId: account.accountId },
  });
  expect(await rig.audit()).toEqual([]);
});

test('the same at the console: a transaction is looked up, booked with a note, and kept', async () => {
  const payment = await payWithoutCall(rig);
  const { transactionHash, wallet } = payment;
  const cookie = cookieOf(await enterToken(operatorToken(), {}, rig));
  const query = new URLSearchParams({ network: 'base', transaction: transactionHash });
  const page = `/operator/transfers?${query}`;
  const shown = await sendToConsole(page, { cookie }, rig);
  expect(shown.status).toBe(200);
  const html = await shown.text();
  for (const told of [
    wallet.address,
    'Amount (USDC)',
    '>0.005<',
    payment.request.authorization,
    'Book what the ledger does not have',
  ])
    expect(html).toContain(told);
  const form = await formTokenIn(await sendToConsole('/operator/transfers', { cookie }, rig));
  const post = (path: string, fields: Record<string, string>) =>
    sendToConsole(path, { cookie, fields: { form, ...fields } }, rig);
  const order = { network: 'base', transaction: transactionHash };
  expect((await post('/operator/transfers', order)).status).toBe(400);
  expect((await post('/operator/transfers', { ...order, transaction: '0x12', note: 'Why.' })).status).toBe(
    409,
  );
  expect(await callsOf(rig, wallet.address)).toEqual([]);
  const booking = await post('/operator/transfers', { ...order, note: 'Found by the audit.' });
  expect([booking.status, booking.headers.get('location')]).toEqual([
    303,
    `/operator/calls?transaction=${transactionHash}`,
  ]);
  expect((await post('/operator/transfers', { ...order, note: 'Again.' })).status).toBe(409);
  const [{ id } = { id: '' }] = await callsOf(rig, wallet.address);
  const looked = await (await sendToConsole(page, { cookie }, rig)).text();
  expect(looked).toContain(`/operator/calls/${id}`);
  expect(looked).not.toContain('Book what the ledger does not have');
  expect(await (await sendToConsole(`/operator/calls/${id}`, { cookie }, rig)).text()).toContain(
    'Keep the money',
  );
  const keeping = `/operator/calls/${id}/keep`;
  expect((await sendToConsole(keeping, { cookie }, rig)).status).toBe(200);
  expect((await post(keeping, { note: '' })).status).toBe(400);
  expect((await post(keeping, { note: 'It is our own.' })).status).toBe(303);
  expect((await post(keeping, { note: 'Again.' })).status).toBe(409);
  expect(await actionsAbout(rig, id)).toEqual([
    { action: 'transfer.book', note: 'Found by the audit.' },
    { action: 'transfer.keep', note: 'It is our own.' },
  ]);
  expect((await post('/operator/calls/pc_000000000000000000000000/keep', { note: 'Why.' })).status).toBe(404);
  expect(await rig.audit()).toEqual([]);
});
