import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme as ClientScheme } from '@x402/evm/exact/client';
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, encodeFunctionData, type Hex, http, parseEventLogs, publicActions } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { arbitrum, base, polygon } from 'viem/chains';
import { type EvmChain, startEvmChain } from '@/local/evm/chain';
import { readUsdcBalances, setUsdcBalances, topUpGas } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { makeTemporaryFolder, randomNonce, toPaymentPayload } from './support';
import { type Authorization, argumentsOf, sign, usdcAbi } from './usdc-authorization';

// The tests share a chain.

const viemChains = { 8453: base, 137: polygon, 42161: arbitrum } as const;
const payTo = privateKeyToAccount(generatePrivateKey()).address;
const secondsFromNow = (seconds: number) => BigInt(Math.floor(Date.now() / 1000) + seconds);

async function openWallet(chain: EvmChain) {
  const account = privateKeyToAccount(generatePrivateKey());
  await topUpGas(chain.rpcUrl, account.address, 10n ** 18n);
  const viemChain = viemChains[chain.chainId as keyof typeof viemChains];
  return createWalletClient({ account, chain: viemChain, transport: http(chain.rpcUrl) }).extend(
    publicActions,
  );
}

test.describe('Base', () => {
  let chain: EvmChain;
  test.beforeAll(async () => {
    chain = await startEvmChain({ chainId: 8453 });
  });
  test.afterAll(() => chain.stop());

  async function makePayer(amountAtomic = 10_000n) {
    const payer = privateKeyToAccount(generatePrivateKey());
    await setUsdcBalances(chain.rpcUrl, chain.usdc, [{ owner: payer.address, amountAtomic }]);
    const message: Authorization = {
      from: payer.address,
      to: payTo,
      value: 5_000n,
      validAfter: 0n,
      validBefore: secondsFromNow(60),
      nonce: randomNonce(),
    };
    return { payer, message };
  }

  /** The message with which a call to the token reverts; undefined if it succeeds. */
  async function refusalOf(message: Authorization, signature: Hex): Promise<string | undefined> {
    const data = encodeFunctionData({
      abi: usdcAbi,
      functionName: 'transferWithAuthorization',
      args: [...argumentsOf(message), signature],
    });
    try {
      await rpcCall(chain.rpcUrl, 'eth_call', [{ to: chain.usdc, data }, 'latest']);
      return undefined;
    } catch (error) {
      return String(error);
    }
  }

  test('has the domain separator of the real USDC', async () => {
    const separator = await rpcCall(chain.rpcUrl, 'eth_call', [
      { to: chain.usdc, data: '0x3644e515' },
      'latest',
    ]);
    expect(separator).toBe('0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f');
  });

  test('reverts with the messages of the real token', async () => {
    const { payer, message } = await makePayer();
    const changed = async (change: Partial<Authorization>) => {
      const other = { ...message, ...change };
      return refusalOf(other, await sign(chain, payer, other));
    };
    expect(await changed({})).toBeUndefined();
    expect(await changed({ validAfter: secondsFromNow(60) })).toContain(
      'FiatTokenV2: authorization is not yet valid',
    );
    expect(await changed({ validBefore: secondsFromNow(-60) })).toContain(
      'FiatTokenV2: authorization is expired',
    );
    expect(await changed({ value: 10_001n })).toContain('ERC20: transfer amount exceeds balance');
    expect(await refusalOf({ ...message, value: 1n }, await sign(chain, payer, message))).toContain(
      'FiatTokenV2: invalid signature',
    );
    const signature = await sign(chain, payer, message);
    expect(await refusalOf(message, `${signature}00`)).toContain('ECRecover: invalid signature length');
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const highS = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
    const flipped = signature.endsWith('1b') ? '1c' : '1b';
    expect(await refusalOf(message, `${signature.slice(0, 66)}${highS}${flipped}` as Hex)).toContain(
      "ECRecover: invalid signature 's' value",
    );
  });

  test('accepts an authorization once, through either overload, and never after it was canceled', async () => {
    const wallet = await openWallet(chain);
    const { payer, message } = await makePayer();
    const signature = await sign(chain, payer, message);
    const hash = await wallet.writeContract({
      abi: usdcAbi,
      address: chain.usdc as Hex,
      functionName: 'transferWithAuthorization',
      args: [
        ...argumentsOf(message),
        Number.parseInt(signature.slice(130), 16),
        signature.slice(0, 66) as Hex,
        `0x${signature.slice(66, 130)}`,
      ],
    });
    const receipt = await wallet.waitForTransactionReceipt({ hash });
    const events = parseEventLogs({ abi: usdcAbi, logs: receipt.logs });
    expect(events.map(({ eventName }) => eventName)).toEqual(['AuthorizationUsed', 'Transfer']);
    expect(await refusalOf(message, signature)).toContain('FiatTokenV2: authorization is used or canceled');

    const other = { ...message, nonce: randomNonce() };
    const cancellation = await payer.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: chain.usdc as Hex },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: payer.address, nonce: other.nonce },
    });
    const cancelHash = await wallet.writeContract({
      abi: usdcAbi,
      address: chain.usdc as Hex,
      functionName: 'cancelAuthorization',
      args: [payer.address, other.nonce, cancellation],
    });
    const cancelled = await wallet.waitForTransactionReceipt({ hash: cancelHash });
    expect(parseEventLogs({ abi: usdcAbi, logs: cancelled.logs })[0]?.eventName).toBe(
      'AuthorizationCanceled',
    );
    expect(await refusalOf(other, await sign(chain, payer, other))).toContain('used or canceled');
  });

  test('verifies signatures with the payer only if the payer is a contract', async () => {
    const { payer, message } = await makePayer();
    const signature = await sign(chain, payer, message);
    // Returns the first 32 bytes of the calldata: the selector that EIP-1271 expects back.
    const saysYes = '0x60003560005260206000f3';
    await rpcCall(chain.rpcUrl, 'anvil_setCode', [payer.address, saysYes]);
    expect(await refusalOf(message, '0x1234')).toContain('FiatTokenV2: invalid signature');
    const selectorOnly = '0x631626ba7e60e01b60005260206000f3';
    await rpcCall(chain.rpcUrl, 'anvil_setCode', [payer.address, selectorOnly]);
    expect(await refusalOf(message, '0x1234')).toBeUndefined();
    const saysNo = '0x600060005260206000f3';
    await rpcCall(chain.rpcUrl, 'anvil_setCode', [payer.address, saysNo]);
    expect(await refusalOf(message, signature)).toContain('FiatTokenV2: invalid signature');
  });
});

for (const chainId of [8453, 137, 42161] as const) {
  test(`the official client pays and the official facilitator settles on chain ${chainId}`, async () => {
    const chain = await startEvmChain({ chainId });
    const wallet = await openWallet(chain);
    const payer = privateKeyToAccount(generatePrivateKey());
    await setUsdcBalances(chain.rpcUrl, chain.usdc, [{ owner: payer.address, amountAtomic: 10_000n }]);
    const requirements: PaymentRequirements = {
      scheme: 'exact',
      network: `eip155:${chainId}`,
      asset: chain.usdc,
      amount: '5000',
      payTo,
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    };
    const made = await new ClientScheme(payer).createPaymentPayload(2, requirements);
    const payload = toPaymentPayload(requirements, made);
    // viem's client has every method the adapter names; only its generics are narrower.
    const signer = { ...wallet, address: wallet.account.address } as unknown as Parameters<
      typeof toFacilitatorEvmSigner
    >[0];
    const facilitator = new FacilitatorScheme(toFacilitatorEvmSigner(signer));
    expect(await facilitator.verify(payload, requirements)).toMatchObject({
      isValid: true,
      payer: payer.address,
    });
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: true,
      payer: payer.address,
    });
    expect(await readUsdcBalances(chain.rpcUrl, chain.usdc, [payer.address, payTo])).toEqual([
      5_000n,
      5_000n,
    ]);
    await chain.stop();
  });
}

test('a chain keeps its balances and receipts after a restart, and mines blocks on time', async () => {
  const { folder, remove } = makeTemporaryFolder();
  const options = {
    chainId: 137,
    statePath: path.join(folder, 'polygon.json'),
    blockTimeSeconds: 1,
  } as const;
  const first = await startEvmChain(options);
  const wallet = await openWallet(first);
  await setUsdcBalances(first.rpcUrl, first.usdc, [{ owner: payTo, amountAtomic: 7n }]);
  const hash = await wallet.sendTransaction({ to: payTo, value: 1n });
  await wallet.waitForTransactionReceipt({ hash });
  await first.stop();
  expect(existsSync(options.statePath)).toBe(true);

  const second = await startEvmChain(options);
  expect(await readUsdcBalances(second.rpcUrl, second.usdc, [payTo])).toEqual([7n]);
  expect(await rpcCall(second.rpcUrl, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
  await expect
    .poll(async () => {
      const block = (await rpcCall(second.rpcUrl, 'eth_getBlockByNumber', ['latest', false])) as {
        timestamp: Hex;
      };
      return Math.abs(Number(block.timestamp) - Date.now() / 1000);
    })
    .toBeLessThan(2.5);
  await second.stop();
  remove();
});
