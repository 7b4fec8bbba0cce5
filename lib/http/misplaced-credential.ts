import type { Issue } from '@/lib/catalog/errors/api-error';
import type { Operation, RailName } from '@/lib/catalog/operation';

/** A credential that the path of a request does not read, because it is for another rail. */
interface Misplaced {
  /** For a 402. */
  readonly hint: string;
  /** The same, for an error body. */
  readonly issue: Issue;
}

const headerOf: Readonly<Record<RailName, string>> = {
  x402: 'PAYMENT-SIGNATURE',
  mpp: 'Authorization: Payment',
  account: 'Authorization: Bearer',
};
const nameOf: Readonly<Record<RailName, string>> = {
  x402: 'an x402 payment',
  mpp: 'an MPP credential',
  account: 'an account token',
};

/** Finds a credential that was sent to the path of another rail. @returns null when there is none */
export function findMisplaced(
  { paths }: Pick<Operation, 'paths'>,
  rail: RailName,
  headers: Pick<Headers, 'get'>,
): Misplaced | null {
  const sent = railOf(headers);
  if (sent === null || sent === rail) return null;
  const right = paths[sent];
  const rule = right ? `is for ${right}` : `cannot pay for this call, only for others`;
  return {
    hint: `This path takes ${nameOf[rail]} (${headerOf[rail]}). What you sent in ${headerOf[sent]} ${rule}, and was not used. Nothing was charged.`,
    issue: { path: headerOf[sent].replace(/:.*/, ''), rule },
  };
}

function railOf(headers: Pick<Headers, 'get'>): RailName | null {
  if (headers.get('payment-signature') !== null || headers.get('x-payment') !== null) return 'x402';
  const authorization = headers.get('authorization') ?? '';
  if ([authorization, headers.get('payment-authorization') ?? ''].some((one) => /^payment\s/i.test(one)))
    return 'mpp';
  return /^bearer\s/i.test(authorization) ? 'account' : null;
}
