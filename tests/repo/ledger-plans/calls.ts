import { createHash, randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { App } from '@/lib/app';
import type { Claim } from '@/lib/calls/call-store';
import type { PaidCall } from '@/lib/calls/paid-call';
import { recordResult } from '@/lib/ledger/call-moves';
import { claim } from '@/lib/ledger/claim';
import { findEarlier } from '@/lib/ledger/paid-call-rows';
import { settlementJournal } from '@/lib/ledger/settlement-journal';
import type { Payment } from '@/lib/payments/payment';
import { newOrderedId } from '@/lib/platform/ids';
import { findService } from '@/lib/services';
import { loadedAccount } from '@/tools/bench/loaded-rows';
import { askApp } from '../../support/ask-app';

/** A ledger filled with calls, and an app that works on it. */
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

export const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}` as const;
const hello = createHash('sha256').update('hello').digest();
export const upload = {
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
      signer: 'key',
    },
  };
}

/** Claims a call as a paid request does. */
export async function claimCall(loaded: Loaded): Promise<PaidCall> {
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
    requestDigest: createHash('sha256').update('request').digest(),
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

/** Records a signed transaction with these calls. @returns its hash */
export async function prepareTransaction(loaded: Loaded, calls: readonly PaidCall[]): Promise<`0x${string}`> {
  const { app, signer } = loaded;
  const journal = settlementJournal(app);
  const lease = await journal.leases.acquire('base', signer, []);
  const hash = hex(32);
  await journal.outbox.recordPrepared({
    network: 'base',
    signer,
    nonce: lease?.nextNonce ?? 0n,
    hash,
    raw: new Uint8Array(100),
    charges: calls.map(({ id, payment }) => ({ paidCallId: id, payment })),
  });
  return hash;
}

/** Settles calls in one transaction, from preparation until it is in a block. */
export async function settle(loaded: Loaded, calls: readonly PaidCall[]): Promise<string> {
  const journal = settlementJournal(loaded.app);
  const charges = calls.map(({ id, payment }) => ({ paidCallId: id, payment }));
  const hash = await prepareTransaction(loaded, calls);
  const block = { number: 1_000_000_000n, hash: hex(32) };
  await journal.outbox.recordMined({
    network: 'base',
    hash,
    block,
    gasUsed: 100_000n,
    feeAtomic: 1n,
    feeInVainAtomic: 0n,
    inVain: [],
    failedIds: [],
    outcomes: charges.map((charge) => ({
      charge,
      outcome: { kind: 'settled', transactionHash: hash, block },
    })),
  });
  return hash;
}

export async function deliver(
  { app, payer }: Loaded,
  call: PaidCall,
  transactionHash: string,
): Promise<void> {
  const now = new Date();
  const delivery = { payer, onlyOn: null, paidCallId: call.id, transactionHash, prepared: null, now };
  const output = await findService(call.operation)?.deliver(app, upload, delivery);
  await recordResult(app, call, { status: 200, body: JSON.stringify(output) }, null, now);
}

export const asHolder = { Authorization: `Bearer ${loadedAccount.token}` };

export async function free({ app }: Loaded, path: string, headers: Record<string, string>) {
  const response = await askApp(app, new Request(`https://api.example.com${path}`, { headers }));
  if (response.status !== 200) throw new Error(`${path}: ${response.body}`);
  return JSON.parse(response.body ?? '');
}

/** A wallet that signs in to list what it has bought. */
export const lister = privateKeyToAccount(`0x${'5'.repeat(64)}`);

/** Makes a call that is paid from the account, and returns the id of its upload. */
export async function charge(
  { app }: Loaded,
  path: string,
  { key = randomBytes(16).toString('hex'), body }: { key?: string; body?: object } = {},
): Promise<string> {
  const request = new Request(`https://api.example.com${path}`, {
    method: 'POST',
    headers: { ...asHolder, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: body && JSON.stringify(body),
  });
  const response = await askApp(app, request);
  if (response.status !== 200) throw new Error(`not charged: ${response.body}`);
  return JSON.parse(response.body ?? '').id;
}
