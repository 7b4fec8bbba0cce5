import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  concatHex,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  parseAbi,
  serializeErc6492Signature,
  zeroAddress,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { rpcBatch, rpcCall } from '@/local/json-rpc';
import { safeContracts } from './full-tier-packages';
import { chainIdOf, type EvmWallet, newKey, send, walletAt } from './paying-wallets';

const safeAbi = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)',
]);

/** The addresses at which Safe's published contracts are installed. */
const safe = {
  singleton: '0x5afe000000000000000000000000000000000001',
  handler: '0x5afe000000000000000000000000000000000002',
  factory: '0x5afe000000000000000000000000000000000003',
} as const;

/** A Safe, which may not be deployed yet. */
export interface Safe extends EvmWallet {
  readonly owners: readonly PrivateKeyAccount[];
  /** Deploys the Safe, as its first transaction would. */
  deploy(): Promise<void>;
  /** The same Safe, with its signatures in an ERC-6492 wrapper. */
  readonly wrapping: EvmWallet;
  /** The signatures of some of its owners. `isMessage`: as `eth_sign` makes them, with 31 or 32 at the end. */
  sign(digest: Hex, owners: readonly PrivateKeyAccount[], isMessage?: boolean): Promise<Hex>;
}

/** A Safe 1.5 that is not deployed, with new owners, of which `threshold` must sign. */
export async function newSafe(rpcUrl: string, ownerCount = 1, threshold = 1): Promise<Safe> {
  const codes = await Promise.all(
    Object.entries(safeContracts).map(async ([name, file]) => {
      const { deployedBytecode } = JSON.parse(await readFile(file, 'utf8'));
      return ['anvil_setCode', [safe[name as keyof typeof safe], deployedBytecode]] as const;
    }),
  );
  await rpcBatch(rpcUrl, codes);
  const chainId = await chainIdOf(rpcUrl);
  const owners = Array.from({ length: ownerCount }, newKey);
  const addresses = owners.map(({ address }) => address);
  const setUp = encodeFunctionData({
    abi: safeAbi,
    functionName: 'setup',
    args: [addresses, BigInt(threshold), zeroAddress, '0x', safe.handler, zeroAddress, 0n, zeroAddress],
  });
  const salt = BigInt(`0x${randomBytes(16).toString('hex')}`);
  const data = encodeFunctionData({
    abi: safeAbi,
    functionName: 'createProxyWithNonce',
    args: [safe.singleton, setUp, salt],
  });
  const word = (await rpcCall(rpcUrl, 'eth_call', [{ to: safe.factory, data }, 'latest'])) as Hex;
  const address: Hex = `0x${word.slice(-40)}`;
  const sign: Safe['sign'] = async (digest, signers, isMessage = false) => {
    const typed = {
      domain: { chainId, verifyingContract: address },
      types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'SafeMessage',
      message: { message: digest },
    } as const;
    const sorted = [...signers].sort((one, other) =>
      one.address.toLowerCase() < other.address.toLowerCase() ? -1 : 1,
    );
    const signatures = sorted.map(async (owner) => {
      if (!isMessage) return owner.signTypedData(typed);
      const signature = await owner.signMessage({ message: { raw: hashTypedData(typed) } });
      return concatHex([`0x${signature.slice(2, 130)}`, signature.endsWith('1b') ? '0x1f' : '0x20']);
    });
    return concatHex(await Promise.all(signatures));
  };
  const signDigest = (digest: Hex) => sign(digest, owners.slice(0, threshold));
  return {
    ...walletAt(address, signDigest),
    owners,
    sign,
    deploy: async () => void (await send(rpcUrl, { to: safe.factory, data })),
    wrapping: walletAt(address, async (digest) =>
      serializeErc6492Signature({ address: safe.factory, data, signature: await signDigest(digest) }),
    ),
  };
}
