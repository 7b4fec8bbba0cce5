import { createHash } from 'node:crypto';
import { VersionedTransaction } from '@solana/web3.js';
import { x402Client } from '@x402/core/client';
import type { PaymentPayload } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm';
import { ExactSvmScheme } from '@x402/svm';
import { Credential } from 'mppx';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { RailName } from '@/lib/catalog/operation';
import { challengeOf, paymentHeader } from '../../support/buyer';
import { aFile, bytesOf } from '../../support/files';
import { authorizationOf } from '../../support/lies';
import { mppClient } from '../../support/mpp-buyer';
import type { EvmWallet } from '../../support/paying-wallets';
import { smartWalletPayment } from '../../support/solana-envelopes';
import { network } from '../../support/stack';
import type { Slot } from '../../support/uploads';
import type { SolanaSmartWallet } from '../../support/wallet-program/wallet';
import type { NetworkName } from './chains';
import type { Rig, Wallet } from './rig';
import { pause } from './waiting';

/** Where a payment is made. */
export type PaidAt = NetworkName | 'account' | 'channel';

/** A signed request. It can be sent any number of times, always unchanged. */
export interface SignedRequest {
  readonly url: string;
  readonly payer: string;
  /** `account` or `channel` when the charge is made in the service's own books. */
  readonly network: PaidAt;
  readonly rail: RailName;
  readonly priceAtomic: bigint;
  /** The payment in the ledger. EVM: the nonce. Solana: SHA-256 of the message. Channel: id and total. Account: SHA-256 of the key. */
  readonly authorization: string;
  readonly init: { method: string; headers: Record<string, string>; body?: string };
}

export interface X402Request extends SignedRequest {
  readonly envelope: PaymentPayload;
}

/** The order: by default an upload. */
export interface Order {
  /** The path below /v1, without the rail, such as `/uploads/{id}/renew`. */
  path?: string;
  method?: string;
  /** By default a new file's upload request for `/uploads`, and nothing for any other path. */
  body?: string;
}

type Where = Pick<Rig, 'apiUrl' | 'chainUrl'>;

function bodyOf({ path = '/uploads', body }: Order): { body?: string; headers: Record<string, string> } {
  const text = body ?? (path === '/uploads' ? aFile().body : undefined);
  return { body: text, headers: text === undefined ? {} : { 'Content-Type': 'application/json' } };
}

/** The request that a wallet's official x402 client would send, by default on base or Solana. */
export async function sign(
  rig: Where,
  wallet: Wallet | EvmWallet | SolanaSmartWallet,
  order: Order = {},
  on: NetworkName = 'signTypedData' in wallet ? 'base' : 'solana-mainnet',
): Promise<X402Request> {
  const { path = '/uploads', method = 'POST' } = order;
  await sendFileFor(rig, path);
  const url = `${rig.apiUrl}/v1${path}`;
  const challenge = await challengeOf(url, method);
  const envelope = await ('member' in wallet
    ? smartWalletPayment(challenge, wallet)
    : officialClient(rig, wallet, on).createPaymentPayload(challenge));
  const { body, headers } = bodyOf(order);
  return {
    url,
    payer: wallet.address,
    network: on,
    rail: 'x402',
    priceAtomic: BigInt(envelope.accepted.amount),
    authorization:
      'signTypedData' in wallet
        ? authorizationOf(envelope).nonce.toLowerCase()
        : messageHash(Buffer.from(String(envelope.payload.transaction), 'base64')),
    envelope,
    init: { method, headers: { ...headers, ...paymentHeader(envelope) }, body },
  };
}

function officialClient(rig: Where, wallet: Wallet | EvmWallet, on: NetworkName): x402Client {
  const client = new x402Client((_, accepts) => {
    const wanted = accepts.find((candidate) => candidate.network === network(on).caip2);
    if (!wanted) throw new Error(`${on} is not offered`);
    return wanted;
  });
  return 'signTypedData' in wallet
    ? client.register('eip155:*', new ExactEvmScheme(wallet))
    : client.register('solana:*', new ExactSvmScheme(wallet, { rpcUrl: rig.chainUrl(on) }));
}

/** The request that a wallet's official MPP client would send. */
export async function signMpp(
  rig: Where,
  wallet: Wallet | EvmWallet,
  order: Order = {},
  on: NetworkName = 'base',
): Promise<SignedRequest> {
  if (!('signTypedData' in wallet) || on === 'solana-mainnet') throw new Error('MPP is paid on EVM networks');
  const { path = '/uploads', method = 'POST' } = order;
  await sendFileFor(rig, path);
  const url = `${rig.apiUrl}/v1/mpp${path}`;
  const { body, headers } = bodyOf(order);
  const unpaid = await fetch(`${url}?network=${on}`, { method, headers, body });
  // The client only uses the wallet's address and its signatures of typed data.
  const payer = wallet as PrivateKeyAccount;
  const Authorization = await mppClient(payer, on).createCredential(unpaid);
  const { payload } = Credential.deserialize<{ nonce: string; value: string }>(Authorization);
  return {
    url,
    payer: wallet.address,
    network: on,
    rail: 'mpp',
    priceAtomic: BigInt(payload.value),
    authorization: payload.nonce.toLowerCase(),
    init: { method, headers: { ...headers, Authorization }, body },
  };
}

/** The hash by which the ledger identifies a Solana payment. The fee payer's signature does not change the message. */
export function messageHash(transaction: Uint8Array): string {
  const { message } = VersionedTransaction.deserialize(transaction);
  return createHash('sha256').update(message.serialize()).digest('hex');
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any;
}

/** The same signed request at another instance of the service. */
export function at(apiUrl: string, request: SignedRequest): SignedRequest {
  return { ...request, url: request.url.replace(/^http:\/\/[^/]+/, apiUrl) };
}

/** Sends a request once. Rejects when the connection ends without an answer. */
export async function ask(request: SignedRequest, signal?: AbortSignal): Promise<Answer> {
  const answer = await fetch(request.url, { ...request.init, signal });
  const body = await answer.json();
  if (answer.ok && body.uploadUrl) slots.set(body.id, body);
  return { status: answer.status, headers: answer.headers, body };
}

/** The slots that were bought and whose files were not sent, by the IDs of their uploads. */
const slots = new Map<string, Pick<Slot, 'uploadUrl' | 'uploadHeaders'>>();

/**
 * Sends the file of an upload that is to be renewed, because an upload without its file cannot be.
 * @param rig the server to send it to: the one that sold the slot may be gone
 * @param path of the request, such as `/uploads/{id}/renew`; nothing is sent for any other
 */
export async function sendFileFor({ apiUrl }: Pick<Rig, 'apiUrl'>, path = ''): Promise<void> {
  const id = /^\/uploads\/([^/]+)\/renew$/.exec(path)?.[1] ?? '';
  const slot = slots.get(id);
  if (!slot) return;
  const body = bytesOf(slot.uploadHeaders['x-amz-meta-sha256'] ?? '');
  const url = new URL(slot.uploadUrl);
  // Only our own files origin is at every server.
  if (url.searchParams.has('signature')) url.port = new URL(apiUrl).port;
  const put = await fetch(url, { method: 'PUT', headers: slot.uploadHeaders, body });
  if (!put.ok) throw new Error(`the file was not taken: ${put.status} ${await put.text()}`);
  slots.delete(id);
}

/** Whether an answer is final for a conforming client: it does not ask for the same request again, now or later. */
function isFinal({ body }: Answer): boolean {
  return !['same_request', 'later'].includes(body?.error?.retry);
}

/** Sends the identical request until the answer is final, as a patient client does. */
export async function persist(
  request: SignedRequest,
  timeoutMs = 45_000,
  once: (request: SignedRequest, signal: AbortSignal) => Promise<Answer> = ask,
  patienceMs: () => number = () => 40_000,
  pauseMs = 200,
): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  let last = 'no answer';
  while (Date.now() < deadline) {
    const answer = await once(request, AbortSignal.timeout(patienceMs())).catch(() => null);
    if (answer && isFinal(answer)) return answer;
    if (answer) last = `${answer.status} ${JSON.stringify(answer.body)}`;
    await pause(pauseMs);
  }
  throw new Error(`no end to it in ${timeoutMs} ms; last: ${last}`);
}
