import { z } from 'zod';
import { clientExitCodes } from '@/lib/catalog/client';
import { errorBody } from '@/lib/catalog/errors/schema';
import { ToolError, type ToolErrorFacts } from '../tool-error';

/** A failed command: what is wrong, what happened to the money, and what to do. */
export interface Failure {
  readonly facts: ToolErrorFacts;
  /** Everything that a person needs to know, in one line. */
  readonly text: string;
  readonly exitCode: number;
}

/** Describes any error of a command. */
export function describeFailure(error: unknown): Failure {
  const facts = error instanceof ToolError ? error.facts : unexpected;
  return { facts, text: textOf(facts), exitCode: exitCodeOf(facts) };
}

const unexpected: ToolErrorFacts = {
  code: 'internal_error',
  message: 'The client failed, and it is not known whether the call was charged.',
  payment: 'unknown',
  retry: 'same_request',
};

const exits = clientExitCodes;
const needMoney: readonly string[] = [
  'insufficient_balance',
  'spending_cap_reached',
  'price_above_limit',
  'lifetime_above_limit',
  'payment_refused',
];
const needRepair: readonly string[] = [
  'local_state_unusable',
  'answer_not_understood',
  'payment_not_offered',
  'settings_invalid',
  'account_token_required',
  'account_token_wrong',
];

function exitCodeOf({ code, payment, retry }: ToolErrorFacts): number {
  if (payment === 'unknown' || payment === 'in_flight') return exits.outcomeUnknown.code;
  if (payment === 'kept' && retry === 'same_request') return exits.outcomeUnknown.code;
  if (payment !== 'none') return exits.doNotRepeat.code;
  if (needMoney.includes(code)) return exits.noMoney.code;
  if (needRepair.includes(code)) return exits.cannotRun.code;
  return retry === 'fix_input' || retry === 'stop' ? exits.wrongInput.code : exits.tryLater.code;
}

function textOf(facts: ToolErrorFacts): string {
  const { code, message, issues = [] } = facts;
  const rules = issues.map(({ path, rule }) => `${path}: ${rule}.`);
  return [`${code}:`, message, ...rules, nextStep(facts)].filter(Boolean).join(' ');
}

const accountFacts = z.object(errorBody.shape.error.shape.account.unwrap().shape);

/** What to do next, in terms of commands, which the service's messages do not know about. */
function nextStep({ code, payment, retry, account }: ToolErrorFacts): string {
  if (code === 'insufficient_balance') {
    const { success, data } = accountFacts.safeParse(account);
    if (!success) return 'Ask a person to add money to the account.';
    return `The account has ${data.balance} USDC and the call costs ${data.price} USDC. Ask a person to add money at ${data.depositUrl}, then run the command again.`;
  }
  if (retry === 'same_request' || payment === 'unknown' || payment === 'in_flight')
    return 'Run the same command again; it is not charged twice.';
  return '';
}
