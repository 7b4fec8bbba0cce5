import {
  BaseError,
  decodeAbiParameters,
  ExecutionRevertedError,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  type PublicClient,
  parseAbi,
  prepareEncodeFunctionData,
} from 'viem';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import type { Payment } from '@/lib/payments/payment';
import { groupSizeMax } from './evm-gas';
import { encodeTransfer } from './usdc-token';

/**
 * The multicall contract that makes several transfers in one transaction. One failing transfer does not affect the
 * others.
 */
export interface Batcher {
  readonly address: Hex;
  /** Whether each call has its own gas limit, so that no payer can use up the gas of the others. */
  readonly hasGasLimits: boolean;
  /** The most payments in one transaction. */
  readonly sizeMax: number;
}

/** The result of one call in a batch. */
export interface BatchResult {
  readonly success: boolean;
  readonly returnData: Hex;
}

/** The same address on every chain (multicall3.com). */
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
/** Without gas limits one call can fail the whole batch, so batches are small. */
const sizeMaxWithoutLimits = 16;

/** Uniswap's interface multicall. */
const multicallAbi = parseAbi([
  'struct Call { address target; uint256 gasLimit; bytes callData; }',
  'struct Result { bool success; uint256 gasUsed; bytes returnData; }',
  'function multicall(Call[] calls) returns (uint256 blockNumber, Result[] returnData)',
]);
const [multicallFunction] = multicallAbi;
const [aggregate3Function] = multicall3Abi;

/** Prepared once, so that selectors are not hashed for every payment. */
const multicallCall = prepareEncodeFunctionData({ abi: multicallAbi, functionName: 'multicall' });
const aggregateCall = prepareEncodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3' });

/** Calldata that attempts every payment. `cap` is the gas limit of each, if the batcher supports gas limits. */
export function encodeBatch(
  batcher: Batcher,
  token: Hex,
  payments: readonly Pick<Payment<EvmSigned>, 'signed'>[],
  cap: bigint,
): Hex {
  const calls = payments.map(({ signed }) => ({
    target: signed.call?.to ?? token,
    callData: encodeTransfer(signed),
  }));
  if (!batcher.hasGasLimits) {
    const lenient = calls.map((call) => ({ ...call, allowFailure: true }));
    return encodeFunctionData({ ...aggregateCall, args: [lenient] });
  }
  return encodeFunctionData({
    ...multicallCall,
    args: [calls.map((call) => ({ ...call, gasLimit: cap }))],
  });
}

/** Decodes a batch's results, one per call. Throws when there is no contract at its address. */
export function decodeBatch({ hasGasLimits }: Batcher, data: Hex | undefined): readonly BatchResult[] {
  if (!data) throw new Error('the multicall contract returned nothing');
  if (!hasGasLimits) return decodeAbiParameters(aggregate3Function.outputs, data)[0];
  return decodeAbiParameters(multicallFunction.outputs, data)[1];
}

/**
 * Finds the multicall contract of a network by testing it: one that enforces gas limits, otherwise Multicall3.
 * @returns null when the chain has neither
 */
export async function findBatcher(client: PublicClient, network: EvmNetwork): Promise<Batcher | null> {
  const { interfaceMulticall } = network;
  const [keepsLimits, multicall3Code] = await Promise.all([
    interfaceMulticall !== null && keepsGasLimits(client, interfaceMulticall),
    client.getCode({ address: multicall3 }),
  ]);
  if (interfaceMulticall !== null && keepsLimits)
    return { address: interfaceMulticall, hasGasLimits: true, sizeMax: groupSizeMax(network) };
  return multicall3Code ? { address: multicall3, hasGasLimits: false, sizeMax: sizeMaxWithoutLimits } : null;
}

/** The precompile that returns its input, for 15 gas and 3 per word. */
const identity = '0x0000000000000000000000000000000000000004';
const echoed = `0x${'5a'.repeat(32)}` as const;

/** Tests whether a call with too little gas fails and the next one still succeeds. */
async function keepsGasLimits(client: PublicClient, address: Hex): Promise<boolean> {
  const calls = [5n, 50_000n].map((gasLimit) => ({ target: identity, gasLimit, callData: echoed }) as const);
  const call = encodeFunctionData({ abi: multicallAbi, functionName: 'multicall', args: [calls] });
  const data = await client.call({ to: address, data: call }).then(({ data }) => data, unlessReverted);
  if (!data) return false;
  try {
    const [tooLittle, enough] = decodeAbiParameters(multicallFunction.outputs, data)[1];
    return tooLittle?.success === false && enough?.success === true && enough.returnData === echoed;
  } catch {
    // It is another contract.
    return false;
  }
}

/** Handles the error of a call that may revert: a revert gives no result. Any other failure of the node is rethrown. */
export function unlessReverted(error: unknown): undefined {
  const isRevert =
    error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError);
  if (!isRevert) throw error;
}
