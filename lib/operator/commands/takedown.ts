import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Operator } from '@/lib/operator/actions';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { restorableDays } from '@/lib/services/abuse-reports';
import { type ContentFacts, findContent } from '../moderation/content';
import { erase, restore, takeDown, takeDownReasons, takeDownReasonWords } from '../moderation/take-down';
import { type Command, UsageError, withApp } from './command';
import { jsonOf, noteUpTo, parseOptions } from './options';

interface TakedownDeps
  extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'clock' | 'timings' | 'log'> {}

const reasons = takeDownReasons.join(', ');

/** Takes a form or a file down. */
export const takedown: Command = {
  synopsis: 'takedown ID | URL [--reason REASON] [--note TEXT] [--erase | --restore] [--yes] [--json]',
  help: [
    `takes a form or a file down: its link answers 410 at once; it can be restored for ${restorableDays} days, then it is erased`,
    '--reason      required, except with --restore, and for what is already taken down; one of these:',
    ...takeDownReasons.map((reason) => `              ${reason.padEnd(9)}  ${takeDownReasonWords[reason]}`),
    '--note        why, in your words; it is recorded and shown to nobody else; required whenever --reason is, and with',
    '              --restore',
    '--erase       erases it now, also if it is already taken down; this cannot be undone',
    '--restore     makes it public again; takes no --reason',
    '--yes         does it; without this it only says what it would do',
    '--json        prints one JSON object instead of text',
  ],

  async run(args, context) {
    const options = readOptions(args);
    return withApp(context, async (app) => {
      const content = await findContent(app, options.content);
      const outcome = content === null ? 'unknown' : await act(app, context.operator, content, options);
      if (options.json) context.print(jsonOf({ outcome, content }));
      else context.print(outcomeText(outcome, content, options));
      return outcome === 'done' || outcome === 'possible' ? 0 : 1;
    });
  },
};

const optionsSchema = z
  .strictObject({
    reason: z.enum(takeDownReasons, `must be one of ${reasons}`).optional(),
    note: noteUpTo(1_000).optional(),
    erase: z.boolean(),
    restore: z.boolean(),
    yes: z.boolean(),
    json: z.boolean(),
  })
  .refine(({ reason, restore }) => reason === undefined || !restore, {
    path: ['reason'],
    error: 'does not go with --restore',
  })
  .refine(({ erase, restore }) => !(erase && restore), {
    path: ['erase'],
    error: 'does not go with --restore',
  })
  // What is already taken down is erased without a reason and a note, because its take-down has both.
  .refine(({ reason, erase, restore }) => reason !== undefined || erase || restore, {
    path: ['reason'],
    error: 'is required, except with --restore, and with --erase for what is already taken down',
  })
  .refine(({ note, erase }) => note !== undefined || erase, { path: ['note'], error: 'is required' });

type Options = z.output<typeof optionsSchema> & { readonly content: string };

function readOptions(args: readonly string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { reason: text, note: text, erase: flag, restore: flag, yes: flag, json: flag },
  });
  const [content, ...others] = positionals;
  if (content === undefined || others.length > 0) throw new UsageError('takedown takes one ID or URL.');
  return { ...parseOptions(optionsSchema, values), content };
}

/** `possible`: it would be done with --yes. `impossible`: its status does not allow it. */
type Outcome = 'done' | 'possible' | 'impossible' | 'unknown';

/** @throws UsageError when a reason and a note are needed, because the content is public */
async function act(
  app: TakedownDeps,
  actor: Operator,
  { target, status }: ContentFacts,
  options: Options,
): Promise<Outcome> {
  const { reason, note, yes } = options;
  const decision = { actor, correlationId: newId('op') };
  const outcomeOf = async (work: () => Promise<boolean>): Promise<Outcome> =>
    yes ? ((await work()) ? 'done' : 'impossible') : 'possible';
  if (status === 'taken_down') {
    if (options.restore) return outcomeOf(() => restore(app, target, { ...decision, note: note ?? '' }));
    if (options.erase) return outcomeOf(() => erase(app, target, { ...decision, reason, note }));
    return 'impossible';
  }
  if (status !== 'public' || options.restore) return 'impossible';
  if (reason === undefined) throw new UsageError('--reason: is required, because it is public.');
  if (note === undefined) throw new UsageError('--note: is required, because it is public.');
  return outcomeOf(() => takeDown(app, target, { ...decision, reason, note, isErased: options.erase }));
}

function outcomeText(outcome: Outcome, content: ContentFacts | null, options: Options): string {
  if (content === null) return `This service has no form or file ${options.content}.`;
  const { target, url, status, paidCallId, responses, file } = content;
  const what = file ? `file of ${file.sizeBytes} bytes (${file.mime})` : `form with ${responses} responses`;
  const about = `${target.id}  ${what}\n  ${url}\n  bought by ${paidCallId}`;
  return `${about}\n${sentence(outcome, status, options)}`;
}

function sentence(outcome: Outcome, status: ContentFacts['status'], { erase, restore }: Options): string {
  const verb = restore
    ? 'restored'
    : !erase
      ? 'taken down'
      : status === 'public'
        ? 'taken down and erased'
        : 'erased';
  if (outcome === 'done') return `It is ${verb}.`;
  if (outcome === 'possible') return `It would be ${verb}. Nothing was changed; add --yes to do it.`;
  const states = {
    public: 'public',
    taken_down: 'already taken down',
    erased: 'already erased',
    over: 'over',
  } as const;
  return `It is ${states[status]}, so it cannot be ${verb}.`;
}
