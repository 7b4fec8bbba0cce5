import {
  BaseError,
  type CallParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseErc6492Signature,
  RpcRequestError,
} from 'viem';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { ChainPlatform } from '@/lib/platform/platform';
import { EvmChain } from './evm-chain';

const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** ERC-1271. */
const magicValue = '0x1626ba7e';
/** Enough for a passkey that is verified in Solidity, twice over. */
const gasMax = 1_000_000n;

/** Asks the contract wallets of a network whether signatures are valid (ERC-1271). Moves no money. */
export class ContractWallets {
  readonly #chain: EvmChain;

  constructor(app: ChainPlatform, offer: Offer<EvmNetwork>, nodes: RpcNodes) {
    // Nothing waits for a block here.
    this.#chain = new EvmChain(app, { ...offer, blocksUrl: null }, nodes);
  }

  /**
   * Whether the contract at an address accepts a signature of a hash. Every RPC that responds must say so, because one may
   * lie. The signature of a wallet that was not deployed when it signed (ERC-6492) is valid once the wallet is deployed.
   * @throws when no RPC responds
   */
  async accepts(address: Hex, hash: Hex, signature: Hex): Promise<boolean> {
    const inner = unwrap(signature);
    if (!inner) return false;
    const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args: [hash, inner] });
    const call: CallParameters = { to: address, data, gas: gasMax };
    const accepted = await this.#chain.unanimous(
      (client) => client.call(call).then(({ data: answer }) => isMagic(answer), unlessNodeFailed),
      String,
    );
    return accepted === true;
  }
}

function unwrap(signature: Hex): Hex | null {
  try {
    return parseErc6492Signature(signature).signature;
  } catch {
    return null;
  }
}

/** A call to an address without code returns nothing. */
function isMagic(answer: Hex | undefined): boolean {
  return answer !== undefined && answer.length >= 66 && answer.slice(0, 66) === magicValue.padEnd(66, '0');
}

/** A contract that reverts, or needs too much gas, does not accept. @throws when the node did not respond */
function unlessNodeFailed(error: unknown): boolean {
  const isAnswered = error instanceof BaseError && error.walk((cause) => cause instanceof RpcRequestError);
  if (!isAnswered) throw error;
  return false;
}
