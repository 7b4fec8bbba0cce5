import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type LedgerState, SolanaLedger } from './ledger';

const recordsSaved = 2_000;

type Saved = LedgerState & { snapshotFile: string };

/** Opens the ledger last saved at the path, or a new one. */
export function openLedger(statePath: string | undefined): SolanaLedger {
  if (!statePath || !existsSync(statePath)) return new SolanaLedger();
  const saved = JSON.parse(readFileSync(statePath, 'utf8')) as Saved;
  const snapshot = readFileSync(path.join(path.dirname(statePath), saved.snapshotFile));
  const ledger = new SolanaLedger(snapshot, saved);
  ledger.isChanged = false;
  return ledger;
}

/** Saves accounts and history as one: renaming the list is what makes the accounts written before it count. */
export function saveLedger(ledger: SolanaLedger, statePath: string): void {
  if (!ledger.isChanged) return;
  const folder = path.dirname(statePath);
  const prefix = `${path.basename(statePath)}.accounts-`;
  const snapshotFile = `${prefix}${Date.now()}`;
  writeFileSync(path.join(folder, snapshotFile), ledger.toSnapshot(), { mode: 0o600 });
  const saved: Saved = { ...ledger.toState(recordsSaved), snapshotFile };
  writeFileSync(`${statePath}.next`, JSON.stringify(saved), { mode: 0o600 });
  renameSync(`${statePath}.next`, statePath);
  ledger.isChanged = false;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && name !== snapshotFile) rmSync(path.join(folder, name), { force: true });
  }
}
