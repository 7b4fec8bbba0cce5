import { randomUUID } from 'node:crypto';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Operation, RailName } from '@/lib/catalog/operation';
import { pathWith } from '@/lib/catalog/operation';
import { accountWith, balanceIn } from '../support/accounts';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { expectUntouched, startAtomic } from '../support/expectations';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';

/** A payer that signs whatever is sent, so that only the input of a call can be wrong. */
export interface Sender {
  send(path: string, body: string | Buffer | null): Promise<Response>;
  /** Fails if anything was charged or claimed. */
  expectNothingPaid(): Promise<void>;
}

const on = 'base';

/** The path of an operation's example on a rail. */
export function examplePath({ paths, example }: Operation, rail: RailName): string {
  return pathWith(paths[rail] ?? '', example.params);
}

export async function senderFor(operation: Operation, rail: RailName): Promise<Sender> {
  const { method } = operation;
  const url = (path: string) => stack().apiUrl + path;
  const post = (path: string, body: string | Buffer | null, headers: Record<string, string>) => {
    const type: Record<string, string> = body === null ? {} : { 'Content-Type': 'application/json' };
    // `fetch` sends no body with GET.
    const sent = method === 'GET' ? null : (body as string | Uint8Array<ArrayBuffer> | null);
    return fetch(url(path), { method, headers: { ...type, ...headers }, body: sent });
  };
  if (rail === 'account') {
    const account = await accountWith('1');
    const before = await balanceIn(account);
    return {
      send: (path, body) =>
        post(path, body, { Authorization: `Bearer ${account.token}`, 'Idempotency-Key': randomUUID() }),
      async expectNothingPaid() {
        const after = await balanceIn(account);
        if (after !== before) throw new Error(`${before} became ${after}`);
      },
    };
  }
  const wallet = await newEvmPayer(startAtomic, [on]);
  const expectNothingPaid = () => expectUntouched(wallet, on);
  if (rail === 'mpp')
    return { send: (path, body) => sendOverMpp(wallet, path, body, post), expectNothingPaid };
  // The same payment each time: a refused call does not spend it.
  const headers = paymentHeader(await envelopeFor(url(examplePath(operation, rail)), wallet, on, method));
  return { send: (path, body) => post(path, body, headers), expectNothingPaid };
}

/** An MPP challenge is for one body, so each body gets its own signature. */
async function sendOverMpp(
  wallet: PrivateKeyAccount,
  path: string,
  body: string | Buffer | null,
  post: (path: string, body: string | Buffer | null, headers: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  const unpaid = await post(path, body, {});
  if (unpaid.status !== 402) return unpaid;
  const Authorization = await mppClient(wallet, on).createCredential(unpaid);
  return post(path, body, { Authorization });
}
