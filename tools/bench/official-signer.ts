// The key of the official facilitator, made into a signer as in the packages' own documentation.
import { toFacilitatorEvmSigner } from '@x402/evm';
import { createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

/** Pays for gas. */
export const account = privateKeyToAccount(process.env.BENCH_SIGNER_KEY as Hex);
const pollingMs = Number(process.env.BENCH_POLLING_MS ?? 0);

function makeClient() {
  return createWalletClient({
    account,
    chain: base,
    transport: http(process.env.BENCH_RPC_URL),
    ...(pollingMs > 0 ? { pollingInterval: pollingMs } : {}),
  }).extend(publicActions);
}

type Signer = Parameters<typeof toFacilitatorEvmSigner>[0];
const wallet = Object.assign(makeClient(), { address: account.address }) as unknown as Signer;

/** The send queue: a transaction gets its nonce once the previous one has been sent to the node. */
function queued(signer: Signer): Signer {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...signer,
    writeContract(args) {
      const sent = last.then(() => signer.writeContract(args));
      last = sent.catch(() => undefined);
      return sent;
    },
  };
}

export const officialSigner = toFacilitatorEvmSigner(process.env.BENCH_SEND_QUEUE ? queued(wallet) : wallet);
