import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Stack } from '@/local/stack';

/** The stack that global-setup started, shared by all workers of a run. */
export type TestStack = Pick<Stack, 'databaseUrl' | 'networks' | 'serverEnv'> & {
  /** The server that most tests talk to. */
  apiUrl: string;
  filesUrl: string;
  serverPid: number;
};

/** Names the file in which global-setup describes the stack for the workers. */
export const stackFileVariable = 'TUPPENCE_TEST_STACK';

let known: TestStack | undefined;

export function stack(): TestStack {
  known ??= JSON.parse(readFileSync(process.env[stackFileVariable] ?? '', 'utf8')) as TestStack;
  return known;
}

/** The folder for programs bundled for this run. They find the packages that they load from there. Removed at the end. */
export function programsFolder(): string {
  const stackFile = process.env[stackFileVariable];
  if (!stackFile) throw new Error('there is no test stack');
  return path.resolve('node_modules/.cache', path.basename(path.dirname(stackFile)));
}

export type TestNetwork = TestStack['networks'][number];

export function network(name: TestNetwork['name']): TestNetwork {
  const found = stack().networks.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`the test stack has no ${name}`);
  return found;
}

export const networkNames = ['base', 'polygon', 'arbitrum', 'solana-mainnet'] as const;
export const evmNetworkNames = ['base', 'polygon', 'arbitrum'] as const;
