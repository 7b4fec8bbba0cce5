import type { EIP1193Provider } from 'mipd';
import { randomHex } from './bytes';
import { connect, signTypedData, switchTo } from './evm';
import type { PayableNetwork } from './networks';
import { type Accepted, send } from './request';
import { connectToSolana, type SolanaCluster, signOnSolana, type Wallet } from './solana';
import { Stopped, walletStopped } from './stopped';
import type { FoundWallet } from './wallets';

/** Signatures of wallets for x402 payments (scheme exact). */

/** An entry of a 402, with the server's time in seconds. Signatures are valid for minutes, and a reader's clock may be wrong. */
export interface Challenge {
  readonly accepted: Accepted;
  readonly now: number;
}

/** Where the service makes the unsigned transaction for a Solana wallet, and its input besides the payer. */
export interface TransactionSource {
  readonly path: string;
  readonly input: Readonly<Record<string, string>>;
}

/** Lets a wallet sign the payment of a challenge. @returns the payload of an x402 payment */
export async function signPayment(
  wallet: FoundWallet,
  network: PayableNetwork,
  challenge: Challenge,
  { cluster, source }: { readonly cluster: SolanaCluster; readonly source: TransactionSource },
): Promise<object> {
  try {
    return wallet.family === 'evm'
      ? await signOnEvm(wallet.provider, network, challenge)
      : await signTransaction(wallet.wallet, cluster, source);
  } catch (error) {
    throw walletStopped(error, wallet.name);
  }
}

/** Fields of an EIP-3009 transfer authorization, in order. */
const types = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

/** Like the official client: the authorization is valid even for a clock that is ten minutes slow. */
const backdatedSeconds = 600;

/** An EIP-3009 authorization, signed by EIP-712. */
async function signOnEvm(
  provider: EIP1193Provider,
  { label, chain }: PayableNetwork,
  { accepted, now }: Challenge,
): Promise<object> {
  const [from] = await connect(provider);
  if (!from) throw noAccount();
  const chainId = Number(accepted.network.slice('eip155:'.length));
  await switchTo(provider, chainId, label, chain);
  const authorization = {
    from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(now - backdatedSeconds),
    validBefore: String(now + accepted.maxTimeoutSeconds),
    nonce: `0x${randomHex(32)}`,
  };
  const domain = {
    name: accepted.extra.name,
    version: accepted.extra.version,
    chainId,
    verifyingContract: accepted.asset,
  };
  const typed = { types, primaryType: 'TransferWithAuthorization', domain, message: authorization };
  return { signature: await signTypedData(provider, from, typed), authorization };
}

/** The page may only connect to this service, so the service makes the transaction. */
async function signTransaction(
  wallet: Wallet,
  cluster: SolanaCluster,
  { path, input }: TransactionSource,
): Promise<object> {
  const [account] = await connectToSolana(wallet, cluster);
  if (!account) throw noAccount();
  const body = JSON.stringify({ ...input, payer: account.address });
  const answer = await send({ method: 'POST', path, body });
  const made = (answer?.body as { transaction?: string } | null)?.transaction;
  if (made === undefined) throw new Stopped('The payment could not be prepared. Try again in a moment.');
  return { transaction: await signOnSolana(wallet, cluster, account, made) };
}

const noAccount = () => new Stopped('The wallet has no account to pay from.');
