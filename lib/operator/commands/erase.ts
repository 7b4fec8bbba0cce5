import { parseArgs } from 'node:util';
import { z } from 'zod';
import { newId } from '@/lib/platform/ids';
import { type ErasedData, eraseData } from '../moderation/erase-data';
import { type Command, withApp } from './command';
import { jsonOf, noteUpTo, parseOptions, subjectOf, subjectOptions } from './options';
import { withPatience } from './patience';

/** Erases what is stored for a wallet, or a form with its responses. */
export const erase: Command = {
  synopsis: 'erase --wallet ADDRESS | --form ID [--note TEXT] [--yes] [--json]',
  help: [
    'erases what the service stores for a wallet, or a form with the responses to it; links and forms end at once',
    '--wallet      everything that the wallet bought or wrote: files with their names and tags, forms, stored responses of calls, and',
    '              what it wrote in requests for a refund',
    '--form        the form, the responses to it and the stored response of the call that made it',
    '--note        why, in your words; it is recorded',
    '--yes         does it; without this it only says what it would do. It cannot be undone',
    '--json        prints one JSON object instead of text',
  ],

  async run(args, context) {
    const { subject, note, yes, json } = readOptions(args);
    return withApp({ ...context, env: withPatience(context.env) }, async (app) => {
      const decision = { actor: context.operator, note, correlationId: newId('op') };
      const data = await eraseData(app, subject, decision, !yes);
      context.print(json ? jsonOf({ isErased: yes, ...data }) : sentences(data, yes));
      return 0;
    });
  },
};

const schema = z
  .strictObject({
    ...subjectOptions,
    note: noteUpTo(1_000).optional(),
    yes: z.boolean(),
    json: z.boolean(),
  })
  .refine(({ wallet, form }) => (wallet === undefined) !== (form === undefined), {
    path: ['wallet'],
    error: 'is required, or --form; not both',
  });

function readOptions(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { wallet: text, form: text, note: text, yes: flag, json: flag },
  });
  const { wallet, form, ...options } = parseOptions(schema, values);
  return { subject: subjectOf({ wallet, form }), ...options };
}

function sentences(erased: ErasedData, isErased: boolean): string {
  const { uploads, forms, formResponses, callResponses, refundMessages } = erased;
  const all = uploads + forms + formResponses + callResponses + refundMessages;
  if (all === 0) return 'Nothing is left to erase.';
  const what = `${uploads} uploads, ${forms} forms with ${formResponses} responses, the stored responses of ${callResponses} calls, and ${refundMessages} messages about refunds`;
  return isErased
    ? `Erased: ${what}. Kept: the records of payments, which prove that each was charged once, and what is not finished.`
    : `It would erase ${what}. Nothing was changed; add --yes to do it.`;
}
