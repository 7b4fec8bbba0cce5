import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BATCH_SETTLEMENT_ADDRESS, ERC3009_DEPOSIT_COLLECTOR_ADDRESS } from '@x402/evm';
import { type Hex, pad } from 'viem';
import writeFileAtomic from 'write-file-atomic';
import { rpcBatch, rpcCall } from '../json-rpc';

const require = createRequire(import.meta.url);

/** The compiled code of a contract. */
export interface ContractCode {
  /** Runs once, with the constructor's arguments after it, and returns the runtime code. */
  readonly creation: Hex;
  /** The code at the contract's address. */
  readonly runtime: Hex;
}

type Compiled = Readonly<Record<string, ContractCode>>;

type CompilerOutput = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<
    string,
    Record<string, { evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }>
  >;
};

/** The address of Multicall3 on every chain, where viem and the official facilitator expect it. */
const multicall3Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Where the code of the local USDC is. Its balances are at the token's address, as behind Circle's proxy. */
const usdcCodeAddress = '0x00000000000000000000000000000000C12c1E01';
const usdcAdmin = '0x00000000000000000000000000000000c12c1E02';
/** The storage slots of Circle's proxy: keccak256 of `org.zeppelinos.proxy.implementation` and `….admin`. */
const proxySlots = {
  implementation: '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
  admin: '0x10d6a54a4754c8869d6886b5f5d7fbfa5b4522237ea5c60d11bc4e7a1ff9390b',
} as const;

/** Places USDC, the multicalls and x402's batch settlement at their real addresses. Existing balances stay. */
export async function placeContracts(
  rpcUrl: string,
  { usdc, interfaceMulticall }: { usdc: string; interfaceMulticall: string | null },
): Promise<void> {
  const [usdcCode, proxyCode, multicallCode, settlementCode, collectorCode, multicall3Code] =
    await Promise.all([
      runtimeOf('usdc.sol', 'Usdc'),
      runtimeOf('usdc.sol', 'UsdcProxy'),
      runtimeOf('multicall.sol', 'InterfaceMulticall'),
      runtimeOf('batch-settlement.sol', 'BatchSettlement'),
      runtimeOf('batch-settlement.sol', 'Erc3009DepositCollector'),
      readMulticall3Code(rpcUrl),
    ]);
  await rpcBatch(rpcUrl, [
    ['anvil_setCode', [usdcCodeAddress, usdcCode]],
    ['anvil_setCode', [usdc, proxyCode]],
    ['anvil_setStorageAt', [usdc, proxySlots.implementation, pad(usdcCodeAddress)]],
    ['anvil_setStorageAt', [usdc, proxySlots.admin, pad(usdcAdmin)]],
    ...(interfaceMulticall === null ? [] : [['anvil_setCode', [interfaceMulticall, multicallCode]] as const]),
    ['anvil_setCode', [multicall3Address, multicall3Code]],
    ['anvil_setCode', [BATCH_SETTLEMENT_ADDRESS, settlementCode]],
    ['anvil_setCode', [ERC3009_DEPOSIT_COLLECTOR_ADDRESS, collectorCode]],
  ]);
}

async function readMulticall3Code(rpcUrl: string): Promise<Hex> {
  // viem contains the creation code but does not export it. package.json pins viem to an exact version.
  const folder = path.dirname(require.resolve('viem/package.json'));
  const constants = path.join(folder, '_esm', 'constants', 'contracts.js');
  const { multicall3Bytecode } = (await import(pathToFileURL(constants).href)) as { multicall3Bytecode: Hex };
  // Running creation code as a call returns the runtime code.
  return (await rpcCall(rpcUrl, 'eth_call', [{ data: multicall3Bytecode }, 'latest'])) as Hex;
}

const compiled = new Map<string, Promise<Compiled>>();

/** The runtime code of a contract in a source file of this folder. */
async function runtimeOf(file: string, contract: string): Promise<Hex> {
  const contracts = await compileContracts(fileURLToPath(new URL(`./${file}`, import.meta.url)));
  const code = contracts[contract];
  if (!code) throw new Error(`${file} has no contract ${contract}`);
  return code.runtime;
}

/** The contracts of a source file, by name. Each version of a source is compiled once and kept in node_modules/.cache. */
export function compileContracts(file: string): Promise<Compiled> {
  const known = compiled.get(file) ?? readOrCompile(file);
  compiled.set(file, known);
  return known;
}

async function readOrCompile(file: string): Promise<Compiled> {
  const source = await readFile(file, 'utf8');
  const compiler = require.resolve('solc/solc.js');
  const version: string = require('solc/package.json').version;
  const hash = createHash('sha256').update(version).update(source).digest('hex').slice(0, 16);
  const modules = path.dirname(path.dirname(compiler));
  const cacheFile = path.join(modules, '.cache', 'tuppence', `${path.parse(file).name}-${hash}.json`);
  const cached = await readFile(cacheFile, 'utf8').catch(() => undefined);
  // Only the code below writes this file.
  if (cached !== undefined) return JSON.parse(cached) as Compiled;

  const contracts = await runCompiler(compiler, path.basename(file), source);
  await mkdir(path.dirname(cacheFile), { recursive: true });
  // Atomically, because several stacks may start at the same time.
  await writeFileAtomic(cacheFile, JSON.stringify(contracts));
  return contracts;
}

async function runCompiler(compiler: string, file: string, source: string): Promise<Compiled> {
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: source } },
    settings: {
      optimizer: { enabled: true, runs: 10_000 },
      evmVersion: 'cancun',
      viaIR: true,
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  // In its own process: the compiler keeps a core busy for two seconds and installs process-wide error handlers.
  const printed = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [compiler, '--standard-json'],
      { maxBuffer: 16 * 1024 * 1024 },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    );
    child.stdin?.end(JSON.stringify(input));
  });
  const output = JSON.parse(printed.slice(printed.indexOf('{'))) as CompilerOutput;
  const failure = output.errors?.find((error) => error.severity === 'error');
  const contracts = Object.entries(output.contracts?.[file] ?? {});
  if (failure || contracts.length === 0)
    throw new Error(`${file} does not compile: ${failure?.formattedMessage ?? printed}`);
  return Object.fromEntries(
    contracts.map(([name, { evm }]): [string, ContractCode] => [
      name,
      { creation: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` },
    ]),
  );
}
