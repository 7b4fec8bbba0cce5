import { type Hex, hexToBigInt, numberToHex, sliceHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { isDelivery } from '../client';
import { fail, notApplicable, pass } from '../findings';
import type { PaidCase } from '../paid-case';
import type { Change } from '../payments';
import { rules } from '../rules';
import type { PaidSeller } from '../seller';
import { fitsTheMoney, isRefused } from './outcomes';

/** Sends a payment that a seller may take or not, but not half. */
const takesOrRefuses = async (seller: PaidSeller, change: Change) =>
  fitsTheMoney(seller, await seller.pay(await seller.signX402(await seller.newPayer(), change)));

const seconds = (offset: number) => BigInt(Math.floor(Date.now() / 1000) + offset);

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The other signature of the same hash by the same key, which EIP-2 forbids. */
function withHighS(signature: Hex): Hex {
  const s = order - hexToBigInt(sliceHex(signature, 32, 64));
  const v = sliceHex(signature, 64) === '0x1b' ? '1c' : '1b';
  return `${sliceHex(signature, 0, 32)}${numberToHex(s, { size: 32 }).slice(2)}${v}`;
}

/** With 0 or 1 where the token wants 27 or 28. */
const withSmallV = (signature: Hex): Hex =>
  `${sliceHex(signature, 0, 64)}${sliceHex(signature, 64) === '0x1b' ? '00' : '01'}`;

/** Authorizations that the chain has seen before, and those that a seller may take or not. */
export const unusualAuthorizationCases: readonly PaidCase[] = [
  {
    id: 'authorization.used-nonce',
    title: 'refuses an authorization whose nonce the payer has used for another payment',
    rule: rules.simulation,
    needs: ['x402'],
    async check(seller) {
      const payer = await seller.newPayer();
      const payment = await seller.signX402(payer);
      const other = await seller.signX402(payer, {
        authorization: {
          nonce: payment.authorization.nonce,
          to: privateKeyToAccount(generatePrivateKey()).address,
          value: 1n,
        },
      });
      await seller.chain.submit(other.authorization, other.signature);
      return isRefused(seller, await seller.pay(payment));
    },
  },
  {
    id: 'authorization.canceled',
    title: 'refuses an authorization that the payer has canceled',
    rule: rules.simulation,
    needs: ['x402'],
    async check(seller) {
      const payer = await seller.newPayer();
      const payment = await seller.signX402(payer);
      await seller.chain.cancel(payer, payment.authorization.nonce);
      return isRefused(seller, await seller.pay(payment));
    },
  },
  {
    id: 'authorization.high-s',
    title: 'serves a signature with a high s only if it is paid',
    rule: rules.success,
    needs: ['x402'],
    check: (seller) => takesOrRefuses(seller, { signature: withHighS }),
  },
  {
    id: 'authorization.high-s-again',
    title: 'does not charge or serve twice for a payment whose signature comes again in another form',
    rule: rules.oneTime,
    needs: ['x402', 'otherBody'],
    async check(seller) {
      const payer = await seller.newPayer();
      const payment = await seller.signX402(payer);
      const first = await seller.pay(payment);
      const { authorization } = payment;
      const again = await seller.signX402(payer, { authorization, signature: withHighS });
      const second = await seller.pay(again, { body: seller.target.otherBody });
      if (!isDelivery(first)) return fail(first);
      return isDelivery(second) ? fail(first, second) : pass;
    },
  },
  {
    id: 'authorization.small-v',
    title: 'serves a signature that ends in 0 or 1 only if it is paid',
    rule: rules.success,
    needs: ['x402'],
    check: (seller) => takesOrRefuses(seller, { signature: withSmallV }),
  },
  {
    id: 'authorization.short-window',
    title: 'serves an authorization that expires within two seconds only if it is paid',
    rule: rules.success,
    needs: ['x402'],
    check: (seller) => takesOrRefuses(seller, { authorization: { validBefore: seconds(2) } }),
  },
  {
    id: 'authorization.long-window',
    title: 'serves an authorization that is valid for ten years only if it is paid',
    rule: rules.success,
    needs: ['x402'],
    check: (seller) =>
      takesOrRefuses(seller, {
        authorization: { validBefore: seconds(315_360_000) },
      }),
  },
  {
    id: 'authorization.submitted-by-another',
    title: 'serves at most once for a payment that somebody else has submitted',
    rule: rules.oneTime,
    needs: ['x402'],
    async check(seller) {
      const payment = await seller.signX402(await seller.newPayer());
      await seller.chain.submit(payment.authorization, payment.signature);
      seller.ledger.excuse = 'Not the seller, but somebody else has moved the money.';
      const replies = [await seller.pay(payment), await seller.pay(payment)];
      const transfers = await seller.ledger.transfers();
      if (transfers !== 1) return fail(`The payee received ${transfers} transfers.`, ...replies);
      if (new Set(replies.filter(isDelivery).map(({ text }) => text)).size > 1) return fail(...replies);
      return replies.some(isDelivery)
        ? pass
        : notApplicable(
            `It answers ${replies[0]?.status}: x402 does not say what to do when another has submitted the payment.`,
          );
    },
  },
];
