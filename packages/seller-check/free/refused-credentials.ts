import { concatHex, keccak256, stringToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Finding, Rule, SellerCase } from '../case';
import { type Answer, headerOf, headersOf, jsonOf } from '../http';
import { fail, notApplicable, overMpp, pass } from './findings';
import { documents, rfcs } from './rules';
import { type Changes, type MppChallenges, mppOf, type UnpaidSeller } from './seller';

const { mpp, mppCharge, mppEvm } = documents;

const statusCodes = (sentence: string) => mpp('Status Codes', 'response-status-codes', sentence, 'must');
const malformed = statusCodes(
  'Malformed credential (invalid base64url, bad JSON): 402: Fresh challenge + malformed-credential problem',
);
const unknownId = statusCodes(
  'Unknown, expired, or already-used challenge id: 402: Fresh challenge + invalid-challenge problem',
);
const failed = statusCodes(
  'Payment proof invalid or verification failed: 402: Fresh challenge + verification-failed problem',
);
const binding = mpp(
  'Challenge Binding',
  'name-challenge-binding',
  'Servers MUST verify that credentials present an id matching the expected binding.',
  'must',
);

/** The challenge as a credential repeats it, and a proof that proves nothing. */
interface Credential {
  readonly challenge: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const withRequest = ({ challenge, payload }: Credential, change: object): Credential => {
  const { data = {} } = z.record(z.string(), z.unknown()).safeParse(decodedJson(challenge.request));
  return { payload, challenge: { ...challenge, request: encoded(sorted({ ...data, ...change })) } };
};

const sorted = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function decodedJson(value = ''): unknown {
  try {
    return JSON.parse(Buffer.from(value, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** An authorization of the method evm with a signature of zeros, by a payer who owns nothing. */
function unpaid({ parameters }: MppChallenges): Credential {
  const { header: _, ...challenge } = Object.fromEntries(parameters[0] ?? []);
  const { amount, recipient } = z
    .looseObject({ amount: z.string(), recipient: z.string() })
    .catch({ amount: '1', recipient: '' })
    .parse(decodedJson(challenge.request));
  const { id = '', realm = '', expires = '' } = challenge;
  return {
    challenge,
    payload: {
      type: 'authorization',
      from: privateKeyToAccount(generatePrivateKey()).address,
      to: recipient,
      value: amount,
      validAfter: '0',
      validBefore: String(Math.floor((Date.parse(expires) || Date.now() + 300_000) / 1_000)),
      nonce: keccak256(concatHex([stringToHex(id), stringToHex(realm)])),
      signature: `0x${'00'.repeat(65)}`,
    },
  };
}

/** The field in which the seller takes the credential of its first challenge. */
const fieldOf = ({ parameters }: MppChallenges) => parameters[0]?.get('header') ?? 'Authorization';

/** New challenges: those that all cases share may have expired. */
async function newChallenges(seller: UnpaidSeller, known: MppChallenges): Promise<MppChallenges> {
  return mppOf(await seller.send()) ?? known;
}

function unlessChallenged(answer: Answer): Finding {
  if ([502, 503, 504].includes(answer.status))
    return notApplicable(`The seller is unavailable (${answer.status}).`);
  if (answer.status !== 402) return fail('The answer is no 402.', answer);
  if (mppOf(answer) === undefined) return fail('The 402 has no new challenge.', answer);
  return headersOf(answer, 'payment-receipt').length > 0 ? fail('The 402 has a receipt.', answer) : pass;
}

const sendToken = async (
  seller: UnpaidSeller,
  offered: MppChallenges,
  token: string,
  changes: Omit<Changes, 'headers'> = {},
) => seller.send({ ...changes, headers: [[fieldOf(offered), `Payment ${token}`]] });

/** A case that sends a credential which buys nothing. */
const refused = (
  id: string,
  title: string,
  rule: Rule,
  tokenOf: (credential: Credential, offered: MppChallenges) => string | undefined,
  unless = 'The challenge has no such parameter.',
): SellerCase<UnpaidSeller> => ({
  id: `credential.${id}`,
  title,
  rule,
  check: overMpp(async (known, seller) => {
    const offered = await newChallenges(seller, known);
    const token = tokenOf(unpaid(offered), offered);
    return token === undefined
      ? notApplicable(unless)
      : unlessChallenged(await sendToken(seller, offered, token));
  }),
});

const elsewhere = '0x000000000000000000000000000000000000dEaD';
const problem = z.looseObject({ type: z.string() });

/** A case about the problem document of a refusal. */
const refusedAs = (
  kind: string,
  title: string,
  rule: Rule,
  tokenOf: (credential: Credential) => string,
): SellerCase<UnpaidSeller> => ({
  id: `credential.problem-${kind}`,
  title,
  rule,
  check: overMpp(async (known, seller) => {
    const offered = await newChallenges(seller, known);
    const answer = await sendToken(seller, offered, tokenOf(unpaid(offered)));
    const { data } = problem.safeParse(jsonOf(answer));
    if (data === undefined || answer.status !== 402) return notApplicable('There is no problem document.');
    return data.type.endsWith(`/${kind}`) ? pass : fail(`Its type is ${data.type}.`, answer);
  }),
});

const withUnknownId = ({ challenge, payload }: Credential): Credential => ({
  payload,
  challenge: { ...challenge, id: 'A'.repeat(43) },
});

/** Credentials of MPP that buy nothing. */
export const refusedCredentialCases: readonly SellerCase<UnpaidSeller>[] = [
  refused('not-base64url', 'A credential that is not base64url gets a new challenge', malformed, () => '!!!'),
  refused('not-json', 'A credential that is not JSON gets a new challenge', malformed, () =>
    Buffer.from('not JSON').toString('base64url'),
  ),
  refused('no-challenge', 'A credential without a challenge gets a new one', malformed, ({ payload }) =>
    encoded({ payload }),
  ),
  refused('no-payload', 'A credential without a proof gets a new challenge', malformed, ({ challenge }) =>
    encoded({ challenge }),
  ),
  refused('unknown-id', 'A credential with an unknown ID gets a new challenge', unknownId, (credential) =>
    encoded(withUnknownId(credential)),
  ),
  refused('lower-amount', 'A credential that lowers the price gets a new challenge', binding, (credential) =>
    encoded(withRequest(credential, { amount: '0' })),
  ),
  refused(
    'other-recipient',
    'A credential that changes the payee gets a new challenge',
    binding,
    (credential) => encoded(withRequest(credential, { recipient: elsewhere })),
  ),
  refused('other-realm', 'A credential for another realm gets a new challenge', binding, (credential) =>
    encoded({ ...credential, challenge: { ...credential.challenge, realm: 'other.example' } }),
  ),
  refused(
    'later-expiry',
    'A credential that extends its challenge gets a new one',
    binding,
    ({ challenge, payload }) =>
      challenge.expires === undefined
        ? undefined
        : encoded({ payload, challenge: { ...challenge, expires: '2099-01-01T00:00:00Z' } }),
    'No challenge expires.',
  ),
  refused(
    'zero-signature',
    'A signature of zeros gets a new challenge',
    failed,
    (credential) => (credential.challenge.method === 'evm' ? encoded(credential) : undefined),
    'The first challenge is not of the method evm.',
  ),
  refused(
    'lower-value',
    'A proof for less than the price gets a new challenge',
    mppCharge(
      'Server Responsibilities',
      'name-server-responsibilities',
      'Verify the payment amount matches the request',
      'must',
    ),
    ({ challenge, payload }) =>
      challenge.method === 'evm' ? encoded({ challenge, payload: { ...payload, value: '0' } }) : undefined,
    'The first challenge is not of the method evm.',
  ),
  refused(
    'unknown-type',
    'A proof of an unknown type gets a new challenge',
    mppEvm(
      'Verification Procedure',
      'verification',
      'Verify that payload.type is present and is one of',
      'must',
    ),
    ({ challenge }) =>
      challenge.method === 'evm' ? encoded({ challenge, payload: { type: 'seller-check' } }) : undefined,
    'The first challenge is not of the method evm.',
  ),
  {
    id: 'credential.other-body',
    title: 'A credential with another body than that of its challenge gets a new one',
    rule: mpp(
      'Request Body Digest Binding',
      'name-request-body-digest-binding',
      'Reject the credential if the digests do not match',
      'must',
    ),
    check: overMpp(async (known, seller) => {
      const offered = await newChallenges(seller, known);
      if (offered.parameters[0]?.get('digest') === undefined)
        return notApplicable('The challenge has no digest.');
      // A space at the end changes the digest, not the meaning.
      const body = `${seller.call.body ?? ''} `;
      return unlessChallenged(await sendToken(seller, offered, encoded(unpaid(offered)), { body }));
    }),
  },
  {
    id: 'credential.other-method',
    title: 'A credential of a payment method that was not offered is refused',
    rule: mpp('Error Codes', 'name-error-codes', 'method-unsupported: 400: Method not accepted', 'must'),
    check: overMpp(async (known, seller) => {
      const offered = await newChallenges(seller, known);
      const { challenge, payload } = unpaid(offered);
      const token = encoded({ challenge: { ...challenge, method: 'sellercheck' }, payload });
      const answer = await sendToken(seller, offered, token);
      // To a server that looks at the ID first, it is an unknown challenge.
      return answer.status === 400 ? pass : unlessChallenged(answer);
    }),
  },
  {
    id: 'credential.two',
    title: 'Two credentials in one request are refused with 400',
    rule: mpp(
      'Multiple Payment Options',
      'name-multiple-payment-options',
      'Servers receiving multiple Payment credentials in a single request SHOULD reject with 400 (Bad Request).',
      'should',
    ),
    check: overMpp(async (known, seller) => {
      const offered = await newChallenges(seller, known);
      const field = [fieldOf(offered), `Payment ${encoded(unpaid(offered))}`] as const;
      const answer = await seller.send({ headers: [field, field] });
      return answer.status === 400 ? pass : fail('The answer is no 400.', answer);
    }),
  },
  refused(
    'four-kilobytes',
    'A credential of 4 KB is read',
    mpp(
      'Size Considerations',
      'name-size-considerations',
      'Servers MUST be able to handle credentials of at least 4KB.',
      'must',
    ),
    (credential) => {
      const padding = 3_000 - encoded(credential).length * 0.75;
      return encoded({ ...credential, source: `did:example:${'x'.repeat(Math.max(0, padding))}` });
    },
  ),
  {
    id: 'credential.large',
    title: 'A credential of 16 KB is refused',
    rule: rfcs[9110](
      '5.4',
      'A server that receives a request header field line [...] larger than it wishes to process MUST respond with an appropriate 4xx',
      'must',
    ),
    check: overMpp(async (offered, seller) => {
      const answer = await sendToken(seller, offered, 'A'.repeat(16 * 1024));
      return answer.status >= 400 && answer.status < 500 ? pass : fail('The answer is no 4xx.', answer);
    }),
  },
  {
    id: 'credential.other-scheme',
    title: 'Credentials of another scheme buy nothing',
    rule: mpp(
      'Status Codes',
      'response-status-codes',
      'Resource requires payment, no credential provided: 402: Fresh challenge in WWW-Authenticate',
      'must',
    ),
    check: overMpp(async (_, seller) => {
      const answer = await seller.send({ headers: [['Authorization', 'Bearer seller-check']] });
      // Some sellers also want an account.
      return [401, 403].includes(answer.status) ? pass : unlessChallenged(answer);
    }),
  },
  refusedAs('malformed-credential', 'A malformed credential is called one', malformed, () =>
    Buffer.from('not JSON').toString('base64url'),
  ),
  refusedAs('invalid-challenge', 'An unknown challenge is called one', unknownId, (credential) =>
    encoded(withUnknownId(credential)),
  ),
  {
    id: 'credential.no-store',
    title: 'A refusal is not stored by caches',
    rule: mpp(
      'Caching',
      'name-caching',
      'Servers MUST send Cache-Control: no-store with 402 responses',
      'must',
    ),
    check: overMpp(async (offered, seller) => {
      const answer = await sendToken(seller, offered, 'e30');
      if (answer.status !== 402) return notApplicable(`The answer is ${answer.status}.`);
      return /(^|[\s,])no-store([\s,]|$)/i.test(headerOf(answer, 'cache-control') ?? '')
        ? pass
        : fail('The 402 may be stored.', answer);
    }),
  },
  {
    id: 'credential.not-repeated',
    title: 'A refusal does not repeat the credential',
    rule: mpp(
      'Credential Handling',
      'name-credential-handling',
      'Servers and intermediaries MUST NOT log Payment credentials or include them in error messages',
      'must',
    ),
    check: overMpp(async (known, seller) => {
      const offered = await newChallenges(seller, known);
      const credential = unpaid(offered);
      const token = encoded(credential);
      const answer = await sendToken(seller, offered, token);
      const text = answer.body.toString('utf8');
      return text.includes(token) || text.includes(String(credential.payload.signature))
        ? fail('The body has the credential.', answer)
        : pass;
    }),
  },
];
