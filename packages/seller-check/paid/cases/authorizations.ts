import { sliceHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Rule } from '../../case';
import { isDelivery, type Reply } from '../client';
import { fail, pass } from '../findings';
import type { PaidCase } from '../paid-case';
import type { Change, Payment } from '../payments';
import { rules } from '../rules';
import type { PaidSeller } from '../seller';
import { isRefused } from './outcomes';

/** Sends a payment that a seller must not take. */
const refuses = async (seller: PaidSeller, payment: Payment) => isRefused(seller, await seller.pay(payment));

const somebody = () => privateKeyToAccount(generatePrivateKey());
const seconds = (offset: number) => BigInt(Math.floor(Date.now() / 1000) + offset);

interface Defect {
  readonly name: string;
  readonly title: string;
  readonly rule: Rule;
  change(seller: PaidSeller): Change;
}

const price = ({ x402 }: PaidSeller) => x402?.price ?? 0n;

/** Payments over x402 with one thing wrong in each. */
const x402Defects: readonly Defect[] = [
  {
    name: 'expired',
    title: 'an authorization that has expired',
    rule: rules.timeWindow,
    change: () => ({ authorization: { validBefore: seconds(-60) } }),
  },
  {
    name: 'not-yet-valid',
    title: 'an authorization that is valid only later',
    rule: rules.timeWindow,
    change: () => ({ authorization: { validAfter: seconds(3_600), validBefore: seconds(7_200) } }),
  },
  {
    name: 'empty-window',
    title: 'an authorization that is never valid',
    rule: rules.timeWindow,
    change: () => ({ authorization: { validAfter: seconds(60), validBefore: seconds(30) } }),
  },
  {
    name: 'other-payee',
    title: 'an authorization for another payee',
    rule: rules.parameters,
    change: () => ({ authorization: { to: somebody().address } }),
  },
  {
    name: 'other-payee-accepted',
    title: 'an authorization for another payee, with requirements that name that payee',
    rule: rules.parameters,
    change: () => {
      const { address } = somebody();
      return {
        authorization: { to: address },
        accepted: (requirement) => ({ ...requirement, payTo: address }),
      };
    },
  },
  {
    name: 'to-payer',
    title: 'an authorization with which payers pay themselves',
    rule: rules.parameters,
    change: () => {
      const payer = somebody();
      return { authorization: { to: payer.address, from: payer.address }, signer: payer };
    },
  },
  {
    name: 'amount-lower',
    title: 'an authorization for less than the price',
    rule: rules.exactAmount,
    change: (seller) => ({ authorization: { value: price(seller) - 1n } }),
  },
  {
    name: 'amount-lower-accepted',
    title: 'an authorization for less than the price, with requirements that name that amount',
    rule: rules.exactAmount,
    change: (seller) => ({
      authorization: { value: price(seller) - 1n },
      accepted: (requirement) => ({ ...requirement, amount: String(price(seller) - 1n) }),
    }),
  },
  {
    name: 'amount-higher',
    title: 'an authorization for more than the price',
    rule: rules.exactAmount,
    change: (seller) => ({ authorization: { value: price(seller) + 1n } }),
  },
  {
    name: 'amount-zero',
    title: 'an authorization for nothing',
    rule: rules.exactAmount,
    change: () => ({
      authorization: { value: 0n },
      accepted: (requirement) => ({ ...requirement, amount: '0' }),
    }),
  },
  {
    name: 'other-token',
    title: 'an authorization for another token',
    rule: rules.tokenAndNetwork,
    change: () => {
      const { address } = somebody();
      return {
        domain: { verifyingContract: address },
        accepted: (requirement) => ({ ...requirement, asset: address }),
      };
    },
  },
  {
    name: 'other-network',
    title: 'an authorization for another network',
    rule: rules.tokenAndNetwork,
    change: () => ({
      domain: { chainId: 84_532 },
      accepted: (requirement) => ({ ...requirement, network: 'eip155:84532' }),
    }),
  },
  {
    name: 'other-chain-id',
    title: 'a signature for another chain, with the requirements of this one',
    rule: rules.signature,
    change: () => ({ domain: { chainId: 1 } }),
  },
  {
    name: 'other-domain-name',
    title: 'a signature with another name of the token',
    rule: rules.signature,
    change: () => ({ domain: { name: 'US Dollar' } }),
  },
  {
    name: 'other-type',
    title: 'a signature of receiveWithAuthorization',
    rule: rules.signature,
    change: () => ({ primaryType: 'ReceiveWithAuthorization' }),
  },
  {
    name: 'other-signer',
    title: 'a signature of another wallet than the payer',
    rule: rules.signature,
    change: () => ({ signer: somebody() }),
  },
  {
    name: 'altered-signature',
    title: 'a signature with one altered byte',
    rule: rules.signature,
    change: () => ({
      signature: (genuine) =>
        `${sliceHex(genuine, 0, 10)}${sliceHex(genuine, 10, 11) === '0x00' ? '01' : '00'}${sliceHex(genuine, 11).slice(2)}`,
    }),
  },
  {
    name: 'no-signature',
    title: 'a signature of zeros',
    rule: rules.signature,
    change: () => ({ signature: () => `0x${'00'.repeat(65)}` }),
  },
  {
    name: 'short-signature',
    title: 'a signature that is cut off',
    rule: rules.signature,
    change: () => ({ signature: (genuine) => sliceHex(genuine, 0, 40) }),
  },
];

/** Payments over MPP with one thing wrong in each. */
const mppDefects: readonly Defect[] = [
  {
    name: 'other-nonce',
    title: 'an authorization whose nonce does not belong to the challenge',
    rule: rules.mppNonce,
    change: () => ({ authorization: { nonce: generatePrivateKey() } }),
  },
  {
    name: 'other-recipient',
    title: 'an authorization for another recipient',
    rule: rules.mppRecipient,
    change: () => ({ authorization: { to: somebody().address } }),
  },
  {
    name: 'amount-lower',
    title: 'an authorization for less than the challenge says',
    rule: rules.mppValue,
    change: ({ mpp }) => ({ authorization: { value: (mpp?.price ?? 1n) - 1n } }),
  },
  {
    name: 'altered-challenge',
    title: 'a challenge whose amount the client has lowered',
    rule: rules.mppBinding,
    change: ({ mpp }) => {
      const amount = (mpp?.price ?? 1n) - 1n;
      return {
        authorization: { value: amount },
        challenge: (challenge) => ({
          ...challenge,
          request: { ...challenge.request, amount: String(amount) },
        }),
      };
    },
  },
  {
    name: 'later-expiry',
    title: 'a challenge whose expiry the client has changed',
    rule: rules.mppBinding,
    change: () => ({
      challenge: (challenge) => ({ ...challenge, expires: '2099-01-01T00:00:00.000Z' }),
    }),
  },
  {
    name: 'unknown-challenge',
    title: 'a challenge that the seller has not issued',
    rule: rules.mppBinding,
    change: () => ({
      challenge: (challenge) => ({ ...challenge, id: generatePrivateKey().slice(2, 45) }),
    }),
  },
  {
    name: 'expired',
    title: 'an authorization that has expired',
    rule: rules.mppVerificationFailed,
    change: () => ({ authorization: { validBefore: seconds(-60) } }),
  },
  {
    name: 'other-signer',
    title: 'a signature of another wallet than the payer',
    rule: rules.mppAuthorization,
    change: () => ({ signer: somebody() }),
  },
];

/** A refusal over MPP: 402 with a new challenge. */
async function refusesWithChallenge(seller: PaidSeller, payment: Payment) {
  const reply = await seller.pay(payment);
  const transfers = await seller.ledger.transfers();
  if (isDelivery(reply) || transfers > 0) return fail(`${transfers} transfers`, reply);
  return isFreshChallenge(reply) ? pass : fail('The refusal is not 402 with a new challenge.', reply);
}

const isFreshChallenge = ({ status, headers }: Reply) =>
  status === 402 && /(^|,)\s*Payment\s/i.test(headers.get('www-authenticate') ?? '');

export const authorizationCases: readonly PaidCase[] = [
  ...x402Defects.map(
    ({ name, title, rule, change }): PaidCase => ({
      id: `authorization.x402-${name}`,
      title: `refuses ${title}, and charges nothing`,
      rule,
      needs: ['x402'],
      check: async (seller) =>
        refuses(seller, await seller.signX402(await seller.newPayer(), change(seller))),
    }),
  ),
  ...mppDefects.map(
    ({ name, title, rule, change }): PaidCase => ({
      id: `authorization.mpp-${name}`,
      title: `refuses ${title} with 402 and a new challenge, and charges nothing`,
      rule,
      needs: ['mpp'],
      check: async (seller) =>
        refusesWithChallenge(seller, await seller.signMpp(await seller.newPayer(), change(seller))),
    }),
  ),
];
