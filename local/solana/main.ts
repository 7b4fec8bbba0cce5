// The process that hosts the local Solana. It lives as long as its parent: the channel to it closes when the parent dies.
import { portOf } from '../http-server';
import { serveLedger } from './rpc-server';
import { openLedger, saveLedger } from './snapshot';

const saveEveryMs = 2_000;

const [port = '0', statePath] = process.argv.slice(2);
const ledger = openLedger(statePath);
const server = await serveLedger(ledger, Number(port));

function save(): void {
  if (statePath) saveLedger(ledger, statePath);
}

function finish(): void {
  save();
  process.exit(0);
}

setInterval(save, saveEveryMs);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, finish);
process.on('disconnect', finish);
process.send?.({ port: portOf(server) });
