import { expect } from '@playwright/test';
import type { App } from '@/lib/app';
import { refundRequest } from '@/lib/operator/refunds/examine';
import {
  cancelRefund,
  recordSent,
  refundByTransfer,
  refundIntoAccount,
  requestRefund,
  walletTransfer,
} from '@/lib/operator/refunds/request';
import { startEvmChain } from '@/local/evm/chain';
import { rpcCall } from '@/local/json-rpc';
import { test as recoveryTest } from './fixtures';
import { holdStatement } from './held-statement';
import { fundedAccount, openAccount, purchase } from './rig/accounts';
import { mine, onBase } from './rig/own-chain';
import {
  makeFinal,
  openOperator,
  operator,
  refundStates,
  type SoldCall,
  sell,
  sellInVain,
  sendOnSolana,
  statusOf,
  transferOnBase,
} from './rig/refunds';
import { ask, type SignedRequest } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

let rig: Rig;
let app: App;
const ends: (() => Promise<unknown>)[] = [];

const test = recoveryTest;
test.setTimeout(90_000);
// One server and two chains for all of them.
test.describe.configure({ mode: 'default' });

test.beforeAll(async () => {
  const chain = await startEvmChain({ chainId: 8453 });
  rig = await startRig({
    networks: ['base', 'solana-mainnet'],
    baseRpcUrl: chain.rpcUrl,
    hasOwnSolana: true,
    settings: { BASE_FINALITY_BLOCKS: '5' },
  });
  app = openOperator(rig);
  ends.push(() => app.close(), rig.close, chain.stop);
});
test.afterAll(async () => {
  for (const end of ends) await end();
});
test.beforeEach(() => rig.ready());

/** Asks for a refund of a call as the console does. */
function asked(call: Pick<SoldCall, 'id'>, more: { reason?: string; note?: string } = {}) {
  return refundRequest.parse({ paidCallId: call.id, ...more });
}

const onRequest = { reason: 'requested_by_caller' } as const;

async function problemOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

/** The call is refunded, its caller sees it, a retry is not charged, and the books agree with the chains. */
async function expectRefunded(
  call: Pick<SoldCall, 'id'> & { readonly request: SignedRequest },
  transaction: string | null,
  accountId: string | null,
) {
  await until('a refunded call', async () => (await statusOf(rig, call)).state === 'refunded');
  const status = await statusOf(rig, call);
  expect(status).toMatchObject({
    payment: 'refunded',
    retry: 'stop',
    refund: {
      state: 'confirmed',
      amount: status.price,
      currency: 'USDC',
      network: accountId === null ? status.network : 'account',
      transaction,
      accountId,
    },
  });
  const retried = await ask(call.request);
  expect(retried.status).toBe(410);
  expect(retried.body.error).toMatchObject({
    code: 'call_refunded',
    payment: 'refunded',
    retry: 'stop',
    paidCallId: call.id,
  });
  const confirmed = await rig.query("SELECT FROM refund WHERE paid_call_id = $1 AND state = 'confirmed'", [
    call.id,
  ]);
  expect(confirmed).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
}

test('a refund signed in the treasury wallet on base is recorded before it is signed, and counts when it is final', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const { refund, transfer } = await requestRefund(app, operator, asked(call, onRequest));
  expect(refund).toMatchObject({ state: 'requested', recipient: call.wallet.address, amountAtomic: 5_000n });
  expect(await statusOf(rig, call)).toMatchObject({ state: 'delivered', refund: null });
  if (transfer.family !== 'evm') throw new Error('not on EVM');
  expect(transfer).toMatchObject({ chainId: 8453, from: rig.payTo.evm });
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  const { input } = await onBase<{ input: string }>(rig, 'eth_getTransactionByHash', hash);
  expect(transfer.data).toBe(input);
  expect(await recordSent(app, operator, refund.id, hash)).toMatchObject({ state: 'sent' });
  expect(await statusOf(rig, call)).toMatchObject({
    state: 'delivered',
    refund: { state: 'sent', transaction: hash },
  });
  // Until it is final the sale stands.
  expect((await ask(call.request)).body).toEqual(call.answer.body);
  await mine(rig, 6);
  await expectRefunded(call, hash, null);
});

test('a refund signed in the treasury wallet on Solana names itself in a memo', async () => {
  const call = await sellInVain(rig, await rig.newSolanaPayer());
  await makeFinal(rig, call);
  const { refund } = await requestRefund(app, operator, asked(call));
  const transfer = await walletTransfer(app, refund);
  if (transfer.family !== 'solana') throw new Error('not on Solana');
  const signature = await sendOnSolana(rig, transfer.transaction);
  const [record] = (await rpcCall(rig.chainUrl('solana-mainnet'), 'getSignaturesForAddress', [
    rig.payTo.solana,
    { limit: 1, commitment: 'confirmed' },
  ])) as { memo: string | null }[];
  expect(record?.memo).toContain(refund.id);
  await recordSent(app, operator, refund.id, signature);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [40]);
  await expectRefunded(call, signature, null);
});

/** Runs the operator's program on a call. */
function refundByProgram(call: Pick<SoldCall, 'id'>, ...args: string[]) {
  return rig.tuppence('refund', call.id, ...args);
}

test('the program shows what it would do, and records a transfer that was made elsewhere only with --yes', async () => {
  const call = await sellInVain(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const hash = await transferOnBase(rig, call.wallet.address, 1_000_000n);
  await mine(rig, 6);
  const shown = await refundByProgram(call, '--transaction', hash);
  expect(shown).toMatchObject({ exitCode: 0, errors: '' });
  for (const told of [call.id, '1 USDC on base', call.wallet.address, hash, 'Nothing has been recorded'])
    expect(shown.output).toContain(told);
  expect(await refundStates(rig, call)).toEqual([]);
  const done = await refundByProgram(
    call,
    '--transaction',
    hash,
    '--note',
    'by the multisig',
    '--yes',
    '--json',
  );
  expect(done.exitCode).toBe(0);
  expect(JSON.parse(done.output).refund).toMatchObject({
    state: 'confirmed',
    amount: '1',
    recipient: call.wallet.address,
    transactionHash: hash,
    reason: 'not_delivered',
    note: 'by the multisig',
  });
  await expectRefunded(call, hash, null);
  const [action] = await rig.query<Record<string, unknown>>(
    'SELECT actor, action, reason, note, after FROM operator_action WHERE target_id = $1',
    [call.id],
  );
  expect(action).toMatchObject({
    actor: expect.stringMatching(/^cli:.+@.+/),
    action: 'refund.request',
    reason: 'not_delivered',
    note: 'by the multisig',
    after: { state: 'confirmed', transactionHash: hash },
  });
  const again = await refundByProgram(call, '--transaction', hash, '--yes', '--json');
  expect(again.exitCode).toBe(1);
  expect(JSON.parse(again.output).error.code).toBe('already_refunded');
});

test('a transfer on Solana is recorded by its signature', async () => {
  const call = await sell(rig, await rig.newSolanaPayer());
  const other = await sell(rig, await rig.newSolanaPayer());
  await makeFinal(rig, call);
  await makeFinal(rig, other);
  const reader = app.payments.refundReaderAt('solana-mainnet');
  const signatureOf = async (amountAtomic: bigint) => {
    const back = { recipient: call.wallet.address, amountAtomic, paidInBlock: null, paidAt: new Date() };
    const transfer = await reader?.walletTransfer(back, 'by hand');
    return sendOnSolana(rig, transfer?.family === 'solana' ? transfer.transaction : '');
  };
  const record = (on: SoldCall, transactionHash: string) =>
    refundByTransfer(app, operator, { ...asked(on, onRequest), transactionHash });
  expect(await problemOf(record(call, await signatureOf(4_999n)))).toBe('wrong_amount');
  const signature = await signatureOf(5_000n);
  expect(await problemOf(record(other, signature))).toBe('wrong_recipient');
  expect(await problemOf(record(call, `0x${'1'.repeat(64)}`))).toBe('not_a_hash');
  expect(await record(call, signature)).toMatchObject({ state: 'sent' });
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [40]);
  await expectRefunded(call, signature, null);
});

test('only the exact transfer from the treasury to the payer after the payment is taken for a refund, once', async () => {
  const wallet = await rig.newEvmPayer();
  const stranger = await rig.newEvmPayer();
  const [first, second] = [await sell(rig, wallet), await sell(rig, wallet)];
  await makeFinal(rig, second);
  const record = (call: SoldCall, transactionHash: string) =>
    refundByTransfer(app, operator, { ...asked(call, onRequest), transactionHash });
  const to = wallet.address;
  const attempts = [
    ['wrong_amount', await transferOnBase(rig, to, 4_999n)],
    ['wrong_amount', await transferOnBase(rig, to, 5_001n)],
    ['wrong_recipient', await transferOnBase(rig, stranger.address, 5_000n)],
    ['wrong_sender', await transferOnBase(rig, to, 5_000n, { from: stranger })],
    // A transfer of something else than our token: nothing answers at this address.
    ['wrong_token', await transferOnBase(rig, to, 5_000n, { token: rig.payTo.evm })],
    ['transaction_failed', await transferOnBase(rig, to, 5_000n, { gas: 25_000n })],
    ['transaction_not_found', `0x${'ab'.repeat(32)}`],
    ['not_a_hash', '0x12'],
    // A signature of Solana.
    ['not_a_hash', '5'.repeat(88)],
  ] as const;
  for (const [problem, hash] of attempts) expect(await problemOf(record(first, hash)), hash).toBe(problem);
  expect(await refundStates(rig, first)).toEqual([]);
  const right = await transferOnBase(rig, to, 5_000n);
  // Sent to the payer, and not recorded.
  expect(await rig.audit()).toEqual([
    expect.stringContaining('a transfer from the treasury to a payer is a refund'),
  ]);
  await mine(rig, 6);
  expect(await record(first, right)).toMatchObject({ state: 'confirmed' });
  await expectRefunded(first, right, null);
  expect(await problemOf(record(second, right))).toBe('transfer_used');
  const third = await sell(rig, wallet);
  expect(await problemOf(record(third, right))).toBe('payment_not_final');
  await makeFinal(rig, third);
  expect(await problemOf(record(third, right))).toBe('before_payment');
  expect(await rig.audit()).toEqual([]);
});

test('a delivered call needs a reason, and the reason other a note', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const request = (more: { reason?: string; note?: string }) =>
    requestRefund(app, operator, asked(call, more));
  expect(await problemOf(request({}))).toBe('reason_required');
  expect(await problemOf(request({ reason: 'other' }))).toBe('note_required');
  expect((await request({ reason: 'other', note: 'agreed by mail' })).refund.state).toBe('requested');
});

test('a refund into an account is there at once; a call from an account is refunded into that one alone', async () => {
  const [account, another] = [await fundedAccount(rig), await openAccount(rig)];
  const balance = async () => {
    const headers = { Authorization: `Bearer ${account.token}` };
    return (await (await fetch(`${rig.apiUrl}/v1/account`, { headers })).json()).balance;
  };
  const onChain = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, onChain);
  const into = (call: Pick<SoldCall, 'id'>, accountId: string) =>
    refundIntoAccount(app, operator, { ...asked(call, onRequest), accountId });
  expect(await problemOf(into(onChain, 'acct_missing'))).toBe('account_not_open');
  expect(await into(onChain, account.accountId)).toMatchObject({ state: 'confirmed', network: 'account' });
  expect(await balance()).toBe('1.005');
  await expectRefunded(onChain, null, account.accountId);

  const request = purchase(rig, account);
  const answer = await ask(request);
  const fromAccount = { id: answer.headers.get('paid-call-id') ?? '', request, answer };
  expect(await balance()).toBe('1');
  expect(await problemOf(into(fromAccount, another.accountId))).toBe('other_account');
  expect(await problemOf(requestRefund(app, operator, asked(fromAccount, onRequest)))).toBe('not_on_chain');
  const done = await refundByProgram(
    fromAccount,
    ...['--account', account.accountId, '--reason', 'duplicate', '--yes', '--json'],
  );
  expect(JSON.parse(done.output).refund).toMatchObject({ state: 'confirmed', recipient: account.accountId });
  expect(await balance()).toBe('1.005');
  await expectRefunded(fromAccount, null, account.accountId);
  const headers = { Authorization: `Bearer ${account.token}` };
  const told = await (await fetch(`${rig.apiUrl}/v1/account/transactions`, { headers })).json();
  expect(told.transactions.map(({ kind }: { kind: string }) => kind)).toEqual([
    'refund',
    'charge',
    'refund',
    'deposit',
  ]);
});

test('a deposit that was credited is not refunded', async () => {
  await fundedAccount(rig);
  const [deposit] = await rig.query<{ id: string }>(
    "SELECT id FROM paid_call WHERE operation = 'billing.deposit' AND state = 'delivered' ORDER BY created_at DESC LIMIT 1",
  );
  const refunding = requestRefund(app, operator, asked({ id: deposit?.id ?? '' }, onRequest));
  expect(await problemOf(refunding)).toBe('deposit_credited');
});

test('of operators who refund a call at the same time, in several processes, one does', async () => {
  const wallet = await rig.newEvmPayer();
  const [call, spare] = [await sell(rig, wallet), await sell(rig, wallet)];
  const account = await openAccount(rig);
  await makeFinal(rig, call);
  await makeFinal(rig, spare);
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  await mine(rig, 6);
  const other = openOperator(rig);
  const programs = Promise.all([
    refundByProgram(call, '--transaction', hash, '--reason', 'duplicate', '--yes'),
    refundByProgram(call, '--account', account.accountId, '--reason', 'duplicate', '--yes'),
  ]);
  const into = (from: App) =>
    refundIntoAccount(from, operator, { ...asked(call, onRequest), accountId: account.accountId });
  const record = (from: App) =>
    refundByTransfer(from, operator, { ...asked(call, onRequest), transactionHash: hash });
  const tried = await Promise.all(
    [app, other].flatMap((from) => [problemOf(record(from)), problemOf(into(from)), problemOf(record(from))]),
  );
  const exits = (await programs).map(({ exitCode }) => exitCode);
  await other.close();
  expect(tried.filter((result) => result === 'done').length + exits.filter((code) => code === 0).length).toBe(
    1,
  );
  for (const result of tried)
    expect(['done', 'already_refunded', 'refund_open', 'transfer_used']).toContain(result);
  expect(await refundStates(rig, call)).toEqual(['confirmed']);
  const posted = await rig.query("SELECT FROM posting WHERE paid_call_id = $1 AND kind = 'refunded'", [
    call.id,
  ]);
  expect(posted).toHaveLength(1);
  // Where the account was faster, the transfer went to a payer and is no refund: it is found.
  const [row] = await rig.query<{ method: string }>(
    'SELECT method::text FROM refund WHERE paid_call_id = $1',
    [call.id],
  );
  const findings = row?.method === 'account' ? [expect.stringContaining(hash)] : [];
  expect(await rig.audit()).toEqual(findings);
  if (findings.length === 0) return;
  await refundByTransfer(app, operator, { ...asked(spare, onRequest), transactionHash: hash });
  expect(await rig.audit()).toEqual([]);
});

test('a refund that waits for finality is confirmed after the server was killed, also while it was confirming it', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  const shown = await refundByProgram(
    call,
    '--transaction',
    hash,
    '--reason',
    'duplicate',
    '--yes',
    '--json',
  );
  expect(JSON.parse(shown.output).refund).toMatchObject({ state: 'sent', transactionHash: hash });
  await rig.kill();
  await mine(rig, 6);
  await rig.passTakeoverTime();
  const held = holdStatement(rig, "state = 'confirmed', transfer_index");
  await rig.start();
  await held.reached;
  await rig.kill();
  held.release();
  await rig.restart();
  await expectRefunded(call, hash, null);
});

test('what a wallet sent is found on the chain when its browser was closed before it said so', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const { refund } = await requestRefund(app, operator, asked(call, onRequest));
  await rig.kill();
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  expect(await problemOf(cancelRefund(app, operator, refund.id, null))).toBe('transfer_found');
  await rig.restart();
  await until('the transaction', async () => (await statusOf(rig, call)).refund?.transaction === hash);
  await mine(rig, 6);
  await expectRefunded(call, hash, null);
});

test('a refund of which nothing was sent can be cancelled, and another one begun', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const { refund } = await requestRefund(app, operator, asked(call, onRequest));
  expect(await problemOf(requestRefund(app, operator, asked(call, onRequest)))).toBe('refund_open');
  expect(await cancelRefund(app, operator, refund.id, 'rejected in the wallet')).toMatchObject({
    state: 'cancelled',
  });
  expect(await problemOf(cancelRefund(app, operator, refund.id, null))).toBe('refund_over');
  const { refund: next } = await requestRefund(app, operator, asked(call, onRequest));
  // The wallet names a transaction that no node knows, and then the one that replaced it.
  await recordSent(app, operator, next.id, `0x${'cd'.repeat(32)}`);
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  expect(await recordSent(app, operator, next.id, hash)).toMatchObject({ transactionHash: hash });
  expect(await problemOf(cancelRefund(app, operator, next.id, null))).toBe('in_a_block');
  expect(await problemOf(recordSent(app, operator, next.id, `0x${'ef'.repeat(32)}`))).toBe('in_a_block');
  await mine(rig, 6);
  await expectRefunded(call, hash, null);
  expect(await refundStates(rig, call)).toEqual(['cancelled', 'confirmed']);
});

test('a wallet that sent something else made no refund: it fails openly, and another one can begin', async () => {
  const call = await sellInVain(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const { refund } = await requestRefund(app, operator, asked(call));
  await recordSent(app, operator, refund.id, await transferOnBase(rig, call.wallet.address, 999_999n));
  await mine(rig, 6);
  await until('a failed refund', async () => (await refundStates(rig, call))[0] === 'failed');
  const { output } = await rig.tuppence('worklist', '--json');
  const items = output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(items).toContainEqual(
    expect.objectContaining({ kind: 'refund_failed', id: call.id, reason: 'wrong_amount' }),
  );
  expect(await statusOf(rig, call)).toMatchObject({ state: 'needs_attention', refund: null });
  expect((await refundByProgram(call, '--cancel', '--yes')).exitCode).toBe(0);
  const hash = await transferOnBase(rig, call.wallet.address, 1_000_000n);
  await refundByTransfer(app, operator, { ...asked(call), transactionHash: hash });
  await mine(rig, 6);
  await expectRefunded(call, hash, null);
  expect((await rig.tuppence('worklist', '--json')).output).not.toContain(call.id);
});

test('a re-organization that takes a refund away is on the worklist until the refund is back', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const before = Number(await onBase(rig, 'eth_blockNumber'));
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  const raw = await onBase<string>(rig, 'eth_getRawTransactionByHash', hash);
  await refundByTransfer(app, operator, { ...asked(call, onRequest), transactionHash: hash });
  const depth = Number(await onBase(rig, 'eth_blockNumber')) - before;
  await onBase(rig, 'anvil_rollback', depth);
  await mine(rig, depth + 6);
  const item = async () => {
    const { output } = await rig.tuppence('worklist', '--json');
    return output.split('\n').find((line) => line.includes(call.id)) ?? '';
  };
  await until('the item', async () => (await item()).includes('"reason":"reorganized"'));
  expect(await item()).toContain('"kind":"refund_unfinished"');
  expect(await statusOf(rig, call)).toMatchObject({ state: 'delivered', refund: { state: 'sent' } });
  await onBase(rig, 'eth_sendRawTransaction', raw);
  await mine(rig, 6);
  await expectRefunded(call, hash, null);
  expect(await item()).toBe('');
});

test('nodes that do not agree, or do not answer, confirm no refund', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  await mine(rig, 6);
  const two = openOperator(rig, { BASE_RPC_URL: `${rig.chainUrl('base')},${rig.base.url}` });
  const record = () => refundByTransfer(two, operator, { ...asked(call, onRequest), transactionHash: hash });
  const ofRefund = { params: ([asked]: readonly unknown[]) => asked === hash };
  const denied = rig.base.on('eth_getTransactionReceipt', async () => ({ result: null }), ofRefund);
  expect(await problemOf(record())).toBe('nodes_disagree');
  denied.remove();
  const silent = rig.base.on('eth_getTransactionReceipt', async () => ({ fault: 'close' }), ofRefund);
  expect(await problemOf(record())).toBe('network_unavailable');
  silent.remove();
  expect(await refundStates(rig, call)).toEqual([]);
  await record();
  await two.close();
  await expectRefunded(call, hash, null);
});
