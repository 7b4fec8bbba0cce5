import { parseArgs } from 'node:util';
import {
  type PreconfirmationStop,
  preconfirmationStops,
  resumePreconfirmations,
} from '@/lib/ledger/preconfirmation-stops';
import { recordAction } from '@/lib/operator/actions';
import { toPrice } from '@/lib/payments/money';
import { configuredOffers } from '@/lib/payments/network-offers';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { parseSettings } from '@/lib/platform/settings';
import { type Command, type CommandContext, UsageError } from './command';
import { jsonOf } from './options';

/** What `show` uses. */
interface PreconfirmationsDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings'> {}

/** Shows whether calls may be answered on pre-confirmations, and resumes such answers after a loss. */
export const preconfirmations: Command = {
  synopsis: 'preconfirmations [--resume NETWORK --note TEXT] [--json]',
  help: [
    'shows on which networks calls are answered before their payments are in a block, and whether a loss has stopped that;',
    'exits with 1 if one has',
    '--resume      answers such calls on this network again, such as base',
    '--note        why, for the log of actions; required with --resume',
    '--json        prints one JSON object per network instead of text',
  ],

  async run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        resume: { type: 'string' },
        note: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const settings = parseSettings(context.env);
    const app = context.openApp(settings);
    try {
      if (values.resume === undefined) return await show(app, context, values.json);
      const { resume: network, note = '' } = values;
      if (!configuredOffers(settings).some((offer) => offer.network.name === network))
        throw new UsageError(`${network} is not a configured network.`);
      if (note === '') throw new UsageError('--note must say why pre-confirmations can be relied on again.');
      return await resume(app, context, { network, note, json: values.json });
    } finally {
      await app.close();
    }
  },
};

async function show(app: PreconfirmationsDeps, context: CommandContext, isJson: boolean): Promise<0 | 1> {
  const stops = await preconfirmationStops(app);
  for (const { network, preconfirmedMaxAtomic } of configuredOffers(app.settings)) {
    const stop = stops.find((one) => one.network === network.name);
    if (isJson) {
      context.print(
        jsonOf({ network: network.name, max: toPrice(preconfirmedMaxAtomic), stop: factsOf(stop) }),
      );
    } else if (stop) {
      const lost = `${stop.lostPayments} payments lost, ${toPrice(stop.lostAtomic)} USDC in all`;
      context.print(`${network.name}: stopped since ${stop.since.toISOString()}, ${lost}`);
      context.print(`  first in transaction ${stop.transactionHash}`);
    } else {
      const max = `up to ${toPrice(preconfirmedMaxAtomic)} USDC at once`;
      context.print(`${network.name}: ${preconfirmedMaxAtomic === 0n ? 'off' : max}`);
    }
  }
  return stops.length === 0 ? 0 : 1;
}

/** What a loss stopped; null if nothing did. */
function factsOf(stop: PreconfirmationStop | undefined) {
  if (!stop) return null;
  const { since, transactionHash, lostPayments, lostAtomic } = stop;
  return { since, transactionHash, lostPayments, lost: toPrice(lostAtomic) };
}

async function resume(
  app: Pick<WithDatabase, 'db'>,
  context: CommandContext,
  { network, note, json }: { network: string; note: string; json: boolean },
): Promise<0 | 1> {
  const stop = await app.db.$transaction(async (db) => {
    const stopped = await resumePreconfirmations({ db }, network);
    if (!stopped) return null;
    const { since, transactionHash, lostPayments, lostAtomic } = stopped;
    await recordAction(
      { db },
      {
        actor: context.operator,
        action: 'preconfirmations.resume',
        target: { kind: 'network', id: network },
        note,
        before: { stoppedAt: since.toISOString(), transactionHash, lostPayments, lost: toPrice(lostAtomic) },
        correlationId: newId('op'),
      },
    );
    return stopped;
  });
  const words = stop
    ? `Calls on ${network} are answered on pre-confirmations again.`
    : `Nothing was stopped on ${network}.`;
  context.print(json ? jsonOf({ network, isResumed: stop !== null }) : words);
  return stop ? 0 : 1;
}
