// The process of the local Solana chain: serves its RPC interface and saves the chain to disk. It ends when its parent dies and
// closes the channel between them.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { portOf } from '../http-server';
import { type SolanaCluster, solanaClusters } from '../networks';
import { type LedgerState, SolanaLedger } from './ledger';
import { serveLedger } from './rpc-server';

type SavedState = LedgerState & { snapshotFile: string };

const saveEveryMs = 2_000;
const recordsSaved = 2_000;

const [port = '0', cluster = '', statePath] = process.argv.slice(2);
// startSolanaRuntime always passes one of them.
const network = solanaClusters[cluster as SolanaCluster];
const ledger = openLedger();
const server = await serveLedger(ledger, Number(port));

/** The chain that was last saved, or a new one. */
function openLedger(): SolanaLedger {
  if (!statePath || !existsSync(statePath)) return new SolanaLedger(network);
  const saved = JSON.parse(readFileSync(statePath, 'utf8')) as SavedState;
  const snapshot = readFileSync(path.join(path.dirname(statePath), saved.snapshotFile));
  const opened = new SolanaLedger(network, snapshot, saved);
  opened.isChanged = false;
  return opened;
}

/** Saves accounts and history together: a snapshot of the accounts takes effect once the state file names it. */
function save(): void {
  if (!statePath || !ledger.isChanged) return;
  const folder = path.dirname(statePath);
  const prefix = `${path.basename(statePath)}.accounts-`;
  const snapshotFile = `${prefix}${Date.now()}`;
  writeFileSync(path.join(folder, snapshotFile), ledger.toSnapshot(), { mode: 0o600 });
  const state: SavedState = { ...ledger.toState(recordsSaved), snapshotFile };
  writeFileAtomic.sync(statePath, JSON.stringify(state), { mode: 0o600 });
  ledger.isChanged = false;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && name !== snapshotFile) rmSync(path.join(folder, name), { force: true });
  }
}

function finish(): void {
  save();
  process.exit(0);
}

setInterval(save, saveEveryMs);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, finish);
process.on('disconnect', finish);
process.send?.({ port: portOf(server) });
