import { expect, test } from '@playwright/test';
import { authorizationTypes, eip3009ABI } from '@x402/evm';
import { encodeFunctionData, type Hex, parseSignature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { recognizeEvmPayment, usdcDomainSeparator } from '@/lib/payments/evm/authorization';
import { encodeTransfer } from '@/lib/payments/evm/token';
import { networkTable } from '@/lib/payments/network-table';
import type { EvmNetwork, Offer } from '@/lib/payments/networks';

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
      recognizeEvmPayment(offer, usdcDomainSeparator(offer), {
        family: 'evm',
        authorization: { ...authorization, ...changed },
        signature,
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
    expect(encodeTransfer({ family: 'evm', authorization, signature }).toLowerCase()).toBe(
      call.toLowerCase(),
    );
  });
}
