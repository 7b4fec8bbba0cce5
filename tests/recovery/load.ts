import { uploads } from '@/lib/catalog';
import type { History } from './history/history';
import { depositInto, fundedAccount, payFrom } from './rig/accounts';
import { signDeposit, signVoucherAfter } from './rig/channels';
import { newCodeWallet } from './rig/hostile-wallets';
import { newPayer, type PaymentMethod, signFor } from './rig/payment-methods';
import { type Order, persist, type SignedRequest, sendFileFor, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';
import { wallets } from './rig/wallets-with-code';

/** How a client of a mixed load pays: a protocol on a network, from a key or a contract wallet, or an account or channel. */
export type LoadPayer = PaymentMethod | 'contract wallet' | 'account' | 'channel';

/** A running client. `stop` lets it finish what it has begun. */
export interface Buyer {
  /** Resolves when the client has its money and starts to buy. */
  readonly began: Promise<void>;
  stop(): void;
  readonly ended: Promise<void>;
}

/** For how long a client keeps trying to get one answer. */
const insistMs = 120_000;

/** @returns a function that cycles through the rigs */
function inTurn(rigs: readonly Rig[]): () => Rig {
  let turn = 0;
  return () => {
    turn += 1;
    return rigs[turn % rigs.length] as Rig;
  };
}

/** Signs the calls of a client. */
interface Signer {
  sign(rig: Rig, order: Order): Promise<SignedRequest>;
  /** Is told that one of its requests was charged. */
  paid(request: SignedRequest): void;
}

async function walletSigner(rig: Rig, payWith: PaymentMethod): Promise<Signer> {
  const wallet = await newPayer(rig, payWith);
  return { sign: (at, order) => signFor(payWith, at, wallet, order), paid: () => undefined };
}

/** A contract that accepts every signature, on base. */
async function contractSigner(rig: Rig): Promise<Signer> {
  const wallet = await newCodeWallet(rig, wallets.accept);
  return { sign: (at, order) => sign(at, wallet, order), paid: () => undefined };
}

/** Fewer than a dollar buys, at half a cent each. */
const callsPerDeposit = 150;

/** Pays from an account, and deposits another dollar before the last one is spent. */
async function accountSigner(rig: Rig): Promise<Signer> {
  const account = await fundedAccount(rig);
  let signed = 0;
  return {
    async sign(at, order) {
      if (signed % callsPerDeposit === callsPerDeposit - 1) await persist(await depositInto(at, account));
      signed += 1;
      return payFrom(at, account, order.path === undefined ? uploads.create : uploads.renew, order);
    },
    paid: () => undefined,
  };
}

/** Deposits with its first call, and pays for the others from its channel. A refused total is signed again for another call. */
async function channelSigner(rig: Rig): Promise<Signer> {
  const wallet = await rig.newEvmPayer();
  let last: SignedRequest | null = null;
  return {
    sign: (at, order) =>
      last === null ? signDeposit(at, wallet, order) : signVoucherAfter(at, wallet, last, order),
    paid(request) {
      last = request;
    },
  };
}

function signerOf(rig: Rig, payWith: LoadPayer): Promise<Signer> {
  switch (payWith) {
    case 'channel':
      return channelSigner(rig);
    case 'account':
      return accountSigner(rig);
    case 'contract wallet':
      return contractSigner(rig);
    default:
      return walletSigner(rig, payWith);
  }
}

/**
 * A wallet that creates, renews and deletes uploads, one after another, and retries until it has every answer.
 * @param rigs the instances of the service; price requests, calls and retries go to each in turn
 */
export function startBuyer(rigs: readonly Rig[], payWith: LoadPayer, history: History): Buyer {
  let isOver = false;
  const nextToAsk = inTurn(rigs);
  const nextToBuyAt = inTurn(rigs);
  const [first] = rigs;
  if (!first) throw new Error('a buyer needs a server');
  const funded = signerOf(first, payWith);
  const shop = async () => {
    const signer = await funded;
    const buy = async (path?: string, method?: string): Promise<string | null> => {
      const ask = async () => {
        const at = nextToAsk();
        await sendFileFor(at, path);
        return signer.sign(at, { path, method });
      };
      // A server that is still starting gives no price.
      const request = await until('a price', () => ask().catch(() => null));
      const { status, body } = await history.persist(
        request,
        insistMs,
        undefined,
        () => nextToBuyAt().apiUrl,
      );
      if (status === 200) signer.paid(request);
      return status === 200 ? (body.id as string) : null;
    };
    while (!isOver) {
      const id = await buy();
      if (id) await buy(`/uploads/${id}/renew`);
      // The holder of an account deletes without paying.
      if (id && payWith !== 'account') await buy(`/uploads/${id}`, 'DELETE');
    }
  };
  const ended = shop();
  // The test awaits buyers later; until then a failure must not count as an unhandled rejection.
  ended.catch(() => undefined);
  return {
    began: funded.then(() => undefined),
    stop() {
      isOver = true;
    },
    ended,
  };
}
