import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isSameSecret } from '@/lib/platform/same-secret';
import { secret } from './setting-rules';

/** The people who sign in to the console, and the token of the metrics. */

/** What an operator may do in the console. Each role includes those before it. */
const operatorRoles = ['read', 'moderate', 'full'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Somebody who may sign in to the console. */
export interface ConsoleOperator {
  /** Null for everybody who has OPERATOR_TOKEN. */
  readonly name: string | null;
  readonly role: OperatorRole;
  /** SHA-256 of their token, in hex. */
  readonly tokenHash: string;
}

/** Shorter tokens could be guessed. */
const tokenLengthMin = 16;

/** How an operator may be called, in OPERATORS and by the operator's program. */
export const operatorName = /^[A-Za-z][A-Za-z0-9._-]{0,39}$/;

/** One entry of OPERATORS. @returns what is wrong with it */
function readOperator(entry: string): ConsoleOperator | string {
  const [name = '', role = '', hash = '', ...others] = entry.split(':').map((part) => part.trim());
  if (others.length > 0 || hash === '') return 'must be NAME:ROLE:SHA256';
  if (!operatorName.test(name))
    return 'must begin with a name of letters, digits, dots, dashes and underscores';
  const known = operatorRoles.find((one) => one === role);
  if (known === undefined) return `must have one of these roles after the name: ${operatorRoles.join(', ')}`;
  if (!/^[0-9a-f]{64}$/i.test(hash)) return 'must end with the SHA-256 of a token, 64 hex characters';
  return { name, role: known, tokenHash: hash.toLowerCase() };
}

const operators = z.string().transform((value, context): readonly ConsoleOperator[] => {
  const read = value.split(',').map((entry) => readOperator(entry.trim()));
  const found: ConsoleOperator[] = [];
  for (const [index, operator] of read.entries()) {
    const problem = typeof operator === 'string' ? operator : repeats(found, operator);
    if (problem !== null) context.addIssue({ code: 'custom', path: [index], message: problem });
    else if (typeof operator !== 'string') found.push(operator);
  }
  return found;
});

function repeats(others: readonly ConsoleOperator[], { name, tokenHash }: ConsoleOperator): string | null {
  if (others.some((other) => other.name?.toLowerCase() === name?.toLowerCase()))
    return 'has the name of another operator';
  if (others.some((other) => other.tokenHash === tokenHash)) return 'has the token of another operator';
  return null;
}

export const tokenSettings = {
  OPERATOR_TOKEN: secret(tokenLengthMin).optional(),
  OPERATORS: operators.optional(),
  METRICS_TOKEN: secret(tokenLengthMin).optional(),
};

type TokenSettings = z.output<z.ZodObject<typeof tokenSettings>>;

/** A token that opens two things would give the holder of one the other. @returns what is wrong, without any value */
export function tokenProblems(
  env: TokenSettings & { readonly CRON_SECRET?: string | undefined },
): { name: string; message: string }[] {
  const { OPERATOR_TOKEN, OPERATORS = [], METRICS_TOKEN, CRON_SECRET } = env;
  const problems: { name: string; message: string }[] = [];
  if (METRICS_TOKEN !== undefined && METRICS_TOKEN === OPERATOR_TOKEN)
    problems.push({ name: 'METRICS_TOKEN', message: 'must not be OPERATOR_TOKEN' });
  for (const [name, other] of Object.entries({ OPERATOR_TOKEN, METRICS_TOKEN, CRON_SECRET })) {
    if (OPERATORS.some(({ tokenHash }) => other && tokenHash === hashOf(other).toString('hex')))
      problems.push({ name: 'OPERATORS', message: `has an operator whose token is also ${name}` });
  }
  return problems;
}

/** Everybody who may sign in to the console. If nobody may, there is no console. */
export function consoleOperators({
  OPERATOR_TOKEN,
  OPERATORS = [],
}: TokenSettings): readonly ConsoleOperator[] {
  if (OPERATOR_TOKEN === undefined) return OPERATORS;
  return [{ name: null, role: 'full', tokenHash: hashOf(OPERATOR_TOKEN).toString('hex') }, ...OPERATORS];
}

/** Whose token this is; null when it is nobody's. How long it takes reveals nothing about any token. */
export function operatorWithToken(settings: TokenSettings, given: string): ConsoleOperator | null {
  const hash = hashOf(given);
  const found = consoleOperators(settings).filter(({ tokenHash }) =>
    isSameSecret(hash, Buffer.from(tokenHash, 'hex')),
  );
  return given.length < tokenLengthMin ? null : (found[0] ?? null);
}

/** Whether a role includes another. */
export function includesRole(role: OperatorRole, wanted: OperatorRole): boolean {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf(wanted);
}

/** Tokens are random and long, so a fast hash keeps them secret. */
function hashOf(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
