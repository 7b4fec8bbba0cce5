import { rpcCall } from '@/local/json-rpc';
import { type SolanaRuntime, startSolanaRuntime } from '@/local/solana/runtime';
import { expect, test } from '../support/without-browser';
import { SimulatedCluster } from './solana/chain';
import { addLamports, addTokens, changeTokenAccount } from './solana/funding';
import { SimulatedNode } from './solana/node';
import { type ScriptedSolana, Stage, transferScripts } from './solana/scripts';
import { stateScripts } from './solana/state-scripts';

/** What the simulation does not have. Settlement reads none of it. */
const unknownFields = ['logs', 'logMessages', 'unitsConsumed', 'computeUnitsConsumed', 'innerInstructions'];
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
    pass: (slots) => rpcCall(rpcUrl, 'tuppence_advanceSlots', [slots]),
  };
}

/** An answer without what cannot be the same on two clusters: their moments, and signatures, which depend on blockhashes. */
function comparable(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => {
    if (unknownFields.includes(key)) return undefined;
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

for (const { about, run } of [...transferScripts, ...stateScripts]) {
  test(`the simulated Solana says the same as the local one about ${about}`, async () => {
    const stages = [connectTo(runtime), openSimulation()].map((chain) => new Stage(chain, about));
    for (const stage of stages) await run(stage);
    const [local, simulated] = stages.map(({ answers }) => comparable(answers));
    expect(simulated).toEqual(local);
  });
}
