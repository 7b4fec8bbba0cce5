import { rpcCall } from '@/local/json-rpc';
import { type SolanaRuntime, startSolanaRuntime } from '@/local/solana/runtime';
import { deployWalletProgram } from '../support/wallet-program/wallet';
import { expect, test } from '../support/without-browser';
import { SimulatedCluster } from './solana/chain';
import {
  addLamports,
  addTokens,
  addWalletProgram,
  changeBehavior,
  changeTokenAccount,
} from './solana/funding';
import { SimulatedNode } from './solana/node';
import { type ScriptedSolana, Stage, transferScripts, walletScripts } from './solana/scripts';
import { stateScripts } from './solana/state-scripts';

/** What the simulation does not have. Settlement reads none of it. */
const unknownFields = ['logs', 'logMessages', 'unitsConsumed', 'computeUnitsConsumed'];
/** What it has only of smart wallets. */
const fieldsOfWallets = ['innerInstructions'];
/** What depends on the moment, or on what else has happened on the cluster. */
const momentFields = [
  ...[
    'slot',
    'parentSlot',
    'contextSlot',
    'absoluteSlot',
    'slotIndex',
    'blockHeight',
    'lastValidBlockHeight',
  ],
  ...['blockTime', 'transactionCount', 'supply', 'blockhash', 'previousBlockhash', 'recentBlockhash'],
];

function openSimulation(): ScriptedSolana {
  let nowMs = Date.UTC(2026, 0, 1);
  const clock = { now: () => nowMs, after: () => () => undefined, sleep: () => Promise.resolve() };
  const cluster = new SimulatedCluster({ clock });
  const node = new SimulatedNode(cluster, { url: 'http://simulation', clock });
  return {
    ask: async (method, params = []) => JSON.parse(JSON.stringify(node.answer(method, params))),
    addLamports: async (owner, lamports) => addLamports(cluster, owner, lamports),
    addTokens: async (owner, atomic) => addTokens(cluster, owner, atomic),
    changeTokenAccount: async (owner, to) => changeTokenAccount(cluster, owner, to),
    deployWallet: async () => addWalletProgram(cluster),
    changeWallet: async (settings, behavior) => changeBehavior(cluster, settings, behavior),
    pass: async (slots) => {
      nowMs += slots * 400;
    },
  };
}

function connectTo({ rpcUrl }: SolanaRuntime): ScriptedSolana {
  return {
    async ask(method, params = []) {
      const response = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const { result, error } = (await response.json()) as { result: unknown; error: unknown };
      return error ? { error } : { result };
    },
    addLamports: (owner, lamports) => rpcCall(rpcUrl, 'requestAirdrop', [owner, lamports]),
    addTokens: (owner, atomic) => rpcCall(rpcUrl, 'tuppence_setTokenBalance', [owner, String(atomic)]),
    changeTokenAccount: (owner, to) => rpcCall(rpcUrl, 'tuppence_setTokenAccountState', [owner, to]),
    deployWallet: () => deployWalletProgram(rpcUrl),
    changeWallet: (settings, behavior) =>
      rpcCall(rpcUrl, 'tuppence_setAccountData', [settings, Buffer.from([behavior]).toString('base64')]),
    pass: (slots) => rpcCall(rpcUrl, 'tuppence_advanceSlots', [slots]),
  };
}

/** An answer without what cannot be the same on two clusters: their moments, and signatures, which depend on blockhashes. */
function comparable(answer: unknown, ignored: readonly string[]): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => {
    if (ignored.includes(key)) return undefined;
    if (momentFields.includes(key)) return 'a moment';
    if (key === 'confirmations') return value === null ? null : 'some';
    return typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{80,90}$/.test(value) ? 'a signature' : value;
  });
}

let runtime: SolanaRuntime;
test.beforeAll(async () => {
  runtime = await startSolanaRuntime();
});
test.afterAll(() => runtime.stop());

for (const script of [...transferScripts, ...walletScripts, ...stateScripts]) {
  const { about, run } = script;
  const ignored = walletScripts.includes(script) ? unknownFields : [...unknownFields, ...fieldsOfWallets];
  test(`the simulated Solana says the same as the local one about ${about}`, async () => {
    const stages = [connectTo(runtime), openSimulation()].map((chain) => new Stage(chain, about));
    for (const stage of stages) await run(stage);
    const [local, simulated] = stages.map(({ answers }) => comparable(answers, ignored));
    expect(simulated).toEqual(local);
  });
}
