import { parseArgs } from 'node:util';
import { exitCodeOf, formatJson, formatResult, formatSummary } from '../report';
import { paidCases } from './cases';
import { type Rig, startRig } from './rig';
import { runPaidCases } from './run';
import type { Target } from './seller';

const usage = `Usage: npm run check:seller -- paid [options] -- <command that starts the seller>
       npm run check:seller -- paid [options] --wait

Starts a local chain with USDC, starts the seller with its settings, pays for calls, and says which rules of x402 and MPP the
seller keeps. Money is counted on the chain. The seller sells on the network eip155:8453 and reads from its environment:

  PUBLIC_URL, PORT      where it is called; it listens on 127.0.0.1
  NETWORK               base
  RPC_URL, USDC         a node of the chain, which fails at times, and the address of the token
  PAY_TO                the address that is paid
  SETTLEMENT_KEY        a key with ETH, for a seller that submits payments itself
  FACILITATOR_URL       the official facilitator, for a seller that uses one
  SECRET                32 random bytes in base64

  --path PATH           the paid call (/words)
  --mpp-path PATH       the same over MPP, if it has another path
  --method METHOD       POST by default
  --body JSON           the body of a valid call
  --other-body JSON     another valid body, with another answer
  --other-path PATH     another call at the same price, with the same body
  --invalid-body JSON   a body that the seller refuses
  --failing-body JSON   a body for which the service fails after the payment
  --only PREFIX         only cases whose ID begins like this, such as node.
  --json                prints the results as JSON
  --wait                prints the settings, and waits for a seller that you start with them

Exit codes: 0 no rule that must be kept is broken, 1 one is, 2 something could not be checked.
`;

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      path: { type: 'string', default: '/words' },
      'mpp-path': { type: 'string' },
      method: { type: 'string', default: 'POST' },
      body: { type: 'string' },
      'other-body': { type: 'string' },
      'other-path': { type: 'string' },
      'invalid-body': { type: 'string' },
      'failing-body': { type: 'string' },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      wait: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [program, ...programArguments] = positionals;
  const target: Omit<Target, 'baseUrl'> = {
    path: values.path,
    mppPath: values['mpp-path'] ?? values.path,
    method: values.method.toUpperCase(),
    body: values.body,
    otherBody: values['other-body'],
    otherPath: values['other-path'],
    invalidBody: values['invalid-body'],
    failingBody: values['failing-body'],
  };
  const { only, json, help, wait } = values;
  const command: readonly [string, ...string[]] | undefined =
    program === undefined ? undefined : [program, ...programArguments];
  return { target, only, json, help, wait, command };
}

/**
 * Checks a seller with payments on a local chain.
 * @param args what follows `paid` on the command line
 * @returns the exit code
 */
export async function paidCheck(args: readonly string[]): Promise<number> {
  const { target, only, json, help, wait, command } = readArguments(args);
  if (help || (command === undefined) !== wait) {
    console.log(usage);
    return help ? 0 : 2;
  }
  return withRig(async (rig) => {
    if (!command) for (const [name, value] of Object.entries(rig.settings)) console.error(`${name}=${value}`);
    const around = command ? await rig.start({ command, target }) : await rig.waitFor(target);
    const results = await runPaidCases(paidCases, around, {
      only,
      onResult: (result) => json || console.log(formatResult(result)),
    });
    console.log(json ? formatJson(around.target.baseUrl, results) : `\n${formatSummary(results)}`);
    return exitCodeOf(results);
  });
}

/** Runs something with a chain, and ends the chain and the seller however it ends, also on Ctrl-C. */
async function withRig(run: (rig: Rig) => Promise<number>): Promise<number> {
  const rig = await startRig();
  // A case that runs would start the seller again.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void rig.close().finally(() => process.exit(2)));
  try {
    return await run(rig);
  } finally {
    await rig.close();
  }
}
