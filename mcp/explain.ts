import { z } from 'zod';
import { errorBody } from '@/lib/errors/schema';
import type { ToolErrorFacts } from './tool-error';

const accountFacts = errorBody.shape.error.shape.account.unwrap();

/** What is wrong with a call, what happened to the money and what to do about it, in sentences. */
export function explain(facts: ToolErrorFacts): string {
  const { message, issues = [] } = facts;
  return [message, ...issues.map(explainIssue), nextStep(facts)].filter(Boolean).join(' ');
}

/** Rules are written to follow the name of their field, or as a bound or a word of their own. */
function explainIssue({ path, rule }: { readonly path: string; readonly rule: string }): string {
  if (rule === 'required') return `${path} is required.`;
  if (rule === 'no such field') return `There is no argument ${path}.`;
  if (/^at (most|least) .* (characters|items)$/.test(rule)) return `${path} must have ${rule}.`;
  if (/^at (most|least) /.test(rule)) return `${path} must be ${rule}.`;
  return /^(must|cannot|names|named) /.test(rule) ? `${path} ${rule}.` : `${path}: ${rule}.`;
}

/** What the message of the service leaves to those who know the tools. */
function nextStep({ code, retry, account, docs }: ToolErrorFacts): string {
  if (code === 'insufficient_balance') return topUp(account);
  if (code === 'account_token_wrong')
    return 'The service no longer knows the account of this machine. setup_link opens a new one.';
  // The messages of the adapter itself end with what to do.
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
      return 'Calling the tool again with the same arguments does not help.';
  }
}

function topUp(account: unknown): string {
  const { success, data } = z.object(accountFacts.shape).safeParse(account);
  if (!success) return 'topup_link gives the page on which a person adds money; then call the tool again.';
  return `The account holds ${data.balance} USDC and the call costs ${data.price} USDC. Ask the person to add money at ${data.depositUrl}, then call the tool again.`;
}
