import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import { isAddress } from 'viem';
import type { SellerCase } from '../case';
import { fail, notApplicable, overX402, pass, unlessWrong } from './findings';
import { documents } from './rules';
import { isLoopback, type Offer, type UnpaidSeller } from './seller';

const { x402, x402Http, x402Svm, eip55 } = documents;

const requirements = (sentence: string) => x402('5.1.2 Field Descriptions', '', sentence, 'must');

/** Checks each entry of `accepts`. */
const ofOffers = (problemOf: (offer: Offer) => string | undefined) =>
  overX402(({ required, answer }) =>
    required.accepts.length === 0
      ? notApplicable('The challenge has no readable entry of accepts.')
      : unlessWrong(
          required.accepts.flatMap((offer, index) => {
            const problem = problemOf(offer);
            return problem === undefined ? [] : [`accepts[${index}]: ${problem}.`];
          }),
          answer,
        ),
  );

const isOn = (offer: Offer, namespace: string) => String(offer.network).startsWith(`${namespace}:`);
const isHex = (value: unknown): value is string => typeof value === 'string' && /^0x/i.test(value);
const isEvmAddress = (value: unknown) => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);
/** 32 bytes in base58. */
const isSolanaAddress = (value: unknown) =>
  typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value);

function addressProblem(offer: Offer, field: 'asset' | 'payTo'): string | undefined {
  const value = offer[field];
  if (isOn(offer, 'eip155') && (field === 'asset' || isHex(value)) && !isEvmAddress(value))
    return `${field} is ${JSON.stringify(value)}, which is no address on ${offer.network}`;
  if (isOn(offer, 'solana') && field === 'asset' && !isSolanaAddress(value))
    return `${field} is ${JSON.stringify(value)}, which is no address on ${offer.network}`;
  return typeof value === 'string' && value !== '' ? undefined : `${field} is ${JSON.stringify(value)}`;
}

/** Letters of both cases promise a checksum. */
const isChecksumWrong = (value: unknown) =>
  isEvmAddress(value) &&
  /[a-f]/.test(String(value).slice(2)) &&
  /[A-F]/.test(String(value)) &&
  !isAddress(String(value), { strict: true });

/** The challenge of x402 version 2. */
export const x402ChallengeCases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'x402.header-decodes',
    title: 'PAYMENT-REQUIRED is base64 of a JSON object',
    rule: x402Http(
      'Payment Required Signaling',
      'payment-required-signaling',
      'Data Format: Base64-encoded PaymentRequired schema in header',
      'must',
    ),
    check: overX402(({ header, document, answer }) => {
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return fail('The header is not base64.', answer);
      const isObject = typeof document === 'object' && document !== null && !Array.isArray(document);
      return isObject ? pass : fail('The header is not base64 of a JSON object.', answer);
    }),
  },
  {
    id: 'x402.schema',
    title: 'The challenge has every required field, by the schema of @x402/core',
    rule: x402(
      '5.1.2 Field Descriptions',
      '',
      'The PaymentRequired schema contains the following fields: x402Version, resource, accepts: Required',
      'must',
    ),
    check: overX402(({ document, answer }) => {
      const { error } = PaymentRequiredV2Schema.safeParse(document);
      const problems = error?.issues.map(
        ({ path, message }) => `${path.join('.') || 'document'}: ${message}.`,
      );
      return unlessWrong(problems ?? [], answer);
    }),
  },
  {
    id: 'x402.version',
    title: 'x402Version is 2',
    rule: x402('5.1.2 Field Descriptions', '', 'Protocol version identifier (must be 2)', 'must'),
    check: overX402(({ required: { x402Version }, answer }) =>
      x402Version === 2 ? pass : fail(`x402Version is ${JSON.stringify(x402Version)}.`, answer),
    ),
  },
  {
    id: 'x402.resource-url',
    title: 'resource.url is the URL of the call',
    rule: x402('5.1.2 Field Descriptions', '', 'url: URL of the protected resource', 'must'),
    check: overX402(({ required, answer }, seller) => {
      const { url } = required.resource ?? {};
      if (typeof url !== 'string' || !URL.canParse(url))
        return fail(`resource.url is ${JSON.stringify(url)}, which is no URL.`, answer);
      const [named, called] = [new URL(url), seller.call.url];
      if (isLoopback(named) && !isLoopback(called))
        return fail(`resource.url is ${url}, on the seller's own machine.`, answer);
      if (named.hostname !== called.hostname)
        return notApplicable(`The challenge names another host, ${named.host}. Check the call there.`);
      if (named.origin !== called.origin || named.pathname !== called.pathname)
        return fail(`resource.url is ${url}.`, answer);
      return pass;
    }),
  },
  {
    id: 'x402.network',
    title: 'Every network is a CAIP-2 identifier',
    rule: requirements('Blockchain network identifier in CAIP-2 format (e.g., "eip155:84532")'),
    check: ofOffers(({ network }) =>
      typeof network === 'string' && /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(network)
        ? undefined
        : `network is ${JSON.stringify(network)}`,
    ),
  },
  {
    id: 'x402.amount',
    title: 'Every amount is a whole number of atomic units',
    rule: requirements('Required payment amount in atomic token units'),
    check: ofOffers(({ amount }) =>
      typeof amount === 'string' && /^\d+$/.test(amount) ? undefined : `amount is ${JSON.stringify(amount)}`,
    ),
  },
  {
    id: 'x402.asset',
    title: 'Every asset is the address of a token on its network',
    rule: requirements('asset: Token contract address or ISO 4217 currency code for fiat'),
    check: ofOffers((offer) =>
      /^[A-Z]{3}$/.test(String(offer.asset)) ? undefined : addressProblem(offer, 'asset'),
    ),
  },
  {
    id: 'x402.pay-to',
    title: 'Every payTo is an address on its network, or a role',
    rule: requirements('Recipient wallet address or role constant (e.g., "merchant")'),
    check: ofOffers((offer) => addressProblem(offer, 'payTo')),
  },
  {
    id: 'x402.checksums',
    title: 'Addresses on EVM networks have the right checksum, or none',
    rule: eip55(
      'Implementation',
      'implementation',
      'print it in uppercase if the 4*ith bit of the hash of the lowercase hexadecimal address is 1 otherwise print it in lowercase',
      'should',
    ),
    check: ofOffers((offer) => {
      if (!isOn(offer, 'eip155')) return undefined;
      const wrong = (['asset', 'payTo'] as const).filter((field) => isChecksumWrong(offer[field]));
      return wrong.length === 0 ? undefined : `the checksum of ${wrong.join(' and ')} is wrong`;
    }),
  },
  {
    id: 'x402.solana-fee-payer',
    title: 'Offers on Solana name who pays the fee',
    rule: x402Svm(
      'PaymentRequirements for exact',
      'paymentrequirements-for-exact',
      'the exact scheme on Solana requires the following inside the extra field: feePayer',
      'must',
    ),
    check: overX402(({ required, answer }) => {
      const offers = required.accepts.filter((offer) => isOn(offer, 'solana') && offer.scheme === 'exact');
      if (offers.length === 0) return notApplicable('The seller offers no exact payment on Solana.');
      const without = offers.filter(({ extra }) => !isSolanaAddress(extra?.feePayer));
      return without.length === 0 ? pass : fail('extra.feePayer is no address on Solana.', answer);
    }),
  },
];
