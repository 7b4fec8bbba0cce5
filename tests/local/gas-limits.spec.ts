import { expect, test } from '@playwright/test';
import { createPublicClient, type Hex, http, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { recognizeEvmPayment } from '@/lib/payments/evm/authorization';
import { encodeBatch, findBatcher } from '@/lib/payments/evm/batcher';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { transactionGas, transferGas } from '@/lib/payments/evm/evm-gas';
import { PaymentSimulator } from '@/lib/payments/evm/payment-simulator';
import { configuredOffers, isEvmOffer } from '@/lib/payments/network-offers';
import { startEvmChain } from '@/local/evm/chain';
import { readUsdcBalances, setUsdcBalances } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { testPlatform } from '../support/platform';
import { randomNonce } from './support';
import { type Authorization, sign } from './usdc-authorization';

const payTo = privateKeyToAccount(generatePrivateKey()).address;
const burner = '0x5b600056';

test('a full batch executes its last payment even if every other payer burns its gas', async () => {
  const chain = await startEvmChain({ chainId: 8453 });
  const platform = testPlatform({ PAY_TO_EVM: payTo, BASE_RPC_URL: chain.rpcUrl });
  const [offer] = configuredOffers(platform.settings).filter(isEvmOffer);
  if (!offer) throw new Error('no offer');
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const batcher = await findBatcher(client, offer.network);
  if (!batcher) throw new Error('no batcher');
  expect(batcher).toMatchObject({ hasGasLimits: true, sizeMax: 100 });

  const payments = await Promise.all(
    Array.from({ length: batcher.sizeMax }, async () => {
      const payer = privateKeyToAccount(generatePrivateKey());
      const message: Authorization = {
        from: payer.address,
        to: payTo,
        value: 5_000n,
        validAfter: 0n,
        validBefore: BigInt(Math.floor(Date.now() / 1000) + 300),
        nonce: randomNonce(),
      };
      const signature = await sign(chain, payer, message);
      const { value, validAfter, validBefore } = message;
      const authorization = {
        ...message,
        value: String(value),
        validAfter: String(validAfter),
        validBefore: String(validBefore),
      };
      const payment = recognizeEvmPayment(offer, {
        family: 'evm',
        authorization,
        signature,
        signer: 'key',
      });
      if (!payment) throw new Error('not a payment');
      return payment;
    }),
  );
  await setUsdcBalances(
    chain.rpcUrl,
    chain.usdc,
    payments.map(({ payer }) => ({ owner: payer as Hex, amountAtomic: 5_000n })),
  );
  const hostile = payments.slice(0, -1);
  await Promise.all(hostile.map(({ payer }) => rpcCall(chain.rpcUrl, 'anvil_setCode', [payer, burner])));

  const simulator = new PaymentSimulator(new EvmChain(platform, offer));
  const verified = await Promise.all(payments.map((payment) => simulator.verify(payment)));
  expect(verified.map(({ ok }) => ok)).toEqual([...hostile.map(() => false), true]);
  expect(verified.map(({ code }) => code !== null)).toEqual([...hostile.map(() => true), false]);

  const gas = transactionGas(offer.network, payments, transferGas.withoutCode);
  expect(gas).toBeLessThanOrEqual(offer.network.gasPerTransactionMax);
  const sender = privateKeyToAccount(generatePrivateKey()).address;
  await rpcCall(chain.rpcUrl, 'anvil_setBalance', [sender, numberToHex(10n ** 20n)]);
  await rpcCall(chain.rpcUrl, 'anvil_impersonateAccount', [sender]);
  const hash = (await rpcCall(chain.rpcUrl, 'eth_sendTransaction', [
    {
      from: sender,
      to: batcher.address,
      data: encodeBatch(batcher, chain.usdc as Hex, payments, transferGas.withoutCode),
      gas: numberToHex(gas),
    },
  ])) as Hex;
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
  expect(receipt.status).toBe('success');
  expect(receipt.gasUsed).toBeGreaterThan(100n * 110_000n);
  expect(await readUsdcBalances(chain.rpcUrl, chain.usdc, [payTo])).toEqual([5_000n]);
  await chain.stop();
});
