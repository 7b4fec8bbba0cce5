import { createHash, randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import type { App } from '@/lib/app';
import { addWork, readWorkHistory } from '@/lib/db/uncharged-work';
import type { PathParams } from '@/lib/http/api-message';
import { type Claim, claim } from '@/lib/ledger/claim';
import { beatAndFindWork } from '@/lib/ledger/due-work';
import {
  recordFinal,
  recordRefusalFinal,
  recordVanished,
  refusalsToClose,
  settlementsNotFinal,
} from '@/lib/ledger/finality';
import { recordOutcome, recordResult } from '@/lib/ledger/moves';
import { chargesOf, findEarlier, findPaidCall, type PaidCall } from '@/lib/ledger/paid-call';
import { findPaidCallSummary } from '@/lib/ledger/paid-call-summary';
import {
  lostPayments,
  preconfirmationStops,
  resumePreconfirmations,
} from '@/lib/ledger/preconfirmation-stops';
import { settlementJournal } from '@/lib/ledger/settlement-journal';
import { abandonedCalls, heldCalls, takeOver } from '@/lib/ledger/unfinished-calls';
import { readWorklist } from '@/lib/ledger/worklist';
import { callQuery } from '@/lib/operator/calls/filters';
import { findCalls } from '@/lib/operator/calls/find';
import { jobs } from '@/lib/operator/jobs';
import { readDatabaseFigures } from '@/lib/operator/metrics/database-figures';
import type { Payment } from '@/lib/payments/payment';
import { newOrderedId } from '@/lib/platform/ids';
import { findService } from '@/lib/services';
import { loadedAccount, loadedReadToken } from '../../bench/loaded-rows';

/** A loaded ledger and an app that works on it. */
export interface Loaded {
  readonly app: App;
  readonly asset: string;
  readonly signer: string;
  readonly payTo: string;
  readonly calls: number;
  /** A payer with many calls in the ledger. */
  readonly payer: string;
  /** An open form with all its answers. */
  readonly formId: string;
}

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}` as const;
const hello = createHash('sha256').update('hello').digest();
const upload = {
  mime: 'text/plain',
  size: 5,
  sha256: hello.toString('hex'),
  sha256Base64: hello.toString('base64'),
  filename: 'hello.txt',
  tier: 'short-10mb' as const,
  tags: [] as string[],
};

function newPayment({ asset, payer, payTo }: Loaded): Payment {
  const validBefore = new Date(Date.now() + 300_000);
  const nonce = hex(32);
  return {
    network: 'base',
    asset,
    payer,
    authorization: nonce,
    amountAtomic: 5_000n,
    payTo,
    validBefore,
    signed: {
      family: 'evm',
      authorization: {
        from: getAddress(hex(20)),
        to: getAddress(payTo),
        value: '5000',
        validAfter: '0',
        validBefore: String(Math.floor(validBefore.getTime() / 1_000)),
        nonce,
      },
      signature: hex(65),
    },
  };
}

/** Claims a call as a paid request does. */
async function claimCall(loaded: Loaded): Promise<PaidCall> {
  const { app } = loaded;
  const payment = newPayment(loaded);
  const idempotencyKey = randomBytes(16).toString('hex');
  await findEarlier(app, payment, idempotencyKey);
  const entry: Claim = {
    id: newOrderedId('pc', new Date()),
    operation: 'uploads.create',
    rail: 'x402',
    payment,
    sinceHeight: 1n,
    requestHash: createHash('sha256').update('request').digest(),
    idempotencyKey,
    claimToken: 'token',
    input: upload,
    isPrepared: false,
    isFlushedLater: true,
  };
  const call = await claim(app, entry, app.instance.id, new Date());
  if (!call) throw new Error('nothing was claimed');
  return call;
}

/** Settles calls in one transaction, from its preparation to its block. */
async function settle(loaded: Loaded, calls: readonly PaidCall[]): Promise<string> {
  const { app, signer } = loaded;
  const journal = settlementJournal(app);
  const charges = calls.map(({ id, payment }) => ({ paidCallId: id, payment }));
  const lease = await journal.lease('base', signer, []);
  const hash = hex(32);
  await journal.recordPrepared({
    network: 'base',
    signer,
    nonce: lease?.nextNonce ?? 0n,
    hash,
    raw: new Uint8Array(100),
    charges,
  });
  const block = { number: 1_000_000_000n, hash: hex(32) };
  await journal.recordMined({
    network: 'base',
    hash,
    block,
    gasUsed: 100_000n,
    feeAtomic: 1n,
    feeInVainAtomic: 0n,
    inVain: [],
    outcomes: charges.map((charge) => ({
      charge,
      outcome: { kind: 'settled', transactionHash: hash, block },
    })),
  });
  return hash;
}

async function deliver({ app, payer }: Loaded, call: PaidCall, transactionHash: string): Promise<void> {
  const now = new Date();
  const delivery = { payer, paidCallId: call.id, transactionHash, prepared: null, now };
  const output = await findService(call.operation)?.deliver(app, upload, delivery);
  await recordResult(app, call, { status: 200, body: JSON.stringify(output) }, null, now);
}

const asHolder = { Authorization: `Bearer ${loadedAccount.token}` };

async function free(
  { app }: Loaded,
  operation: string,
  path: string,
  headers: Record<string, string>,
  params: PathParams = {},
) {
  const request = new Request(`https://api.example.com${path}`, { headers });
  const response = await app.handleFree(operation, request, params);
  if (response.status !== 200) throw new Error(`${operation}: ${response.body}`);
  return JSON.parse(response.body ?? '');
}

/** Makes a call that the account pays, and returns the id of its upload. */
async function charge(
  { app }: Loaded,
  operation: string,
  path: string,
  {
    key = randomBytes(16).toString('hex'),
    params = {},
    body,
  }: { key?: string; params?: PathParams; body?: object },
): Promise<string> {
  const request = new Request(`https://api.example.com${path}`, {
    method: 'POST',
    headers: { ...asHolder, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: body && JSON.stringify(body),
  });
  const response = await app.handle(operation, 'account', request, params);
  if (response.status !== 200) throw new Error(`not charged: ${response.body}`);
  return JSON.parse(response.body ?? '').id;
}

/** Work that the service does again and again. */
interface RepeatedWork {
  readonly name: string;
  /** Changes the ledger first, so that there is something to do. */
  readonly before?: string;
  readonly run: (loaded: Loaded) => Promise<unknown>;
}

export const repeatedWork: readonly RepeatedWork[] = [
  {
    name: 'paid calls over a chain, and their replay',
    run: async (loaded) => {
      const { app } = loaded;
      const calls = await Promise.all(Array.from({ length: 8 }, () => claimCall(loaded)));
      const hash = await settle(loaded, calls);
      await Promise.all(calls.map((call) => deliver(loaded, call, hash)));
      await Promise.all(calls.map(({ payment }) => findEarlier(app, payment, 'another key')));
    },
  },
  {
    name: 'a re-organization',
    run: async (loaded) => {
      const { app } = loaded;
      const call = await claimCall(loaded);
      const hash = await settle(loaded, [call]);
      await deliver(loaded, call, hash);
      await settlementsNotFinal(app, ['base', 'polygon', 'arbitrum']);
      await recordVanished(app, 'base', hash, new Date());
      await recordOutcome(app, call.id, { kind: 'settled', transactionHash: hash, block: null }, new Date());
      await recordFinal(app, 'base', [hash], new Date());
    },
  },
  {
    name: 'a pre-confirmation that is lost, and a transaction in which charges fail',
    run: async (loaded) => {
      const { app, signer } = loaded;
      const journal = settlementJournal(app);
      const call = await claimCall(loaded);
      const hash = hex(32);
      const lease = await journal.lease('base', signer, []);
      await journal.recordPrepared({
        network: 'base',
        signer,
        nonce: lease?.nextNonce ?? 0n,
        hash,
        raw: new Uint8Array(100),
        charges: [{ paidCallId: call.id, payment: call.payment }],
      });
      await journal.recordPreconfirmed({
        network: 'base',
        hash,
        paidCallIds: [call.id],
        openMax: { onNetwork: 1_000_000n, ofPayer: 100_000n },
      });
      await deliver(loaded, call, hash);
      await journal.lease('base', signer, []);
      await journal.recordPreconfirmationLost('base', hash);
      await lostPayments(app, 100);
      await preconfirmationStops(app);
      await journal.recordMined({
        network: 'base',
        hash,
        block: { number: 1_000_000_000n, hash: hex(32) },
        gasUsed: 100_000n,
        feeAtomic: 1n,
        feeInVainAtomic: 1n,
        inVain: [{ paidCallId: call.id, payer: call.payment.payer, gas: 100_000n }],
        outcomes: [],
      });
      await resumePreconfirmations(app, 'base');
    },
  },
  {
    name: 'a refusal until it is final',
    run: async (loaded) => {
      const { app } = loaded;
      const call = await claimCall(loaded);
      await recordOutcome(app, call.id, { kind: 'refused', reason: 'insufficient_funds' }, new Date());
      await refusalsToClose(app, new Date(Date.now() + 600_000), 50);
      await recordRefusalFinal(app, call.id, new Date());
    },
  },
  {
    name: 'recovery of an unfinished call',
    run: async (loaded) => {
      const { app } = loaded;
      const call = await claimCall(loaded);
      await beatAndFindWork(app, ['base', 'polygon', 'arbitrum'], new Date());
      await abandonedCalls(app, new Date(), 32);
      await heldCalls(app, app.instance.id);
      await takeOver(app, call, app.instance.id);
      await findPaidCall(app, call.id);
      await chargesOf(app, [call.id]);
      await findPaidCallSummary(app, call.id);
      await recordOutcome(app, call.id, { kind: 'refused', reason: 'insufficient_funds' }, new Date());
    },
  },
  {
    name: 'a queue of charges for another instance',
    run: async (loaded) => {
      const journal = settlementJournal(loaded.app);
      const call = await claimCall(loaded);
      await journal.enqueue({ paidCallId: call.id, payment: call.payment });
      await journal.hasSigner('base');
      await journal.dequeue('base');
      await journal.outcomes([call.id]);
      await journal.recordDropped('base', [hex(32)]);
    },
  },
  {
    name: 'budgets for work and gas in vain',
    run: async ({ app, payer }) => {
      const keys = { payer: `uncharged:browser:payer:${payer}`, address: 'uncharged:browser:address:1' };
      const since = new Date(Date.now() - 3_600_000);
      await addWork(app, Object.values(keys), 100, new Date());
      await readWorkHistory(app, payer, keys, new Date());
      const journal = settlementJournal(app);
      await journal.gasInVain('base', payer, hex(32), since);
      await journal.payersOfGasInVain('base', since);
    },
  },
  {
    name: 'a prepaid account: charges, a replay, balance, statement and uploads',
    run: async (loaded) => {
      const first = { key: randomBytes(16).toString('hex'), body: upload };
      const id = await charge(loaded, 'uploads.create', '/v1/account/uploads', first);
      await charge(loaded, 'uploads.create', '/v1/account/uploads', first);
      await charge(loaded, 'uploads.renew', `/v1/account/uploads/${id}/renew`, { params: { id } });
      await free(loaded, 'account.get', '/v1/account', asHolder);
      await free(loaded, 'account.transactions', '/v1/account/transactions?limit=100', asHolder);
      const middle = `/v1/account/transactions?limit=100&cursor=tx_${loaded.calls}`;
      await free(loaded, 'account.transactions', middle, asHolder);
      const page = await free(loaded, 'account.uploads', '/v1/account/uploads?limit=10', asHolder);
      await free(loaded, 'account.uploads', `/v1/account/uploads?cursor=${page.nextCursor}`, asHolder);
    },
  },
  {
    name: 'a deposit into a prepaid account',
    run: async (loaded) => {
      const { app } = loaded;
      const call = await claimCall(loaded);
      await settle(loaded, [call]);
      await recordResult(app, call, { status: 200, body: '{}' }, loadedAccount.id, new Date());
    },
  },
  {
    name: 'the answers to a form',
    run: async (loaded) => {
      const path = `/v1/forms/${loaded.formId}/responses`;
      const headers = { Authorization: `Bearer ${loadedReadToken}` };
      await free(loaded, 'forms.responses', path, headers, { id: loaded.formId });
      await free(loaded, 'forms.responses', `${path}?cursor=r50&limit=20`, headers, { id: loaded.formId });
    },
  },
  {
    name: "the operator's worklist",
    run: ({ app }) => readWorklist(app, 100),
  },
  {
    name: 'the figures for the metrics',
    run: ({ app }) => readDatabaseFigures(app),
  },
  {
    name: "an operator's searches for calls",
    before: `
      SET session_replication_role = replica;
      UPDATE paid_call SET state = 'refunded', moved_at = now() WHERE id IN (
        SELECT id FROM paid_call WHERE state = 'delivered' AND operation = 'uploads.create' ORDER BY created_at LIMIT 1500)`,
    run: async ({ app, payer }) => {
      const [call] = (await findCalls(app, callQuery.parse({ network: 'base' }))).calls;
      if (!call?.transactionHash) throw new Error('there is no call on base');
      const queries: Record<string, string>[] = [
        {},
        { limit: '200', operation: 'forms.create' },
        { operation: 'render.pdf' },
        { state: 'delivered', network: 'base' },
        { state: 'refunded', rail: 'x402' },
        { state: 'settling' },
        { payer },
        { payer: `acct_${'0'.repeat(24)}` },
        { transaction: call.transactionHash },
        { id: call.id },
        { from: '2026-01-01', to: new Date().toISOString(), payer: loadedAccount.id },
      ];
      for (const query of queries) {
        const first = await findCalls(app, callQuery.parse(query));
        if (first.nextCursor) await findCalls(app, callQuery.parse({ ...query, cursor: first.nextCursor }));
      }
    },
  },
  {
    name: 'every job',
    before: `
      UPDATE paid_call SET answer_expires_at = now() - interval '1 second' WHERE id IN (
        SELECT id FROM paid_call WHERE answer IS NOT NULL ORDER BY created_at LIMIT 300);
      UPDATE upload SET expires_at = now() - interval '1 second' WHERE id IN (
        SELECT id FROM upload WHERE deleted_at IS NULL ORDER BY created_at LIMIT 20);
      UPDATE form SET readable_until = now() - interval '1 second' WHERE id IN (
        SELECT id FROM form WHERE erased_at IS NULL ORDER BY readable_until LIMIT 2)`,
    run: async ({ app }) => {
      for (const { run } of jobs) await run(app, new Date());
    },
  },
];
