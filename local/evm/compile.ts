import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hex } from 'viem';

const require = createRequire(import.meta.url);

/** The contracts of this folder: the name of the file, and of the contract in it. */
const contracts = { usdc: 'Usdc', multicall: 'InterfaceMulticall' } as const;

type LocalContract = keyof typeof contracts;

type CompilerOutput = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>;
};

const compiled = new Map<LocalContract, Promise<Hex>>();

/** The runtime code of a contract: compiled once per version of its source, then read from node_modules/.cache. */
export function compile(contract: LocalContract): Promise<Hex> {
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
  // Renamed into place, so that a second stack starting meanwhile never reads half a file.
  await writeFile(`${cacheFile}.${process.pid}`, code);
  await rename(`${cacheFile}.${process.pid}`, cacheFile);
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
  // In a process of its own: the compiler keeps a core busy for two seconds and installs process-wide error handlers.
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
