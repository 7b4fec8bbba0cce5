import { expect } from '@playwright/test';
import type { App } from '@/lib/app';
import { refundByTransfer, refundIntoAccount, requestRefund } from '@/lib/operator/refunds/request-refund';
import { rpcCall } from '@/local/json-rpc';
import { test } from './fixtures';
import { fundedAccount, openAccount, purchase } from './rig/accounts';
import { mine } from './rig/own-chain';
import {
  asked,
  expectRefunded,
  onRequest,
  problemOf,
  refundByProgram,
  shareRefundRig,
} from './rig/refunding';
import {
  makeFinal,
  operator,
  refundStates,
  type SoldCall,
  sell,
  sellInVain,
  sendOnSolana,
  transferOnBase,
} from './rig/refunds';
import { ask } from './rig/requests';
import type { Rig } from './rig/rig';

let rig: Rig;
let app: App;
shareRefundRig((shared) => {
  ({ rig, app } = shared);
});

test('the program shows what it would do, and records a transfer that was made elsewhere only with --yes', async () => {
  const call = await sellInVain(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const hash = await transferOnBase(rig, call.wallet.address, 1_000_000n);
  await mine(rig, 6);
  const shown = await refundByProgram(rig, call, '--transaction', hash);
  expect(shown).toMatchObject({ exitCode: 0, errors: '' });
  for (const told of [call.id, '1 USDC on base', call.wallet.address, hash, 'Nothing has been recorded'])
    expect(shown.output).toContain(told);
  expect(await refundStates(rig, call)).toEqual([]);
  const done = await refundByProgram(
    rig,
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
  await expectRefunded(rig, call, hash, null);
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
  const again = await refundByProgram(rig, call, '--transaction', hash, '--yes', '--json');
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
    const paid = { paidCallId: call.id, paidInBlock: null, paidAt: new Date() };
    const back = { ...paid, recipient: call.wallet.address, amountAtomic };
    const transfer = await reader?.walletTransfer(back, 'by hand', new Date());
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
  await expectRefunded(rig, call, signature, null);
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
    // A transfer of something other than our token: there is no contract at this address.
    ['wrong_token', await transferOnBase(rig, to, 5_000n, { token: rig.payTo.evm })],
    ['transaction_failed', await transferOnBase(rig, to, 5_000n, { gas: 25_000n })],
    ['transaction_not_found', `0x${'ab'.repeat(32)}`],
    ['not_a_hash', '0x12'],
    // A Solana signature.
    ['not_a_hash', '5'.repeat(88)],
  ] as const;
  for (const [problem, hash] of attempts) expect(await problemOf(record(first, hash)), hash).toBe(problem);
  expect(await refundStates(rig, first)).toEqual([]);
  const right = await transferOnBase(rig, to, 5_000n);
  // The transfer went to the payer, but is not recorded.
  expect(await rig.audit()).toEqual([
    expect.stringContaining('a transfer from the treasury to a payer is a refund'),
  ]);
  await mine(rig, 6);
  expect(await record(first, right)).toMatchObject({ state: 'confirmed' });
  await expectRefunded(rig, first, right, null);
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
  expect((await request({ reason: 'other', note: 'agreed by mail' })).state).toBe('requested');
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
  await expectRefunded(rig, onChain, null, account.accountId);

  const request = purchase(rig, account);
  const answer = await ask(request);
  const fromAccount = { id: answer.headers.get('paid-call-id') ?? '', request, answer };
  expect(await balance()).toBe('1');
  expect(await problemOf(into(fromAccount, another.accountId))).toBe('other_account');
  expect(await problemOf(requestRefund(app, operator, asked(fromAccount, onRequest)))).toBe('not_on_chain');
  const done = await refundByProgram(
    rig,
    fromAccount,
    ...['--account', account.accountId, '--reason', 'duplicate', '--yes', '--json'],
  );
  expect(JSON.parse(done.output).refund).toMatchObject({ state: 'confirmed', recipient: account.accountId });
  expect(await balance()).toBe('1.005');
  await expectRefunded(rig, fromAccount, null, account.accountId);
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
