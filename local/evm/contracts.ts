import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Hex } from 'viem';
import { rpcBatch, rpcCall } from '../json-rpc';
import type { EvmNetwork } from '../networks';
import { compile } from './compile';

/** The address that Multicall3 has on every chain, and that viem and the official facilitator expect it at. */
const multicall3Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Places USDC, Multicall3 and the interface multicall at their real addresses. Balances already there stay. */
export async function placeContracts(
  rpcUrl: string,
  { usdc, interfaceMulticall }: Pick<EvmNetwork, 'usdc' | 'interfaceMulticall'>,
): Promise<void> {
  const [usdcCode, multicallCode, multicall3Code] = await Promise.all([
    compile('usdc'),
    compile('multicall'),
    readMulticall3Code(rpcUrl),
  ]);
  await rpcBatch(rpcUrl, [
    ['anvil_setCode', [usdc, usdcCode]],
    ['anvil_setCode', [interfaceMulticall, multicallCode]],
    ['anvil_setCode', [multicall3Address, multicall3Code]],
  ]);
}

async function readMulticall3Code(rpcUrl: string): Promise<Hex> {
  // viem carries the creation code but does not export it; its version is pinned exactly in package.json.
  const viemMain = createRequire(import.meta.url).resolve('viem');
  const constants = path.join(path.dirname(viemMain), '..', '_esm', 'constants', 'contracts.js');
  const { multicall3Bytecode } = (await import(pathToFileURL(constants).href)) as { multicall3Bytecode: Hex };
  // Running creation code as a call answers the runtime code.
  return (await rpcCall(rpcUrl, 'eth_call', [{ data: multicall3Bytecode }, 'latest'])) as Hex;
}
