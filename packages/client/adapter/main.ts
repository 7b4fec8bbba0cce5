import { openStateFile } from '../account/state-file';
import { readSettings } from '../settings';
import { DeliveringTransport } from './deliveries';
import { createServer } from './server';

async function main(): Promise<void> {
  const settings = readSettings(process.env, process.platform);
  const stateFile = openStateFile(settings.configFolder, settings.apiUrl);
  const transport = new DeliveringTransport();
  const server = createServer({ settings, stateFile, now: () => new Date() }, transport);
  // The assistant has exited. Calls in progress have their keys on disk.
  process.stdin.on('end', () => process.exit(0));
  process.stdout.on('error', () => process.exit(0));
  server.onclose = () => process.exit(1);
  await server.connect(transport);
}

main().catch((error: unknown) => {
  process.stderr.write(`tuppence-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
});
