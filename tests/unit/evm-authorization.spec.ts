import { authorizationTypes, eip3009ABI } from '@x402/evm';
import { encodeFunctionData, type Hex, parseSignature, serializeErc6492Signature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { recognizeEvmPayment } from '@/lib/payments/evm/authorization';
import { encodeTransfer } from '@/lib/payments/evm/usdc-token';
import { readWalletPayment } from '@/lib/payments/evm/wallet-signature';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import { networkTable } from '@/lib/payments/network-table';
import { expect, test } from '../support/without-browser';

const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
// Only these fields of an offer decide what is signed.
const network = networkTable.main.find(({ name }) => name === 'base');
const offer = { network, asset } as unknown as Offer<EvmNetwork>;
const uint256Max = (2n ** 256n - 1n).toString();

const cases = [
  { value: '0', validAfter: '0', validBefore: '1', nonce: `0x${'0'.repeat(64)}` },
  { value: '5000', validAfter: '1796083100', validBefore: '1796083400', nonce: `0x${'0F'.repeat(32)}` },
  { value: uint256Max, validAfter: uint256Max, validBefore: uint256Max, nonce: `0x${'f'.repeat(64)}` },
];

for (const { value, validAfter, validBefore, nonce } of cases) {
  test(`an authorization of ${value.slice(0, 12)} that viem signed is its signer's, and is encoded as viem encodes it`, async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const fields = { from: account.address, to: asset as Hex, nonce: nonce as Hex };
    const signature = await account.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: asset },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        ...fields,
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
      },
    });
    const authorization = { ...fields, value, validAfter, validBefore };
    const recognize = (changed: Partial<typeof authorization>) =>
      recognizeEvmPayment(offer, {
        family: 'evm',
        authorization: { ...authorization, ...changed },
        signature,
        signer: 'key',
      });
    expect(recognize({})).toMatchObject({ payer: account.address, amountAtomic: BigInt(value) });
    expect(recognize({ value: '7' })).toBe(null);
    expect(recognize({ validAfter: '7' })).toBe(null);
    expect(recognize({ validBefore: '7' })).toBe(null);
    expect(recognize({ to: account.address })).toBe(null);
    expect(recognize({ nonce: `0x${'12'.repeat(32)}` })).toBe(null);

    const { r, s, yParity } = parseSignature(signature);
    const { from, to } = fields;
    const numbers = [value, validAfter, validBefore].map(BigInt) as [bigint, bigint, bigint];
    const call = encodeFunctionData({
      abi: [eip3009ABI[0]],
      args: [from, to, ...numbers, fields.nonce, yParity + 27, r, s],
    });
    const signed = { family: 'evm', authorization, signature } as const;
    expect(encodeTransfer({ ...signed, signer: 'key' }).toLowerCase()).toBe(call.toLowerCase());

    for (const bytes of [0, 1, 31, 32, 33, 65, 700, 2_048]) {
      const ofWallet: Hex = `0x${'5a'.repeat(bytes)}`;
      const callWithBytes = encodeFunctionData({
        abi: [eip3009ABI[1]],
        args: [from, to, ...numbers, fields.nonce, ofWallet],
      });
      const encoded = encodeTransfer({ ...signed, signature: ofWallet, signer: 'wallet' });
      expect(encoded.toLowerCase()).toBe(callWithBytes.toLowerCase());
    }
  });
}

/** An authorization that a key signed. */
async function signedByKey() {
  const account = privateKeyToAccount(generatePrivateKey());
  const authorization = {
    from: account.address,
    to: asset,
    value: '5000',
    validAfter: '0',
    validBefore: '1796083400',
    nonce: `0x${'12'.repeat(32)}`,
  } as const;
  const signature = await account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: asset },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: { ...authorization, value: 5_000n, validAfter: 0n, validBefore: 1_796_083_400n },
  });
  return { authorization, signature };
}

test("a key's own signature proves its payer, whatever its v; any other is for the wallet's code, byte by byte", async () => {
  const { authorization, signature } = await signedByKey();
  const read = (given: unknown) => readWalletPayment(offer, authorization, given);
  const zeroBased = `${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}`;
  for (const form of [signature, zeroBased, `0x${signature.slice(2).toUpperCase()}`])
    expect(read(form)).toMatchObject({ payer: authorization.from, signed: { signer: 'key', signature } });
  const foreign = `0x${'5a'.repeat(64)}` as const;
  // In a Safe's signature, v identifies the kind of signature, so it must not be changed.
  for (const v of ['00', '01', '1b', '1f', '20'])
    expect(read(`${foreign}${v}`)).toMatchObject({
      signed: { signer: 'wallet', signature: `${foreign}${v}` },
    });
  expect(read('0x')).toMatchObject({ signed: { signer: 'wallet', signature: '0x' } });
  expect(read(`0x${'5A'.repeat(2_048)}`)).toMatchObject({ signed: { signature: `0x${'5a'.repeat(2_048)}` } });
  expect(read(`0x${'5a'.repeat(2_049)}`)).toBe('signature_too_long');
  for (const unreadable of [undefined, null, 7, '', 'x', '0x5', '0xzz', '5a', ['0x5a']])
    expect(read(unreadable)).toBe('invalid_payload');
  expect(readWalletPayment(offer, { ...authorization, value: '1e3' }, foreign)).toBe('invalid_payload');
});

test('a signature is taken out of an ERC-6492 wrapper, once, and is never that of a key', async () => {
  const { authorization, signature } = await signedByKey();
  const read = (given: Hex) => readWalletPayment(offer, authorization, given);
  const wrap = (inner: Hex, data: Hex = '0x1234') =>
    serializeErc6492Signature({ address: asset, data, signature: inner });
  expect(read(wrap(signature))).toMatchObject({ signed: { signer: 'undeployed', signature } });
  expect(read(wrap('0x'))).toMatchObject({ signed: { signer: 'undeployed', signature: '0x' } });
  expect(read(wrap(wrap(signature)))).toBe('invalid_exact_evm_signature');
  const mark = '6492'.repeat(16);
  expect(read(`0x${mark}`)).toBe('invalid_exact_evm_signature');
  expect(read(`0x${'ff'.repeat(96)}${mark}`)).toBe('invalid_exact_evm_signature');
  expect(read(wrap(`0x${'5a'.repeat(2_049)}`))).toBe('signature_too_long');
  expect(read(wrap('0x5a', `0x${'5a'.repeat(3_072)}`))).toBe('signature_too_long');
});
