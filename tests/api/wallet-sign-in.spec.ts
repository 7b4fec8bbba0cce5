import type { CompleteSIWxInfo, SIWxPayload } from '@x402/extensions/sign-in-with-x';
import { serializeErc6492Signature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { errors } from '@/lib/catalog/errors/codes';
import { rateLimits } from '@/lib/catalog/rate-limits';
import { fromAnywhere } from '../support/accounts';
import type { Wallet } from '../support/buyer';
import { deployAt, endless, ownedBy } from '../support/contract-wallets';
import { expectError } from '../support/expectations';
import { newSolanaPayer } from '../support/payers';
import { startServer, type TestServer } from '../support/server';
import { network, stack } from '../support/stack';
import {
  askedAt,
  askedIn,
  messageFor,
  signedHeader,
  signerFor,
  signInAt,
  signMessage,
  walletUrl,
} from '../support/wallet-sign-in';
import { expect, test } from '../support/without-browser';

/** A small factor on the real limits, so that few sign-ins use them up. */
const factor = 0.1;
const signInsMax = rateLimits.signIns.quota * factor;
const contractSignInsMax = rateLimits.contractSignIns.quota * factor;

/** Another process of the same service: on the same database and under the same name. */
let sibling: TestServer;
test.beforeAll(async () => {
  const { serverEnv, apiUrl, filesUrl } = stack();
  const ours = { PUBLIC_URL: apiUrl, FILES_URL: filesUrl, TRUSTED_PROXIES: '1' };
  sibling = await startServer({
    ...serverEnv,
    ...ours,
    DATABASE_POOL: '5',
    WORKER: 'separate',
    RATE_LIMIT_FACTOR: String(factor),
  });
});
test.afterAll(() => sibling?.stop());

const newKey = () => privateKeyToAccount(generatePrivateKey());
const url = () => walletUrl('uploads');
/** The same URL on the other process. */
const atSibling = (place = url()) => place.replace(stack().apiUrl, sibling.apiUrl);
const get = (place: string, headers: Record<string, string>) => fetch(place, { headers });
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

async function expectRefused(answer: Response, reason: string): Promise<void> {
  expect(answer.headers.get('www-authenticate')).toBe('SIGN-IN-WITH-X');
  expect(askedIn(answer).info.uri).toContain('/v1/wallet/');
  const error = await expectError(answer, 'sign_in_refused');
  expect(error.reason, error.message).toBe(reason);
  expect(error.message).toMatch(/\. Sign the new message in PAYMENT-REQUIRED and send the request again\.$/);
}

test('without a sign-in a list asks for one, in the form that the official clients expect', async () => {
  const answer = await fetch(url(), { headers: { Origin: 'https://elsewhere.example' } });
  expect(answer.status).toBe(402);
  expect(answer.headers.get('cache-control')).toContain('no-store');
  expect(answer.headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED');
  const header = JSON.parse(Buffer.from(answer.headers.get('payment-required') ?? '', 'base64').toString());
  const body = await answer.json();
  expect(body).toEqual(header);
  expect(body).toMatchObject({ x402Version: 2, accepts: [], resource: { url: url() } });
  const code = 'sign_in_required';
  expect(body.error).toBe(`${errors[code].message} ${stack().apiUrl}/docs/wallet-lists shows how.`);
  const { info, supportedChains } = body.extensions['sign-in-with-x'];
  expect(info).toMatchObject({
    domain: new URL(stack().apiUrl).host,
    uri: url(),
    version: '1',
    nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(Date.parse(info.expirationTime)).toBeGreaterThan(Date.now());
  expect(supportedChains).toEqual(
    stack().networks.map(({ caip2, name }) => ({
      chainId: caip2,
      type: name === 'solana-mainnet' ? 'ed25519' : 'eip191',
    })),
  );
  const allowed = await fetch(url(), { method: 'OPTIONS' });
  expect(allowed.headers.get('access-control-allow-headers')).toContain('SIGN-IN-WITH-X');
});

for (const [family, newWallet] of [
  ['EVM', async () => newKey()],
  ['Solana', () => newSolanaPayer(0n)],
] as const) {
  /** Changed messages, signed as a wallet would that was given them. */
  const refusedMessages: readonly (readonly [
    what: string,
    change: Partial<CompleteSIWxInfo> | ((message: CompleteSIWxInfo) => Partial<CompleteSIWxInfo>),
    reason: string,
  ])[] = [
    ['another host', { domain: 'api.example.com' }, 'invalid_siwx_domain_mismatch'],
    ['another path', () => ({ uri: walletUrl('calls') }), 'invalid_siwx_uri_mismatch'],
    ['another query', () => ({ uri: `${url()}?limit=1` }), 'invalid_siwx_uri_mismatch'],
    ['another statement', { statement: 'Welcome to Other.' }, 'invalid_siwx_statement'],
    ['no statement', { statement: undefined }, 'invalid_siwx_statement'],
    ['an empty statement', { statement: '' }, 'invalid_siwx_statement'],
    ['other resources', { resources: ['https://other.example/'] }, 'invalid_siwx_resources'],
    [
      'a further resource',
      ({ resources = [] }) => ({ resources: [...resources, 'https://other.example/'] }),
      'invalid_siwx_resources',
    ],
    ['no resources', { resources: undefined }, 'invalid_siwx_resources'],
    ['a request ID', { requestId: 'other' }, 'invalid_siwx_request_id'],
    ['another version', { version: '2' }, 'invalid_siwx_version'],
    ['no real time of issue', { issuedAt: 'today' }, 'invalid_siwx_issued_at'],
    ['the future', () => ({ issuedAt: minutesFromNow(1) }), 'invalid_siwx_issued_at_in_future'],
    ['the past', () => ({ expirationTime: minutesFromNow(-1) }), 'invalid_siwx_expired'],
    ['no end', { expirationTime: undefined }, 'invalid_siwx_expiration_time'],
    ['a later end', () => ({ expirationTime: minutesFromNow(60) }), 'invalid_siwx_nonce'],
    ['a later start', () => ({ notBefore: minutesFromNow(1) }), 'invalid_siwx_not_yet_valid'],
    ['a nonce of its own', { nonce: 'f'.repeat(32) }, 'invalid_siwx_nonce'],
    [
      'a changed nonce',
      ({ nonce }) => ({ nonce: nonce.slice(0, -1) + (nonce.endsWith('0') ? '1' : '0') }),
      'invalid_siwx_nonce',
    ],
  ];
  for (const [what, change, reason] of refusedMessages) {
    test(`an ${family} message with ${what} is refused, however well it is signed`, async () => {
      const wallet = await newWallet();
      const message = messageFor(await askedAt(url()), wallet);
      const changed = { ...message, ...(typeof change === 'function' ? change(message) : change) };
      const signed = await signMessage(changed as CompleteSIWxInfo, wallet).catch(() => null);
      // The official package's wallet refuses to sign some of them. Then the signature is the one for the unchanged message.
      const { signature } = signed ?? (await signMessage(message, wallet));
      const payload = { ...changed, address: wallet.address, signature } as SIWxPayload;
      await expectRefused(await get(url(), signedHeader(payload)), reason);
    });
  }

  test(`the signature of another ${family} wallet is refused`, async () => {
    const [wallet, other] = [await newWallet(), await newWallet()];
    const signed = await signMessage(messageFor(await askedAt(url()), wallet), wallet);
    await expectRefused(
      await get(url(), signedHeader({ ...signed, address: other.address })),
      'invalid_siwx_signature',
    );
    await expectRefused(
      await get(url(), signedHeader({ ...signed, statement: 'I agree to everything.' })),
      'invalid_siwx_statement',
    );
  });

  test(`a message that an ${family} wallet has signed opens one request, at any process`, async () => {
    const wallet = await newWallet();
    const headers = await signInAt(url(), wallet);
    expect((await get(atSibling(), headers)).status).toBe(200);
    for (const place of [url(), atSibling()])
      await expectRefused(await get(place, headers), 'invalid_siwx_nonce_used');
    // The used message does not prevent the next sign-in.
    expect((await get(url(), await signInAt(url(), wallet))).status).toBe(200);
  });
}

test('one of several simultaneous requests with one signature to two processes is answered', async () => {
  for (let round = 0; round < 3; round += 1) {
    const headers = { ...(await signInAt(url(), newKey())), ...fromAnywhere() };
    const places = Array.from({ length: signInsMax * 2 }, (_, index) => (index % 2 ? url() : atSibling()));
    const answers = await Promise.all(places.map((place) => get(place, headers)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(places.length - 1).fill(401)]);
  }
});

test('a signature for one list does not open another', async () => {
  const wallet = newKey();
  const headers = await signInAt(url(), wallet);
  for (const path of ['calls', 'forms', 'uploads?limit=1'])
    await expectRefused(await get(walletUrl(path), headers), 'invalid_siwx_uri_mismatch');
  expect((await get(url(), headers)).status).toBe(200);
});

test('a chain that is not offered, or of the other kind, is refused', async () => {
  const wallet = newKey();
  const asked = await askedAt(url());
  const elsewhere = await signMessage(messageFor(asked, wallet, 'eip155:1'), wallet);
  await expectRefused(await get(url(), signedHeader(elsewhere)), 'invalid_siwx_unsupported_chain');
  const signed = await signMessage(messageFor(asked, wallet), wallet);
  const others = [
    { type: 'ed25519' as const },
    { chainId: network('solana-mainnet').caip2 },
    { chainId: 'eip155:0x2105' },
    { chainId: '8453' },
  ];
  for (const change of others)
    await expectRefused(
      await get(url(), signedHeader({ ...signed, ...change })),
      'invalid_siwx_unsupported_chain',
    );
});

const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

test('a malformed header is refused, whatever is wrong with it', async () => {
  const wallet = newKey();
  const signed = await signMessage(messageFor(await askedAt(url()), wallet), wallet);
  const { signature, ...unsigned } = signed;
  const headers: readonly string[] = [
    'x',
    '%%%',
    '{}',
    base64('not JSON'),
    base64('null'),
    base64('[]'),
    base64('"text"'),
    base64({}),
    base64(unsigned),
    base64({ ...signed, address: 7 }),
    base64({ ...signed, type: 'secp256k1' }),
    base64({ ...signed, nonce: null }),
    base64({ ...signed, resources: 'all' }),
    base64({ ...signed, resources: Array(11).fill(url()) }),
    base64({ ...signed, statement: 'one\nURI: https://elsewhere.example' }),
    base64({ ...signed, requestId: 'x\u2028y' }),
    base64({ ...signed, statement: 'x'.repeat(501) }),
    base64({ ...signed, signature: `0x${'ab'.repeat(8_000)}` }),
    `${base64(signed)}, ${base64(signed)}`,
    base64(signed).slice(0, -20),
  ];
  for (const header of headers)
    await expectRefused(await get(url(), { 'SIGN-IN-WITH-X': header }), 'invalid_siwx_header');
  const signatures = ['', '0x', '0xzz', signature.slice(2), `${signature}0`, '1111'];
  for (const wrong of signatures)
    await expectRefused(
      await get(url(), signedHeader({ ...signed, signature: wrong })),
      'invalid_siwx_malformed_signature',
    );
  for (const wrong of ['0x', wallet.address.slice(0, -1), `${wallet.address}0`, 'vitalik.eth'])
    await expectRefused(
      await get(url(), signedHeader({ ...signed, address: wrong })),
      'invalid_siwx_malformed_signature',
    );
  const shorter = signedHeader({ ...signed, signature: signature.slice(0, -2) });
  await expectRefused(await get(url(), shorter), 'invalid_siwx_signature');
  // None of them has used the message up.
  expect((await get(url(), signedHeader(signed))).status).toBe(200);
});

test('an Ed25519 signature by a point of small order is refused', async () => {
  const wallet = await newSolanaPayer(0n);
  const signed = await signMessage(messageFor(await askedAt(url()), wallet), wallet);
  const zeros = '1'.repeat(64);
  for (const payload of [
    { ...signed, address: '1'.repeat(32), signature: zeros },
    { ...signed, signature: zeros },
  ])
    await expectRefused(await get(url(), signedHeader(payload)), 'invalid_siwx_signature');
});

test('a contract wallet signs in on its network, as its owner decides', async () => {
  const [owner, stranger] = [newKey(), newKey()];
  const address = await deployAt('polygon', ownedBy(owner));
  const [base, polygon] = [network('base').caip2, network('polygon').caip2];
  const signInOn = async (chainId: string, key = owner) => {
    const signer = signerFor(address, key);
    const message = messageFor(await askedAt(url()), signer, chainId);
    return get(url(), signedHeader(await signMessage(message, signer)));
  };
  expect((await signInOn(polygon)).status).toBe(200);
  await expectRefused(await signInOn(polygon, stranger), 'invalid_siwx_signature');
  await expectRefused(await signInOn(base), 'invalid_siwx_signature');

  // Its signature from before it was deployed (ERC-6492).
  const signer = signerFor(address, owner);
  const signed = await signMessage(messageFor(await askedAt(url()), signer, polygon), signer);
  const signature = serializeErc6492Signature({
    address: newKey().address,
    data: '0x',
    signature: signed.signature as `0x${string}`,
  });
  expect((await get(url(), signedHeader({ ...signed, signature }))).status).toBe(200);
});

test('a contract that never answers is refused in time', async () => {
  const signer = signerFor(await deployAt('base', endless), newKey());
  await expectRefused(await get(url(), await signInAt(url(), signer)), 'invalid_siwx_signature');
});

test('sign-ins are limited for each wallet, and those of contract wallets for each address', async () => {
  const wallet = newKey();
  const signIn = async (by: Wallet, from: Record<string, string>) =>
    get(atSibling(), { ...(await signInAt(url(), by)), ...from });
  for (let count = 0; count < signInsMax; count += 1)
    expect((await signIn(wallet, fromAnywhere())).status).toBe(200);
  const refused = await signIn(wallet, fromAnywhere());
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await expectError(refused, 'rate_limited');
  expect((await signIn(newKey(), fromAnywhere())).status).toBe(200);

  const contract = signerFor(await deployAt('base', ownedBy(wallet)), wallet);
  const from = fromAnywhere();
  for (let count = 0; count < contractSignInsMax; count += 1)
    expect((await signIn(contract, from)).status).toBe(200);
  await expectError(await signIn(contract, from), 'rate_limited');
  expect((await signIn(newKey(), from)).status).toBe(200);
});
