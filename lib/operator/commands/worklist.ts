import { parseArgs } from 'node:util';
import { readWorklist, type WorklistItem } from '@/lib/ledger/worklist';
import { toPrice } from '@/lib/payments/money';
import { parseSettings } from '@/lib/platform/settings';
import type { Command } from './command';

const shownMax = 1_000;

/** Lists what waits for the operator. */
export const worklist: Command = {
  synopsis: 'worklist [--json]',
  help: [
    'lists paid calls that could not be delivered, payments whose outcome has been unknown for an hour, and transfers',
    'that belong to no call, the oldest first; exits with 1 if there are any',
    '--json        prints one JSON object per line instead of text',
  ],

  async run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const app = context.openApp(parseSettings(context.env));
    try {
      const items = await readWorklist(app, shownMax);
      for (const item of items) context.print(values.json ? JSON.stringify(factsOf(item)) : textOf(item));
      if (!values.json)
        context.print(items.length === 0 ? 'Nothing waits for you.' : `${items.length} items`);
      return items.length === 0 ? 0 : 1;
    } finally {
      await app.close();
    }
  },
};

/** Nothing that a caller wrote: no input, no answer, no signature. */
function factsOf(item: WorklistItem) {
  const { kind, id, operation, network, payer, amountAtomic, transactionHash, reason, since } = item;
  const amount = toPrice(amountAtomic);
  return { kind, id, operation, network, payer, amount, transactionHash, reason, since: since.toISOString() };
}

function textOf(item: WorklistItem): string {
  const { id, operation, network, payer, amountAtomic, transactionHash, since } = item;
  const transaction = transactionHash === null ? '' : `, transaction ${transactionHash}`;
  return [
    `${id}  ${operation}, ${toPrice(amountAtomic)} USDC on ${network}, since ${since.toISOString()}`,
    `  ${situationOf(item)}`,
    `  payer ${payer}${transaction}`,
  ].join('\n');
}

/** What happened and what to do, by the reason of a call that needs attention. */
const situations: Readonly<Record<string, string>> = {
  upload_not_found: 'The upload to renew was gone when its payment arrived. Refund it.',
  renewal_limit: 'The upload had no time left to add when its payment arrived. Refund it.',
  account_revoked: 'The account was revoked while the deposit was paid. Nothing was credited. Refund it.',
  delivery_failed: 'Delivery failed for an hour. The log has the errors. Mend the cause, or refund it.',
  recovery_failed: 'Recovery failed for an hour. The log has the errors. Mend the cause, or refund it.',
  not_asked_for_again: 'Its client never came back for the response. Refund it on request.',
};

function situationOf({ kind, reason }: WorklistItem): string {
  switch (kind) {
    case 'unknown_for_long':
      return 'It is not known whether the payment went through. Check the RPCs of its network.';
    case 'transfer_without_call':
      return 'The payment was submitted before its request arrived, and bought nothing. Decide about a refund.';
    case 'needs_attention':
      return situations[reason ?? ''] ?? `Delivery was not possible: ${reason}. Refund it.`;
  }
}
