import { parseArgs } from 'node:util';
import { toPrice } from '@/lib/payments/money';
import { knownNetworks } from '@/lib/payments/network-offers';
import type { WithDatabase } from '@/lib/platform/database/database';
import { PaidCallState } from '@/lib/platform/database/generated/enums';
import { callsCsv } from '../calls/calls-csv';
import { callFacts } from '../calls/facts';
import { type CallQuery, callFilters, callQuery, readSearch } from '../calls/filters';
import { findCalls, type ListedCall } from '../calls/find-calls';
import { type CallTimeline, callTimeline } from '../calls/timeline';
import { type Command, type CommandContext, UsageError, withApp } from './command';
import { jsonOf, limitUpTo, parseOptions } from './options';

const filterNames = Object.keys(callFilters.shape);

/** Finds paid calls, or shows everything about one. */
export const calls: Command = {
  synopsis: 'calls [ID | PAYER | TRANSACTION] [--FILTER VALUE] [--limit N] [--csv | --json]',
  help: [
    'lists paid calls, the newest first; for one ID it shows all moves, postings and transactions of the call; exits with',
    '1 if there are none',
    '--FILTER      only calls that match all of these:',
    '              --id, --payer and --transaction, as the argument',
    '              --operation   such as uploads.create',
    `              --state       ${Object.values(PaidCallState).join(', ')}`,
    `              --network     ${knownNetworks.join(', ')}, account`,
    '              --rail        x402, mpp, account, or none for booked transfers',
    '              --from, --to  a day such as 2026-11-22, or a time with its zone such as 2026-11-22T08:00Z; days begin at',
    '                            midnight UTC, and --to is the first moment that is left out',
    '--limit       at most this many calls; 50 unless given',
    '--csv         prints CSV instead of text',
    '--json        prints one JSON object per line instead of text',
  ],

  async run(args, context) {
    const { query, isJson, isCsv } = readOptions(args);
    return withApp(context, async (app) => {
      if (isCsv) {
        for await (const text of callsCsv(app, query, query.limit)) await context.write(text);
        return 0;
      }
      return query.id === undefined
        ? await list(app, query, isJson, context)
        : await show(app, query.id, isJson, context);
    });
  },
};

/** With a higher limit than that of a page, because the output of a program has no pages. */
const programQuery = callQuery.omit({ cursor: true }).extend({
  limit: limitUpTo(1_000_000).default(50),
});

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries([...filterNames, 'limit'].map((name) => [name, text])),
      csv: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { csv, json, ...options } = values;
  if (csv && json) throw new UsageError('--csv does not go with --json.');
  if (positionals.length > 1) throw new UsageError('Search for one ID, payer or transaction at a time.');
  const found = positionals.map((word) => readSearch(word) ?? notSearchable(word))[0];
  return {
    query: parseOptions(programQuery, { ...options, ...found }),
    isJson: json === true,
    isCsv: csv === true,
  };
}

function notSearchable(word: string): never {
  throw new UsageError(`${word} is not the ID of a call, a payer or a transaction.`);
}

const pageMax = 200;

async function list(
  app: Pick<WithDatabase, 'db'>,
  { limit, ...filters }: CallQuery,
  isJson: boolean,
  { print, printError }: CommandContext,
): Promise<0 | 1> {
  let left = limit;
  let cursor: string | undefined;
  while (left > 0) {
    const page = await findCalls(app, { ...filters, cursor, limit: Math.min(left, pageMax) });
    for (const call of page.calls) print(isJson ? JSON.stringify(callFacts(call)) : textOf(call));
    left -= page.calls.length;
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  if (left === limit && !isJson) print('No calls match.');
  if (left === 0 && cursor !== undefined) printError(`The first ${limit} are shown; --limit shows more.`);
  return left === limit ? 1 : 0;
}

function textOf(call: ListedCall): string {
  const { id, createdAt, state, moveNote, operation, amountAtomic, network, payer, transactionHash } = call;
  const reason = moveNote === null ? '' : ` (${moveNote})`;
  const transaction = transactionHash === null ? '' : `, transaction ${transactionHash}`;
  return [
    `${id}  ${createdAt.toISOString()}  ${state}${reason}`,
    `  ${operation}, ${toPrice(amountAtomic)} USDC on ${network}`,
    `  payer ${payer}${transaction}`,
  ].join('\n');
}

async function show(
  app: Pick<WithDatabase, 'db'>,
  id: string,
  isJson: boolean,
  { print }: CommandContext,
): Promise<0 | 1> {
  const timeline = await callTimeline(app, id);
  if (!timeline) {
    if (!isJson) print(`There is no paid call ${id}.`);
    return 1;
  }
  if (isJson) print(jsonOf(timeline));
  else for (const line of timelineText(timeline)) print(line);
  return 0;
}

function* timelineText({ call, moves, postings, transactions, bought, actions }: CallTimeline) {
  yield textOf(call);
  yield `  answer ${call.answer}${call.answerStatus === null ? '' : ` (${call.answerStatus})`}`;
  if (bought.length > 0) yield `  bought ${bought.join(', ')}`;
  yield 'Moves';
  for (const { at, from, to, note } of moves)
    yield `  ${at.toISOString()}  ${from ?? 'nothing'} > ${to}${note === null ? '' : ` (${note})`}`;
  if (postings.length > 0) yield 'Postings';
  for (const { at, kind, debitAccount, creditAccount, amountAtomic, unit } of postings)
    yield `  ${at.toISOString()}  ${kind}: ${debitAccount} > ${creditAccount}, ${amountAtomic} ${unit}`;
  if (transactions.length > 0) yield 'Transactions';
  for (const { createdAt, hash, state, page } of transactions)
    yield `  ${createdAt.toISOString()}  ${hash} (${state})${page === null ? '' : `\n    ${page}`}`;
  if (actions.length > 0) yield 'Actions of operators';
  for (const { at, actor, action, reason } of actions)
    yield `  ${at.toISOString()}  ${actor}: ${action}${reason === null ? '' : ` (${reason})`}`;
}
