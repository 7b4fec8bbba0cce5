import { createHash } from 'node:crypto';
import { PaymentRequest } from 'mppx';
import { z } from 'zod';
import type { Finding, SellerCase } from '../case';
import { fail, notApplicable, overMpp, pass, unlessWrong } from './findings';
import { documents } from './rules';
import { type MppChallenge, mppOf, type UnpaidSeller } from './seller';

const { mpp, mppCharge, mppEvm } = documents;

/** Checks each challenge. */
const ofChallenges = (
  problemOf: (challenge: MppChallenge, seller: UnpaidSeller) => string | undefined,
  isMeant: (challenge: MppChallenge) => boolean = () => true,
  unlessAny = 'No challenge is of this kind.',
) =>
  overMpp(({ challenges, problem, answer }, seller): Finding => {
    if (problem !== undefined) return notApplicable(`The challenges cannot be read: ${problem}`);
    const meant = challenges.filter(isMeant);
    if (meant.length === 0) return notApplicable(unlessAny);
    const problems = meant.flatMap((challenge) => problemOf(challenge, seller) ?? []);
    return unlessWrong(problems, answer);
  });

const required = (sentence: string) =>
  mpp('Required Parameters', 'name-required-parameters', sentence, 'must');
const optional = (sentence: string, strength: 'must' | 'should' = 'must') =>
  mpp('Optional Parameters', 'name-optional-parameters', sentence, strength);

/** The date-times of RFC 3339, which are those of Zod with any offset. */
const rfc3339 = z.iso.datetime({ offset: true });

const isCharge = ({ intent }: MppChallenge) => intent === 'charge';
const isEvmCharge = (challenge: MppChallenge) => challenge.method === 'evm' && isCharge(challenge);
const isAddress = (value: unknown) => /^0x[0-9a-fA-F]{40}$/.test(String(value));

const shown = (value: unknown) => JSON.stringify(value) ?? 'missing';

/**
 * Checks a parameter of each challenge, as it was sent.
 * @param unlessAny where the parameter is optional
 */
const ofParameters = (name: string, isRight: (value: string) => boolean, unlessAny?: string) =>
  overMpp(({ parameters, answer }) => {
    const values = parameters.map((given) => given.get(name));
    if (unlessAny !== undefined && values.every((value) => value === undefined))
      return notApplicable(unlessAny);
    const problems = values.flatMap((value) => {
      if (value === undefined) return unlessAny === undefined ? [`A challenge has no ${name}.`] : [];
      return isRight(value) ? [] : [`${name} is ${shown(value)}.`];
    });
    return unlessWrong(problems, answer);
  });

const decodedJson = (value: string): unknown => {
  try {
    return JSON.parse(Buffer.from(value, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
};

/** The canonical form (RFC 8785) of a parameter that is base64url of a JSON object, by the official library. */
function canonicalOf(value: unknown): string | undefined {
  const { data } = z.record(z.string(), z.unknown()).safeParse(value);
  return data && PaymentRequest.serialize(data);
}

const flatStrings = z.record(z.string(), z.string());

/** The digest of RFC 9530. */
const digestOf = (body: string) => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

const withBody = ({ call }: UnpaidSeller) => call.body !== undefined && call.body !== '';

/** The challenges of MPP. */
export const mppChallengeCases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'mpp.parses',
    title: 'Every Payment challenge is read by the official parser',
    rule: mpp(
      'Challenge (WWW-Authenticate)',
      'name-challenge-www-authenticate',
      'The challenge uses the auth-param syntax defined in Section 11 of RFC 9110',
      'must',
    ),
    check: overMpp(({ problem, answer }) => (problem === undefined ? pass : fail(problem, answer))),
  },
  {
    id: 'mpp.id',
    title: 'Every challenge has an ID',
    rule: required('Servers MUST NOT emit a Payment challenge with a missing or empty id'),
    check: ofParameters('id', (id) => id !== ''),
  },
  {
    id: 'mpp.realm',
    title: 'Every challenge has a realm',
    rule: required('Servers MUST include this parameter to define the scope of the payment requirement.'),
    check: ofParameters('realm', () => true),
  },
  {
    id: 'mpp.method',
    title: 'Every payment method is lowercase',
    rule: mpp(
      'Method Identifier Format',
      'name-method-identifier-format',
      'Method identifiers are case-sensitive and MUST be lowercase.',
      'must',
    ),
    check: ofParameters('method', (method) => /^[a-z]+$/.test(method)),
  },
  {
    id: 'mpp.intent',
    title: 'Every intent has the form of an identifier',
    rule: mpp('Intent Identifiers', 'name-intent-identifiers', 'intent = 1*( ALPHA / DIGIT / "-" )', 'must'),
    check: ofChallenges(({ intent }) =>
      /^[A-Za-z0-9-]+$/.test(intent) ? undefined : `intent is ${shown(intent)}.`,
    ),
  },
  {
    id: 'mpp.request-padding',
    title: 'request is base64url without padding',
    rule: required('Padding characters ("=") MUST NOT be included.'),
    check: ofParameters('request', (request) => /^[A-Za-z0-9_-]+$/.test(request)),
  },
  {
    id: 'mpp.request-canonical',
    title: 'request is JSON in its canonical form',
    rule: required('The JSON MUST be serialized using JSON Canonicalization Scheme (JCS) RFC8785'),
    check: ofParameters(
      'request',
      (request) => canonicalOf(decodedJson(request)) === request.replace(/=+$/, ''),
    ),
  },
  {
    id: 'mpp.charge-amount',
    title: 'A charge names its amount in base units, and its currency',
    rule: mppCharge(
      'Required Fields',
      'name-required-fields',
      'amount: string: Payment amount in base units (smallest denomination)',
      'must',
    ),
    check: ofChallenges(
      ({ request: { amount, currency } }) =>
        typeof amount === 'string' && /^\d+$/.test(amount) && typeof currency === 'string' && currency !== ''
          ? undefined
          : `amount is ${shown(amount)}, currency ${shown(currency)}.`,
      isCharge,
      'The seller offers no charge.',
    ),
  },
  {
    id: 'mpp.charge-expiry',
    title: 'A charge has its expiry in the challenge only',
    rule: mppCharge(
      'Optional Fields',
      'name-optional-fields',
      'Request objects MUST NOT duplicate the expiry value.',
      'must',
    ),
    check: ofChallenges(
      ({ request }) => ('expires' in request ? `request has expires, ${shown(request.expires)}.` : undefined),
      isCharge,
      'The seller offers no charge.',
    ),
  },
  {
    id: 'mpp.evm-addresses',
    title: 'A charge on an EVM network names addresses of 20 bytes',
    rule: mppEvm(
      'Shared Fields',
      'name-shared-fields',
      'Addresses in currency and recipient MUST be 0x-prefixed, 20-byte hex strings.',
      'must',
    ),
    check: ofChallenges(
      ({ request: { currency, recipient } }) =>
        isAddress(currency) && isAddress(recipient)
          ? undefined
          : `currency is ${shown(currency)}, recipient ${shown(recipient)}.`,
      isEvmCharge,
      'The seller offers no charge over the method evm.',
    ),
  },
  {
    id: 'mpp.evm-chain',
    title: 'A charge on an EVM network names its chain',
    rule: mppEvm(
      'Chain Identification',
      'name-chain-identification',
      'The chainId field is REQUIRED and identifies the target blockchain using its EIP-155 chain ID.',
      'must',
    ),
    check: ofChallenges(
      ({ request: { methodDetails } }) => {
        const { success } = z.looseObject({ chainId: z.number().int().positive() }).safeParse(methodDetails);
        return success ? undefined : `methodDetails is ${shown(methodDetails)}.`;
      },
      isEvmCharge,
      'The seller offers no charge over the method evm.',
    ),
  },
  {
    id: 'mpp.expires',
    title: 'Every challenge says when it expires',
    rule: optional('expires: Servers SHOULD include this parameter.', 'should'),
    check: ofChallenges(({ expires, id }) => (expires ? undefined : `The challenge ${id} has no expires.`)),
  },
  {
    id: 'mpp.expires-format',
    title: 'expires is a date-time of RFC 3339',
    rule: optional(
      'Timestamp indicating when this challenge expires, formatted as an RFC3339 date-time string',
    ),
    check: ofParameters('expires', (expires) => rfc3339.safeParse(expires).success, 'No challenge expires.'),
  },
  {
    id: 'mpp.expires-later',
    title: 'A new challenge has not expired',
    rule: optional('Clients MUST NOT submit credentials for expired challenges.'),
    check: overMpp(async (_, seller) => {
      // The one that all cases share is older.
      const answer = await seller.send();
      const ends =
        mppOf(answer)?.challenges.flatMap(({ expires }) => (expires ? [Date.parse(expires)] : [])) ?? [];
      if (ends.length === 0) return notApplicable('No challenge expires.');
      return Math.min(...ends) > Date.now() ? pass : fail('A new challenge has expired.', answer);
    }),
  },
  {
    id: 'mpp.digest',
    title: 'A challenge for a request with a body has its digest',
    rule: optional(
      'Servers SHOULD include this parameter when the payment challenge applies to a request with a body',
      'should',
    ),
    check: overMpp(({ challenges, answer }, seller) => {
      if (!withBody(seller)) return notApplicable('The call has no body.');
      return challenges.every(({ digest }) => digest)
        ? pass
        : fail('A challenge has no digest of the body.', answer);
    }),
  },
  {
    id: 'mpp.digest-of-body',
    title: 'digest is that of the body, as RFC 9530 writes it',
    rule: optional('digest: Content digest of the request body, formatted per RFC9530.'),
    check: ofChallenges(
      ({ digest = '' }, { call }) => {
        if (!/^[a-z0-9-]+=:[A-Za-z0-9+/]+=*:/.test(digest)) return `digest is ${shown(digest)}.`;
        const expected = digestOf(call.body ?? '');
        return !digest.startsWith('sha-256=') || digest === expected
          ? undefined
          : `digest is ${shown(digest)}, and that of the body ${shown(expected)}.`;
      },
      ({ digest }) => digest !== undefined,
      'No challenge has a digest.',
    ),
  },
  {
    id: 'mpp.opaque',
    title: 'opaque is a canonical object of strings',
    rule: optional('The value MUST be a JSON object whose values are strings (a flat string-to-string map).'),
    check: ofChallenges(
      ({ opaque = '' }) => {
        const { data } = flatStrings.safeParse(decodedJson(opaque));
        if (data === undefined) return `opaque is no object of strings: ${opaque}.`;
        return canonicalOf(data) === opaque ? undefined : `opaque is not canonical: ${opaque}.`;
      },
      ({ opaque }) => opaque !== undefined,
      'No challenge has opaque.',
    ),
  },
  {
    id: 'mpp.ids-unique',
    title: 'Challenges that differ have IDs that differ',
    rule: required(
      'id: Unique challenge identifier. Servers MUST bind this value to the challenge parameters',
    ),
    check: overMpp(async ({ challenges, answer }, seller) => {
      const others = mppOf(await seller.send());
      const byId = new Map<string, Set<string>>();
      for (const { id, description: _, ...rest } of [...challenges, ...(others?.challenges ?? [])])
        byId.set(id, (byId.get(id) ?? new Set()).add(JSON.stringify(rest)));
      if (byId.size === 0) return notApplicable('The challenges cannot be read.');
      const [shared] = [...byId].filter(([, terms]) => terms.size > 1);
      return shared ? fail(`Different challenges have the ID ${shared[0]}.`, others?.answer ?? answer) : pass;
    }),
  },
  {
    id: 'mpp.size',
    title: 'The challenges are shorter than 8 KB',
    rule: mpp(
      'Size Considerations',
      'name-size-considerations',
      'Servers SHOULD keep challenges under 8KB.',
      'should',
    ),
    check: overMpp(({ header, answer }) =>
      header.length < 8 * 1024 ? pass : fail(`The challenges have ${header.length} characters.`, answer),
    ),
  },
];
