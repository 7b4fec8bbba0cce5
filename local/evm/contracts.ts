import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Hex } from 'viem';
import writeFileAtomic from 'write-file-atomic';
import { rpcBatch, rpcCall } from '../json-rpc';

const require = createRequire(import.meta.url);

/** The contracts of this folder: the name of the file, and of the contract in it. */
const contracts = { usdc: 'Usdc', multicall: 'InterfaceMulticall' } as const;

type LocalContract = keyof typeof contracts;

type CompilerOutput = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>;
};

/** The address of Multicall3 on every chain, where viem and the official facilitator expect it. */
const multicall3Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Places USDC, Multicall3 and the interface multicall at their real addresses. Existing balances stay. */
export async function placeContracts(
  rpcUrl: string,
  { usdc, interfaceMulticall }: { usdc: string; interfaceMulticall: string | null },
): Promise<void> {
  const [usdcCode, multicallCode, multicall3Code] = await Promise.all([
    compile('usdc'),
    compile('multicall'),
    readMulticall3Code(rpcUrl),
  ]);
  await rpcBatch(rpcUrl, [
    ['anvil_setCode', [usdc, usdcCode]],
    ...(interfaceMulticall === null ? [] : [['anvil_setCode', [interfaceMulticall, multicallCode]] as const]),
    ['anvil_setCode', [multicall3Address, multicall3Code]],
  ]);
}

async function readMulticall3Code(rpcUrl: string): Promise<Hex> {
  // viem contains the creation code but does not export it. package.json pins viem to an exact version.
  const constants = path.join(
    path.dirname(require.resolve('viem')),
    '..',
    '_esm',
    'constants',
    'contracts.js',
  );
  const { multicall3Bytecode } = (await import(pathToFileURL(constants).href)) as { multicall3Bytecode: Hex };
  // Creation code that is run as a call returns the runtime code.
  return (await rpcCall(rpcUrl, 'eth_call', [{ data: multicall3Bytecode }, 'latest'])) as Hex;
}

const compiled = new Map<LocalContract, Promise<Hex>>();

/** The runtime code of a contract. Each version of a source is compiled once and kept in node_modules/.cache. */
function compile(contract: LocalContract): Promise<Hex> {
  const known = compiled.get(contract) ?? readOrCompile(contract);
  compiled.set(contract, known);
  return known;
}

async function readOrCompile(contract: LocalContract): Promise<Hex> {
  const file = fileURLToPath(new URL(`./${contract}.sol`, import.meta.url));
  const source = await readFile(file, 'utf8');
  const compiler = require.resolve('solc/solc.js');
  const version: string = require('solc/package.json').version;
  const hash = createHash('sha256').update(version).update(source).digest('hex').slice(0, 16);
  const modules = path.dirname(path.dirname(compiler));
  const cacheFile = path.join(modules, '.cache', 'tuppence', `${contract}-${hash}.hex`);
  const cached = await readFile(cacheFile, 'utf8').catch(() => undefined);
  if (cached?.startsWith('0x')) return cached as Hex;

  const code = await runCompiler(compiler, contract, source);
  await mkdir(path.dirname(cacheFile), { recursive: true });
  // Atomically, because several stacks may start at the same time.
  await writeFileAtomic(cacheFile, code);
  return code;
}

async function runCompiler(compiler: string, contract: LocalContract, source: string): Promise<Hex> {
  const file = `${contract}.sol`;
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: source } },
    settings: {
      optimizer: { enabled: true, runs: 10_000 },
      evmVersion: 'cancun',
      viaIR: true,
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
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
  const object = output.contracts?.[file]?.[contracts[contract]]?.evm.deployedBytecode.object;
  if (failure || !object)
    throw new Error(`${file} does not compile: ${failure?.formattedMessage ?? printed}`);
  return `0x${object}`;
}
