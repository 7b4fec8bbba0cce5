import { formatEther, type Hex, isAddressEqual } from 'viem';
import type { EvmNetwork, Offer } from '@/lib/payments/networks';
import type {
  Charge,
  EvmSigned,
  Outcome,
  Payment,
  SettlementJournal,
  Settler,
  Trace,
  Verification,
} from '@/lib/payments/payment';
import { usdcDomainSeparator } from './authorization';
import { multicall3, tokenAbi } from './calls';
import { EvmChain } from './chain';
import { findOutEvm } from './find-out';
import { EvmSender } from './sender';
import { EvmSigner } from './signer';

/** The charges of an EVM network carry EVM payments: the rails bind payments to the networks they name. */
function evmPayment(payment: Payment): Payment<EvmSigned> {
  if (payment.signed.family !== 'evm') throw new Error(`not an EVM payment on ${payment.network}`);
  return { ...payment, signed: payment.signed };
}

/** Settles on an EVM network by itself: official encodings, our own key. */
export class EvmSettler implements Settler {
  readonly feePayer = null;
  readonly #chain: EvmChain;
  readonly #sender: EvmSender;

  constructor(offer: Offer<EvmNetwork>, key: Hex, journal: SettlementJournal) {
    this.#chain = new EvmChain(offer);
    this.#sender = new EvmSender(this.#chain, new EvmSigner(key), journal);
  }

  verify(payment: Payment): Promise<Verification> {
    return this.#chain.verify(evmPayment(payment));
  }

  settle(charge: Charge): Promise<Outcome> {
    return this.#sender.charge({ paidCallId: charge.paidCallId, payment: evmPayment(charge.payment) });
  }

  findOut(payment: Payment, trace: Trace): Promise<Outcome> {
    return findOutEvm(this.#chain, evmPayment(payment), trace);
  }

  check(): Promise<string[]> {
    return checkEvmNetwork(this.#chain, this.#sender.address as Hex);
  }
}

/** Gas for some thousand settlements: enough to go on, low enough to warn in time. */
const gasBalanceMin = 10n ** 14n;

/** Is this the chain we think, with the token we think, and can we pay for gas? Asked before the network is offered. */
export async function checkEvmNetwork(chain: EvmChain, signer: Hex | null): Promise<string[]> {
  const { network, payTo } = chain.offer;
  const problems: string[] = [];
  const chainId = await chain.client.getChainId();
  if (chainId !== network.chainId) {
    return [`the RPC serves chain ${chainId}, not ${network.chainId}`];
  }
  const [separator, multicallCode] = await Promise.all([
    chain.client
      .readContract({ address: chain.token, abi: tokenAbi, functionName: 'DOMAIN_SEPARATOR' })
      .catch(() => null),
    chain.client.getCode({ address: multicall3 }),
  ]);
  if (separator !== usdcDomainSeparator(chain.offer)) {
    problems.push(`the token at ${chain.token} does not report the EIP-712 domain of USD Coin, version 2`);
  }
  if (!multicallCode) problems.push(`there is no Multicall3 at ${multicall3}`);
  if (isAddressEqual(payTo as Hex, '0x0000000000000000000000000000000000000000')) {
    problems.push('PAY_TO_EVM is the zero address');
  }
  if (signer) {
    const balance = await chain.client.getBalance({ address: signer });
    if (balance < gasBalanceMin) {
      problems.push(`the settlement key ${signer} holds ${formatEther(balance)} of gas money`);
    }
  }
  return problems;
}
