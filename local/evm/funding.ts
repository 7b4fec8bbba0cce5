import { encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem';
import { rpcBatch, rpcCall } from '../json-rpc';

// Storage slots of usdc.sol.
const balanceSlot = 0n;
const totalSupplySlot = 1n;

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

function balanceKey(owner: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [owner, balanceSlot]));
}

/** Reads USDC balances in atomic units. */
export async function readUsdcBalances(
  rpcUrl: string,
  usdc: string,
  owners: readonly Hex[],
): Promise<bigint[]> {
  const words = await rpcBatch(
    rpcUrl,
    owners.map((owner) => ['eth_getStorageAt', [usdc, balanceKey(owner), 'latest']] as const),
  );
  return words.map((value) => BigInt(value as Hex));
}

/** The mining interval of a chain on which a test mines the blocks itself. */
export const heldIntervalSeconds = 86_400;

/**
 * Sets USDC balances by writing the token's storage, without events, and adjusts the supply, which concurrent calls may get
 * wrong. Then mines a block, unless the chain is held: a node that mines a block while it reads the latest state may return the
 * state of the previous block, without later writes.
 */
export async function setUsdcBalances(
  rpcUrl: string,
  usdc: string,
  balances: readonly { owner: Hex; amountAtomic: bigint }[],
): Promise<void> {
  const before = await readUsdcBalances(
    rpcUrl,
    usdc,
    balances.map(({ owner }) => owner),
  );
  const supply = BigInt(
    (await rpcCall(rpcUrl, 'eth_getStorageAt', [usdc, word(totalSupplySlot), 'latest'])) as Hex,
  );
  const added = balances.reduce(
    (sum, { amountAtomic }, index) => sum + amountAtomic - (before[index] ?? 0n),
    0n,
  );
  await rpcBatch(rpcUrl, [
    ...balances.map(
      ({ owner, amountAtomic }) =>
        ['anvil_setStorageAt', [usdc, balanceKey(owner), word(amountAtomic)]] as const,
    ),
    ['anvil_setStorageAt', [usdc, word(totalSupplySlot), word(supply + added)]],
  ]);
  const interval = await rpcCall(rpcUrl, 'anvil_getIntervalMining');
  if (interval !== heldIntervalSeconds) await rpcCall(rpcUrl, 'evm_mine');
}

/** Sets the balance of every owner with less than `floorAtomic` USDC to `amountAtomic`. */
export async function topUpUsdc(
  rpcUrl: string,
  usdc: string,
  owners: readonly Hex[],
  floorAtomic: bigint,
  amountAtomic: bigint,
): Promise<void> {
  const balances = await readUsdcBalances(rpcUrl, usdc, owners);
  const short = owners.filter((_, index) => (balances[index] ?? 0n) < floorAtomic);
  if (short.length > 0)
    await setUsdcBalances(
      rpcUrl,
      usdc,
      short.map((owner) => ({ owner, amountAtomic })),
    );
}

/** Sets an account's native balance to `wei` if less than a tenth of that is left. */
export async function topUpGas(rpcUrl: string, address: Hex, wei: bigint): Promise<void> {
  const balance = BigInt((await rpcCall(rpcUrl, 'eth_getBalance', [address, 'latest'])) as Hex);
  if (balance < wei / 10n) await rpcCall(rpcUrl, 'anvil_setBalance', [address, numberToHex(wei)]);
}
