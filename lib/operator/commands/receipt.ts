import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { recordAction } from '@/lib/operator/actions';
import { allReceiptKeys, publishedReceiptKeys, revokeReceiptKey } from '@/lib/payments/receipts/receipt-keys';
import {
  type Match,
  problemWords,
  type Verdict,
  verifyReceipt,
} from '@/lib/payments/receipts/verify-receipt';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { type Command, type CommandContext, UsageError, withApp } from './command';
import { jsonOf, noteUpTo, parseOptions } from './options';

interface ReceiptDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings' | 'clock'> {}

/** Verifies receipts, and shows and revokes the keys that sign them. */
export const receipt: Command = {
  synopsis:
    'receipt verify RECEIPT [--request FILE --path PATH] [--answer FILE] | keys | revoke KEY --note TEXT',
  help: [
    'verifies a receipt of this service: its signature, or the value of the header that it came in',
    '--path        the path of the request that it should be about',
    '--method      its method: POST, GET or DELETE; POST unless given',
    '--request     a file with its body, byte by byte; empty unless given',
    '--answer      a file with the body of the answer that it should be about',
    'keys          lists the keys that have signed receipts',
    'revoke        takes a key back: what it signed is no longer verified. Cannot be undone; change DATA_KEY as well',
    '--note        why, for the log of actions',
    '--json        prints JSON instead of text',
  ],

  async run(args, context) {
    const options = readOptions(args);
    return withApp(context, async (app) => {
      switch (options.action) {
        case 'verify':
          return await verify(app, context, options);
        case 'keys':
          return await listKeys(app, context, options);
        case 'revoke':
          return await revoke(app, context, options);
      }
    });
  },
};

const optionsSchema = z
  .strictObject({
    action: z.enum(['verify', 'keys', 'revoke'], 'must be verify, keys or revoke'),
    subject: z.string().optional(),
    method: z.enum(['POST', 'GET', 'DELETE'], 'must be POST, GET or DELETE').default('POST'),
    path: z.string().startsWith('/', 'must begin with /').optional(),
    request: z.string().optional(),
    answer: z.string().optional(),
    note: noteUpTo(1_000).optional(),
    json: z.boolean(),
  })
  .refine(({ action, subject }) => (action === 'keys') === (subject === undefined), {
    path: ['subject'],
    error: 'verify takes one receipt, revoke one key, keys nothing',
  })
  .refine(({ request, path }) => request === undefined || path !== undefined, {
    path: ['request'],
    error: 'needs --path',
  })
  .refine(({ action, note }) => (action === 'revoke') === (note !== undefined), {
    path: ['note'],
    error: 'is required with revoke, and goes with nothing else',
  });

type Options = z.output<typeof optionsSchema>;

function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      method: text,
      path: text,
      request: text,
      answer: text,
      note: text,
      json: { type: 'boolean', default: false },
    },
  });
  const [action, subject, ...others] = positionals;
  if (others.length > 0) throw new UsageError('receipt takes one receipt or key.');
  return parseOptions(optionsSchema, { ...values, action, subject });
}

async function verify(app: ReceiptDeps, context: CommandContext, options: Options): Promise<0 | 1> {
  const { subject = '', method, path, request, answer } = options;
  const evidence = {
    ...(path === undefined
      ? {}
      : {
          request: { method, path, body: request === undefined ? Buffer.alloc(0) : await readFile(request) },
        }),
    ...(answer === undefined ? {} : { answer: await readFile(answer) }),
  };
  const keys = await publishedReceiptKeys(app);
  const verdict = verifyReceipt(app.settings.PUBLIC_URL, keys, subject, evidence);
  if (options.json) context.print(jsonOf(verdict.isValid ? { ...verdict, key: verdict.key.id } : verdict));
  else for (const line of wordsOf(verdict)) context.print(line);
  return verdict.isValid && verdict.request !== false && verdict.answer !== false ? 0 : 1;
}

function wordsOf(verdict: Verdict): string[] {
  if (!verdict.isValid) return [`Not a valid receipt. ${problemWords[verdict.problem]}`];
  const { receipt: stated, key, request, answer } = verdict;
  const compared = (what: string, match: Match) =>
    match === null ? [] : [`The ${what} is ${match ? 'the one' : 'NOT the one'} that it was issued for.`];
  return [
    `Signed by this service with ${key.id}.`,
    ...Object.entries(stated).map(([name, value]) => `  ${name.padEnd(14)} ${value}`),
    ...compared('request', request),
    ...compared('answer', answer),
  ];
}

async function listKeys(
  app: Pick<WithDatabase, 'db'>,
  context: CommandContext,
  { json }: Options,
): Promise<0> {
  const keys = await allReceiptKeys(app);
  for (const { id, createdAt, revokedAt } of keys) {
    const state = revokedAt === null ? 'published' : `revoked ${revokedAt.toISOString()}`;
    context.print(
      json ? jsonOf({ id, createdAt, revokedAt }) : `${id}  since ${createdAt.toISOString()}, ${state}`,
    );
  }
  if (keys.length === 0 && !json) context.print('No receipt has been signed yet.');
  return 0;
}

async function revoke(
  app: ReceiptDeps,
  context: CommandContext,
  { subject = '', note, json }: Options,
): Promise<0 | 1> {
  const isRevoked = await app.db.$transaction(async (db) => {
    if (!(await revokeReceiptKey({ db }, subject, app.clock.date()))) return false;
    await recordAction(
      { db },
      {
        actor: context.operator,
        action: 'receipt_key.revoke',
        target: { kind: 'receipt_key', id: subject },
        note,
        correlationId: newId('op'),
      },
    );
    return true;
  });
  const words = isRevoked ? `${subject} is revoked.` : `There is no key ${subject} that could be revoked.`;
  context.print(json ? jsonOf({ key: subject, isRevoked }) : words);
  return isRevoked ? 0 : 1;
}
