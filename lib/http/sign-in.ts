import { ApiError, invalidInput } from '@/lib/catalog/errors/api-error';
import { errors } from '@/lib/catalog/errors/codes';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Payments } from '@/lib/payments/app-payments';
import { signInChallenge } from '@/lib/payments/sign-in/sign-in-challenge';
import {
  graceMs,
  listTerms,
  messageRefusal,
  readSignIn,
  type SignInRefusal,
  type SignInTerms,
  signInKey,
} from '@/lib/payments/sign-in/sign-in-message';
import {
  type AskContract,
  judgeSignature,
  type SignedInWallet,
} from '@/lib/payments/sign-in/sign-in-signature';
import { recordSignIn } from '@/lib/payments/sign-in/used-sign-ins';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { ApiRequest, ApiResponse } from './api-message';
import { clientAddressOf } from './client-address';
import type { RateLimits } from './rate-limit';
import { respondText } from './respond';

/** What `signIn` uses. */
export interface SignInDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings' | 'clock' | 'keys'> {
  readonly payments: Payments;
  readonly rateLimits: RateLimits;
  readonly clientAddressHeader: string;
}

/** The page that shows how to sign in. */
const guidePath = '/docs/wallet-lists';

/** A longer URL would not fit into the message that wallets show. */
const urlLengthMax = 500;

/**
 * The wallet that has signed in for a request, or the 402 that asks it to. Each sign-in opens one request and is then
 * used up.
 * @param termsOf what the message must be for, by the requested URL
 * @throws ApiError sign_in_refused (401) with a reason, rate_limited (429), service_unavailable (503) when a contract
 *   wallet cannot be asked
 */
export async function signIn(
  app: SignInDeps,
  request: ApiRequest,
  operation: Pick<FreeOperation, 'summary' | 'category'>,
  termsOf: (url: string) => SignInTerms = listTerms,
): Promise<{ readonly wallet: SignedInWallet } | { readonly challenge: ApiResponse }> {
  const { pathname, search } = new URL(request.url);
  const url = app.settings.PUBLIC_URL + pathname + search;
  if (url.length > urlLengthMax) {
    const issues = [{ path: 'query', rule: `must be shorter: the URL may have ${urlLengthMax} characters` }];
    throw invalidInput(issues);
  }
  const terms = termsOf(url);
  const challenge = () =>
    signInChallenge(app, app.payments.networks, { terms, operation, error: howTo(app) });
  const header = request.headers.get(signInKey);
  if (header === null) return { challenge: await respondChallenge(challenge) };
  const verdict = await judgeSignIn(app, request, header, terms);
  if ('wallet' in verdict && (await verdict.spend())) return verdict;
  const reason = 'wallet' in verdict ? 'invalid_siwx_nonce_used' : verdict.refusal;
  throw new ApiError('sign_in_refused', {
    reason,
    message: `${explanations[reason]} ${errors.sign_in_refused.message}`,
    headers: { 'PAYMENT-REQUIRED': encode(await challenge()), 'WWW-Authenticate': 'SIGN-IN-WITH-X' },
  });
}

/** The wallet that a sign-in proves, or why it proves none. */
type Verdict =
  | {
      readonly wallet: SignedInWallet;
      /**
       * Uses the message up, which comes last, so that only a wallet's own requests write to the database.
       * @returns false when it was used before
       */
      readonly spend: () => Promise<boolean>;
    }
  | { readonly refusal: SignInRefusal };

/**
 * Verifies the header of a sign-in.
 * @param terms what the message must be for
 * @throws ApiError rate_limited (429), service_unavailable (503) when a contract wallet cannot be asked
 */
export async function judgeSignIn(
  app: SignInDeps,
  request: Pick<ApiRequest, 'headers'>,
  header: string,
  terms: SignInTerms,
): Promise<Verdict> {
  const signed = readSignIn(header);
  if (!signed) return { refusal: 'invalid_siwx_header' };
  const refusal = messageRefusal(app, signed, terms);
  if (refusal) return { refusal };
  const network = app.payments.networks.byCaip2(signed.chainId)?.network;
  const isOfFamily = network?.family === (signed.type === 'eip191' ? 'evm' : 'solana');
  if (!network || !isOfFamily) return { refusal: 'invalid_siwx_unsupported_chain' };
  const verdict = await judgeSignature(signed, network.name, contractsAt(app, request, network.name));
  if (!('wallet' in verdict)) return verdict;
  const limited = await app.rateLimits.countSignIn(verdict.wallet);
  if (limited.refusal) throw tooManySignIns('of this wallet', limited.refusal, limited.headers);
  // Our message says when it expires.
  const forgetAt = new Date(Date.parse(signed.expirationTime ?? '') + graceMs);
  return { ...verdict, spend: () => recordSignIn(app, signed.nonce, forgetAt) };
}

interface ContractsAtDeps extends Pick<Platform, 'settings'> {
  readonly payments: Payments;
  readonly rateLimits: RateLimits;
  readonly clientAddressHeader: string;
}

/** Asks contract wallets on a network, within this client's rate limit. */
function contractsAt(
  app: ContractsAtDeps,
  request: Pick<ApiRequest, 'headers'>,
  network: string,
): AskContract | null {
  const contracts = app.payments.contractWalletsAt(network);
  if (!contracts) return null;
  return async (address, hash, signature) => {
    const limited = await app.rateLimits.countContractSignIn(clientAddressOf(app, request));
    if (limited.refusal) {
      throw tooManySignIns('of contract wallets from this address', limited.refusal, limited.headers);
    }
    return contracts.accepts(address, hash, signature).catch((cause: unknown) => {
      throw new ApiError('service_unavailable', {
        message: `${network} does not respond, so the signature of a contract wallet cannot be checked. Nothing was charged. Try again later.`,
        retryAfterSeconds: 5,
        cause,
      });
    });
  };
}

function tooManySignIns(
  words: string,
  { retryAfterSeconds }: ApiError,
  headers: Readonly<Record<string, string>>,
): ApiError {
  const message = `Too many sign-ins ${words}. Nothing was charged. Sign in again after the seconds in Retry-After.`;
  return new ApiError('rate_limited', { message, retryAfterSeconds, headers });
}

function howTo({ settings }: Pick<Platform, 'settings'>): string {
  return `${errors.sign_in_required.message} ${settings.PUBLIC_URL}${guidePath} shows how.`;
}

const encode = (document: object) => Buffer.from(JSON.stringify(document)).toString('base64');

/** The challenge in the header and the body, as in every 402 of x402. */
async function respondChallenge(make: () => Promise<object>): Promise<ApiResponse> {
  const document = await make();
  return respondText(
    { status: 402, body: JSON.stringify(document) },
    { 'PAYMENT-REQUIRED': encode(document) },
  );
}

/** What is wrong with a sign-in, in words. */
export const explanations: Readonly<Record<SignInRefusal, string>> = {
  invalid_siwx_header:
    'SIGN-IN-WITH-X must be base64 of JSON: the fields of the message with address, chainId, type and signature.',
  invalid_siwx_domain_mismatch: 'The message is for another host.',
  invalid_siwx_uri_mismatch: 'The message is for another URL. It is valid for one URL with its query.',
  invalid_siwx_statement: 'statement must be the one in the message that you were given.',
  invalid_siwx_resources: 'resources must be those in the message that you were given.',
  invalid_siwx_request_id: 'The message must not have a requestId, like the one that you were given.',
  invalid_siwx_version: 'The version of the message must be 1.',
  invalid_siwx_unsupported_chain:
    'chainId must be one of supportedChains, and type must be the one that is listed with it.',
  invalid_siwx_issued_at: 'issuedAt must be the time in the message that you were given.',
  invalid_siwx_issued_at_in_future: 'issuedAt is in the future.',
  invalid_siwx_expiration_time: 'expirationTime must be the time in the message that you were given.',
  invalid_siwx_expired: 'The message has expired.',
  invalid_siwx_not_yet_valid: 'notBefore is in the future, or no time.',
  invalid_siwx_nonce: 'The nonce was not issued for this message.',
  invalid_siwx_nonce_used: 'The message has been used. Each is valid for one request.',
  invalid_siwx_malformed_signature:
    'address and signature must be hexadecimal and begin with 0x (eip191), or base58 (ed25519).',
  invalid_siwx_signature:
    'The signature of the message is not that of address. A contract wallet must be deployed on the network of chainId.',
};
