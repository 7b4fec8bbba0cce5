import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { configuredOffers, isEvmOffer, type Offer } from '@/lib/payments/network-offers';
import { requireSameNetworks } from '@/lib/platform/database/installation';
import { parseSettings } from '@/lib/platform/settings';
import type { Finding } from '../audit/audit-session';
import { recordAudit } from '../audit/daily';
import { auditLedger, chainSources, type FromBlocks } from '../audit/findings';
import { type Command, type CommandContext, UsageError, withApp } from './command';
import { jsonOf } from './options';
import { withPatience } from './patience';

/** Compares the ledger with the chains. Without settings it uses those of the running demo. */
export const audit: Command = {
  synopsis: 'audit [--from-block [NETWORK=]N]… [--record] [--json]',
  help: [
    'compares the ledger with the chains and with itself, and prints what is wrong; exits with 1 if it found something, or could',
    'not look: then standard error says why',
    '--from-block  reads the transfers since this block of an EVM network, such as base=36000000; without a name, of every',
    '              EVM network that is not named; since the first block unless given',
    '--record      keeps how many findings there were for the metrics and doctor, as the daily audit of a server does',
    '--json        prints one JSON object per finding instead of text: promise, about, and payment, which book --file takes',
  ],

  async run(args, context) {
    const env = withPatience(withDemo(context.env));
    const offers = configuredOffers(parseSettings(env));
    const { fromBlocks, isRecorded, isJson } = readOptions(args, offers);
    return withApp({ ...context, env }, async (app) => {
      await requireSameNetworks(app);
      const startedAt = app.clock.date();
      const counts = new Map<string, number>();
      const sources = chainSources(offers, fromBlocks);
      const checks = app.features.flatMap(({ auditChecks }) => auditChecks);
      for await (const finding of auditLedger(app.clock, app.pool, sources, checks, context.printError)) {
        counts.set(finding.promise, (counts.get(finding.promise) ?? 0) + 1);
        context.print(isJson ? jsonOf(factsOf(finding)) : `broken: ${finding.promise} (${finding.about})`);
      }
      const networks = offers.map(({ network }) => network.name);
      if (isRecorded) await recordAudit(app, { startedAt, counts, networks });
      const found = [...counts.values()].reduce((sum, count) => sum + count, 0);
      if (!isJson) context.print(summaryOf(found));
      return found === 0 ? 0 : 1;
    });
  },
};

function summaryOf(found: number): string {
  if (found === 0) return 'The ledger and the chains agree.';
  return found === 1 ? '1 finding' : `${found} findings`;
}

/** The fields stay as they are in later versions, because programs read them (docs/operating-calls.md). */
function factsOf({ promise, about, payment }: Finding) {
  return { promise, about, payment: payment ?? null };
}

/**
 * The options. Block numbers of different networks are unrelated, so each EVM network may have its own first block.
 * @throws UsageError
 */
function readOptions(
  args: readonly string[],
  offers: readonly Offer[],
): { fromBlocks: FromBlocks; isRecorded: boolean; isJson: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'from-block': { type: 'string', multiple: true, default: [] },
      record: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const networks = offers.filter(isEvmOffer).map(({ network }) => network.name);
  const named = new Map<string, bigint>();
  let others = 0n;
  for (const text of values['from-block']) {
    const [, name, block] = /^(?:([a-z-]+)=)?(\d{1,18})$/.exec(text) ?? [];
    if (block === undefined)
      throw new UsageError('--from-block must be the number of a block, or NETWORK=N.');
    if (name === undefined) others = BigInt(block);
    else if (!networks.some((network) => network === name))
      throw new UsageError(`--from-block must name an EVM network of the settings: ${networks.join(', ')}.`);
    else named.set(name, BigInt(block));
  }
  const fromBlocks: FromBlocks = (network) => named.get(network) ?? others;
  return { fromBlocks, isRecorded: values.record, isJson: values.json };
}

type Env = CommandContext['env'];

const demoFile = '.tuppence/local.json';

const demoSchema = z.object({
  apiUrl: z.string(),
  filesUrl: z.string(),
  databaseUrl: z.string(),
  networks: z.array(z.object({ name: z.string(), rpcUrl: z.string(), payTo: z.string() })),
});

/** The settings, or those of the demo as far as an audit needs them. An audit decrypts nothing. */
function withDemo(env: Env): Env {
  if (env.DATABASE_URL || !existsSync(demoFile)) return env;
  const demo = demoSchema.parse(JSON.parse(readFileSync(demoFile, 'utf8')));
  const settings: Record<string, string> = {
    DATABASE_URL: demo.databaseUrl,
    PUBLIC_URL: demo.apiUrl,
    FILES_URL: demo.filesUrl,
    DATA_KEY: Buffer.alloc(32).toString('base64'),
  };
  for (const { name, rpcUrl, payTo } of demo.networks) {
    const setting = name.startsWith('solana-') ? 'SOLANA' : name.toUpperCase();
    settings[`${setting}_RPC_URL`] = rpcUrl;
    settings[setting === 'SOLANA' ? 'PAY_TO_SOLANA' : 'PAY_TO_EVM'] = payTo;
  }
  return { ...env, ...settings };
}
