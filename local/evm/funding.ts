import { encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem';
import { rpcBatch, rpcCall } from '../json-rpc';

// Storage slots of usdc.sol.
const balanceSlot = 0n;
const totalSupplySlot = 1n;
const pausedSlot = 4n;
const blockListSlot = 5n;

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

const keyIn = (slot: bigint, owner: Hex): Hex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [owner, slot]));

const balanceKey = (owner: Hex): Hex => keyIn(balanceSlot, owner);

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
  await mineUnlessHeld(rpcUrl);
}

async function mineUnlessHeld(rpcUrl: string): Promise<void> {
  const interval = await rpcCall(rpcUrl, 'anvil_getIntervalMining');
  if (interval !== heldIntervalSeconds) await rpcCall(rpcUrl, 'evm_mine');
}

/** Pauses the token, as Circle can, or lets it go on. */
export async function setUsdcPaused(rpcUrl: string, usdc: string, isPaused: boolean): Promise<void> {
  await rpcCall(rpcUrl, 'anvil_setStorageAt', [usdc, word(pausedSlot), word(isPaused ? 1n : 0n)]);
  await mineUnlessHeld(rpcUrl);
}

/** Puts an account on the token's block list, as Circle can, or takes it off. */
export async function setUsdcBlocked(
  rpcUrl: string,
  usdc: string,
  account: Hex,
  isBlocked: boolean,
): Promise<void> {
  const key = keyIn(blockListSlot, account);
  await rpcCall(rpcUrl, 'anvil_setStorageAt', [usdc, key, word(isBlocked ? 1n : 0n)]);
  await mineUnlessHeld(rpcUrl);
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
