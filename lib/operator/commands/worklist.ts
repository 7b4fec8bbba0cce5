import { parseArgs } from 'node:util';
import { readWorklist, type WorklistItem } from '@/lib/ledger/worklist';
import { featureItemOf, situationOf } from '@/lib/operator/situation';
import { toPrice } from '@/lib/payments/money';
import { type OpenReport, openReports } from '@/lib/services/abuse-reports';
import { type Command, withApp } from './command';
import { jsonOf } from './options';

const shownMax = 1_000;

/** Lists what waits for the operator. */
export const worklist: Command = {
  synopsis: 'worklist [--json]',
  help: [
    'lists paid calls that could not be delivered, payments whose outcome has been unknown for an hour, transfers that',
    'belong to no call, refunds that failed or are not confirmed, what optional ways to pay cannot finish,',
    'and reports of forms and files, the oldest first; exits with 1 if there are any',
    '--json        prints one JSON object per line instead of text',
  ],

  async run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    return withApp(context, async (app) => {
      const [items, reports] = await Promise.all([readWorklist(app, shownMax), openReports(app, shownMax)]);
      for (const item of items) context.print(values.json ? JSON.stringify(factsOf(item)) : textOf(item));
      for (const report of reports)
        context.print(values.json ? jsonOf({ kind: 'report', ...report }) : reportText(report));
      const count = items.length + reports.length;
      if (!values.json) context.print(count === 0 ? 'Nothing needs your attention.' : `${count} items`);
      return count === 0 ? 0 : 1;
    });
  },
};

/** Nothing that a caller wrote: no input, no answer, no signature. */
function factsOf(item: WorklistItem) {
  const { kind, id, operation, network, payer, amountAtomic, transactionHash, reason, since } = item;
  const amount = toPrice(amountAtomic);
  return { kind, id, operation, network, payer, amount, transactionHash, reason, since: since.toISOString() };
}

function reportText({ id, target, reason, reportedAt }: OpenReport): string {
  return [
    `${id}  report of ${target.id}, since ${reportedAt.toISOString()}`,
    `  Somebody says: ${reason}. Look at it, then take it down or dismiss the report.`,
  ].join('\n');
}

function textOf(item: WorklistItem): string {
  const { kind, id, operation, network, payer, amountAtomic, transactionHash, since } = item;
  const subject = operation ?? featureItemOf(kind)?.subject;
  const transaction = transactionHash === null ? '' : `, transaction ${transactionHash}`;
  return [
    `${id}  ${subject}, ${toPrice(amountAtomic)} USDC on ${network}, since ${since.toISOString()}`,
    `  ${situationOf(item)}`,
    `  payer ${payer}${transaction}`,
  ].join('\n');
}
