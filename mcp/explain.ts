import { z } from 'zod';
import { errorBody } from '@/lib/catalog/errors/schema';
import type { ToolErrorFacts } from './tool-error';

const accountFacts = errorBody.shape.error.shape.account.unwrap();

/** The text of an error: what is wrong, what happened to the money and what to do. */
export function explain(facts: ToolErrorFacts): string {
  const { message, issues = [] } = facts;
  return [message, ...issues.map(explainIssue), nextStep(facts)].filter(Boolean).join(' ');
}

/** Rules are verb phrases that follow the name of their field. */
function explainIssue({ path, rule }: { readonly path: string; readonly rule: string }): string {
  return `${path} ${rule}.`;
}

/** What to do next, in terms of the tools, which the service's own messages do not know about. */
function nextStep({ code, retry, account, docs }: ToolErrorFacts): string {
  if (code === 'insufficient_balance') return topUp(account);
  if (code === 'account_token_wrong')
    return 'The service no longer knows the account of this machine. Use setup_link to open a new one.';
  // The adapter's own messages already say what to do.
  if (docs === undefined) return '';
  switch (retry) {
    case 'fix_input':
      return 'Change the arguments and call the tool again.';
    case 'later':
      return 'Call the tool again later.';
    case 'same_request':
      return 'Call the tool again with the same arguments; it is not charged twice.';
    case 'pay':
      return 'Call the tool again to pay for it.';
    case 'stop':
      return 'Do not call the tool again with the same arguments.';
  }
}

function topUp(account: unknown): string {
  const { success, data } = z.object(accountFacts.shape).safeParse(account);
  if (!success) return 'Use topup_link to get the page where a person adds money, then call the tool again.';
  return `The account has ${data.balance} USDC and the call costs ${data.price} USDC. Ask the person to add money at ${data.depositUrl}, then call the tool again.`;
}
