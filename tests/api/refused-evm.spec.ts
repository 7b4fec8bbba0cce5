import type { PaymentPayload } from '@x402/core/types';
import { encodeFunctionData, type Hex, parseSignature, serializeErc6492Signature, toHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { tokenAbi } from '../support/evm-chain';
import { expectChallenge, expectUntouched, startAtomic } from '../support/expectations';
import { authorizationOf, resign, signatureOf, withAccepted, withPayload } from '../support/lies';
import { newEvmPayer } from '../support/payers';
import type { Seller } from '../support/seller';
import { forEachSeller } from '../support/sellers';
import { network } from '../support/stack';
import { expect, test } from '../support/without-browser';

const on = 'base';
const stranger = privateKeyToAccount(generatePrivateKey());
const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);

function postTo({ url }: Seller, envelope: PaymentPayload, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: paymentHeader(envelope), body });
}

interface Lie {
  readonly what: string;
  readonly reason: string;
  tell(honest: PaymentPayload, wallet: PrivateKeyAccount): PaymentPayload | Promise<PaymentPayload>;
}

/** As full-width digits, which are digits to some. */
const fullWidth = (digits: bigint) =>
  [...String(digits)].map((digit) => String.fromCodePoint(Number(digit) + 0xff10)).join('');

const accepting = (what: string, accepted: Record<string, unknown>, reason: string): Lie => ({
  what: `accepts ${what}`,
  reason,
  tell: (honest) => withAccepted(honest, accepted),
});

const signing = (
  what: string,
  authorization: () => Partial<ReturnType<typeof authorizationOf>>,
  reason: string,
): Lie => ({
  what: `signs ${what}`,
  reason: `invalid_exact_evm_${reason}`,
  tell: (honest, wallet) => resign(honest, wallet, on, { authorization: authorization() }),
});

const writing = (what: string, payload: (honest: PaymentPayload) => object, reason: string): Lie => ({
  what: `carries ${what}`,
  reason,
  tell: (honest) => withPayload(honest, { ...payload(honest) }),
});

/** Other ways to write a price, which is in thousandths. */
const unusual = (price: bigint): readonly (readonly [string, string])[] => [
  ['below zero', `-${price}`],
  ['in hexadecimal', `0x${price.toString(16)}`],
  ['with decimals', `${price}.0`],
  ['with an exponent', `${price / 1_000n}e3`],
  ['with a leading zero', `0${price}`],
  ['after a space', ` ${price}`],
  ['in full-width digits', fullWidth(price)],
];

/** The payload is honest, but what the client claims to have accepted is not. */
const aboutTheOffer = ({ price, networks }: Seller): readonly Lie[] => [
  accepting('an unknown network', { network: 'eip155:1' }, 'invalid_network'),
  accepting(
    'another network than it signed for',
    { network: 'eip155:137' },
    networks.includes('polygon') ? 'invalid_payment_requirements' : 'invalid_network',
  ),
  accepting('another scheme', { scheme: 'upto' }, 'unsupported_scheme'),
  accepting('another asset', { asset: stranger.address }, 'invalid_payment_requirements'),
  accepting('another payee', { payTo: stranger.address }, 'invalid_payment_requirements'),
  accepting('another token name', { extra: { name: 'USDC', version: '2' } }, 'invalid_payment_requirements'),
  accepting('a network without a chain', { network: 'base' }, 'invalid_payload'),
  accepting(
    'a Solana payment',
    { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
    networks.includes('solana-mainnet') ? 'invalid_payload' : 'invalid_network',
  ),
  accepting('a longer window', { maxTimeoutSeconds: 86_400 }, 'invalid_payment_requirements'),
  accepting('no token name', { extra: {} }, 'invalid_payment_requirements'),
  accepting(
    'to be charged after the work',
    { extra: { name: 'USD Coin', version: '2', paymentFlow: 'authorization' } },
    'invalid_payment_requirements',
  ),
  ...[
    ['one less', `${price - 1n}`] as const,
    ['one more', `${price + 1n}`] as const,
    ['zero', '0'] as const,
    ...unusual(price),
  ].map(([what, amount]) => accepting(`the amount ${what}`, { amount }, 'invalid_payment_requirements')),
];

/** What the client claims to have accepted is honest, but what it signed is not. */
const aboutThePayment = (price: bigint): readonly Lie[] => [
  signing('less', () => ({ value: String(price - 1n) }), 'payload_authorization_value_mismatch'),
  signing('more', () => ({ value: String(price + 1n) }), 'payload_authorization_value_mismatch'),
  signing('nothing', () => ({ value: '0' }), 'payload_authorization_value_mismatch'),
  signing('another payee', () => ({ to: stranger.address }), 'recipient_mismatch'),
  signing(
    'a window that is over',
    () => ({ validBefore: inSeconds(-1) }),
    'payload_authorization_valid_before',
  ),
  signing(
    'a window until 2100',
    () => ({ validBefore: '4102444800' }),
    'payload_authorization_valid_before_too_late',
  ),
  signing(
    'a window that is all but over',
    () => ({ validBefore: inSeconds(25) }),
    'payload_authorization_valid_before_too_soon',
  ),
  signing(
    'a window until the end of time',
    () => ({ validBefore: (2n ** 256n - 1n).toString() }),
    'payload_authorization_valid_before_too_late',
  ),
  signing(
    'a window that has not begun',
    () => ({ validAfter: inSeconds(60) }),
    'payload_authorization_valid_after',
  ),
  {
    what: 'pays itself',
    reason: 'invalid_exact_evm_recipient_mismatch',
    tell: (honest, wallet) => resign(honest, wallet, on, { authorization: { to: wallet.address } }),
  },
  {
    what: "carries a stranger's signature",
    reason: 'invalid_exact_evm_signature',
    tell: (honest) => resign(honest, stranger, on),
  },
  ...[{ name: 'USDC' }, { version: '1' }, { chainId: 1 }, { verifyingContract: stranger.address }].map(
    (domain): Lie => ({
      what: `signs another domain, ${Object.keys(domain)[0]}, and accepts what it signed`,
      // A wrong name or version is not something we offer; any other change makes the signature invalid on the chain.
      reason:
        'name' in domain || 'version' in domain
          ? 'invalid_payment_requirements'
          : 'invalid_exact_evm_signature',
      tell: async (honest, wallet) =>
        withAccepted(await resign(honest, wallet, on, { domain }), {
          extra: { name: 'USD Coin', version: '2', ...domain },
        }),
    }),
  ),
  ...[...unusual(price), ['with a sign', `+${price}`] as const, ['that is empty', ''] as const].map(
    ([what, value]) =>
      writing(
        `the value ${what}`,
        (honest) => ({ authorization: { ...authorizationOf(honest), value } }),
        'invalid_payload',
      ),
  ),
  writing(
    'a value that is a number',
    (honest) => ({ authorization: { ...authorizationOf(honest), value: Number(price) } }),
    'invalid_payload',
  ),
  ...(['value', 'validAfter', 'validBefore'] as const).map((field) =>
    writing(
      `${field} beyond 256 bits`,
      (honest) => ({ authorization: { ...authorizationOf(honest), [field]: (2n ** 256n).toString() } }),
      'invalid_payload',
    ),
  ),
  ...['', 'signature', `0x${'zz'.repeat(65)}`].map((signature) =>
    writing(`the signature "${signature.slice(0, 10)}"`, () => ({ signature }), 'invalid_payload'),
  ),
  ...['0x', '0x1234', `0x${'11'.repeat(66)}`].map((signature) =>
    writing(
      `the signature "${signature.slice(0, 10)}"`,
      () => ({ signature }),
      'invalid_exact_evm_signature',
    ),
  ),
  writing('no signature', () => ({ signature: undefined }), 'invalid_payload'),
  writing(
    'a signature of zeros',
    () => ({ signature: `0x${'00'.repeat(65)}` }),
    'invalid_exact_evm_signature',
  ),
  writing(
    'the high-s twin of its signature',
    (honest) => ({ signature: highTwin(signatureOf(honest)) }),
    'invalid_exact_evm_signature',
  ),
  ...(
    [
      ['a payer who did not sign', { from: stranger.address }, 'invalid_exact_evm_signature'],
      [
        'a value changed after it was signed',
        { value: String(price - price / 5n) },
        'invalid_exact_evm_payload_authorization_value_mismatch',
      ],
      [
        'a nonce changed after it was signed',
        { nonce: `0x${'12'.repeat(32)}` },
        'invalid_exact_evm_signature',
      ],
      ['a short nonce', { nonce: '0x12' }, 'invalid_payload'],
    ] as const
  ).map(([what, change, reason]) =>
    writing(what, (honest) => ({ authorization: { ...authorizationOf(honest), ...change } }), reason),
  ),
  writing(
    'a compact signature (EIP-2098)',
    (honest) => ({ signature: compact(signatureOf(honest)) }),
    'invalid_exact_evm_signature',
  ),
  writing(
    'a signature wrapped for a contract wallet (EIP-6492)',
    (honest) => ({ signature: wrapped(signatureOf(honest)) }),
    'invalid_exact_evm_payload_undeployed_smart_wallet',
  ),
  {
    what: 'is a Permit2 payload',
    reason: 'invalid_payload',
    tell: (honest) => ({
      ...honest,
      payload: { permit2Authorization: authorizationOf(honest), signature: signatureOf(honest) },
    }),
  },
  { what: 'has no payload', reason: 'invalid_payload', tell: (honest) => ({ ...honest, payload: {} }) },
  ...[1, 3].map(
    (version): Lie => ({
      what: `is of version ${version}`,
      reason: 'invalid_payload',
      tell: (honest) => ({ ...honest, x402Version: version }),
    }),
  ),
];

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function highTwin(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature);
  const twin = toHex(order - BigInt(s), { size: 32 });
  return `0x${r.slice(2)}${twin.slice(2)}${yParity === 0 ? '1c' : '1b'}`;
}

function compact(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature);
  const marked = toHex(BigInt(s) | (BigInt(yParity) << 255n), { size: 32 });
  return `0x${r.slice(2)}${marked.slice(2)}`;
}

/** An ERC-6492 wrapper whose "factory" call is a token transfer, which a verifier would execute if it ran the call. */
function wrapped(signature: Hex): Hex {
  const call = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transfer',
    args: [stranger.address, 1_000n],
  });
  return serializeErc6492Signature({ address: network(on).usdc as Hex, data: call, signature });
}

forEachSeller((seller) => {
  const post = postTo.bind(null, seller);

  for (const [what, lies] of [
    ['the offer', aboutTheOffer(seller)],
    ['what was signed', aboutThePayment(seller.price)],
  ] as const)
    test(`payments that lie about ${what} are refused uncharged with a reason, and the honest payment still works`, async () => {
      const wallet = await newEvmPayer(startAtomic, [on]);
      const honest = await envelopeFor(seller.url, wallet, on);
      const body = seller.newBody();
      for (const { what: lie, reason, tell } of lies)
        await expectChallenge(await post(await tell(honest, wallet), body), reason, lie, seller);
      await expectUntouched(wallet, on, startAtomic, seller);
      expect((await post(honest, body)).status).toBe(200);
      expect(await balanceOf(wallet, on)).toBe(startAtomic - seller.price);
    });

  test('other letter case in addresses and nonce, and extra fields, make the same payment', async () => {
    const wallet = await newEvmPayer(startAtomic, [on]);
    const honest = await envelopeFor(seller.url, wallet, on);
    const { from, to, nonce, ...rest } = authorizationOf(honest);
    const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
    const variant = withPayload(honest, {
      authorization: { ...rest, from: from.toLowerCase(), to: upper(to), nonce: upper(nonce), beside: 1 },
      signature: upper(signatureOf(honest)),
    });
    const body = seller.newBody();
    const answers = [await post(honest, body), await post(variant, body)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.headers.get('paid-call-id')).toBe(answers[0]?.headers.get('paid-call-id'));
    expect(await balanceOf(wallet, on)).toBe(startAtomic - seller.price);
    expect(seller.payTo(on).toLowerCase()).toBe(to.toLowerCase());
  });
});
