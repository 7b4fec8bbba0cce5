import type { Hex } from 'viem';
import type { EvmChain } from '@/local/evm/chain';
import { test } from '../support/without-browser';
import { Account, usdcCalls } from './evm/accounts';
import {
  accountsOf,
  authorizationOf,
  balances,
  base,
  batcher,
  call,
  compare,
  nonceOf,
  receiptOf,
  type Sent,
  seen,
  send,
  sign,
  startHeldAnvil,
  usdc,
} from './evm/compare';
import { hashOf, hexOf } from './evm/words';
import { baseFeeMin } from './evm/worlds';

let anvil: EvmChain;
test.beforeAll(async () => {
  anvil = await startHeldAnvil();
});
test.afterAll(() => anvil.stop());

test('nonces: too low, known, a gap that is filled, and replacements that pay enough', async () => {
  const { payee, sender, funds } = accountsOf('nonces');
  await compare(anvil.rpcUrl, funds, async (world, start) => {
    const data = usdcCalls.transfer(payee.address, 0n);
    const [fee, tip] = [3n * baseFeeMin, 1_000_000n];
    const counts = async () => {
      const tags = ['latest', 'pending'];
      return Promise.all(
        tags.map(async (tag) => (await world.ask('eth_getTransactionCount', [sender.address, tag])).result),
      );
    };
    const trace: unknown[] = [];
    const attempt = async (sent: Sent) => trace.push(seen(await send(world, sender, sent)));
    await attempt({ data, nonce: 0 });
    await attempt({ data, nonce: 0 });
    await attempt({ data, nonce: 2 });
    trace.push(await counts());
    await attempt({ data: usdcCalls.transfer(sender.address, 0n), nonce: 0 });
    await attempt({ data, nonce: 0, fee: (fee * 11n) / 10n, tip: (tip * 11n) / 10n });
    const replaced = sign(sender, { data, nonce: 0 });
    const replacement = sign(sender, { data, nonce: 0, fee: (fee * 11n) / 10n, tip: (tip * 11n) / 10n });
    const known = async () =>
      Promise.all(
        [replaced, replacement].map(async (raw) => {
          const { result } = await world.ask('eth_getTransactionByHash', [hashOf(raw)]);
          return (
            (result as { blockNumber: unknown; nonce: Hex } | null)?.blockNumber ?? String(result !== null)
          );
        }),
      );
    trace.push(await known());
    await world.mine();
    trace.push(
      await counts(),
      (await known()).map((one) => typeof one),
    );
    await attempt({ data, nonce: 0 });
    await attempt({ data, nonce: 1 });
    trace.push(await counts());
    await world.mine();
    trace.push(await counts());
    trace.push(
      await receiptOf(world, start, hashOf(replaced)),
      await receiptOf(world, start, hashOf(replacement)),
    );
    return { trace };
  });
});

test('synchronous sends: answered with the receipt at the block, also if they come before their predecessor', async () => {
  const { payee, sender, funds } = accountsOf('synchronous');
  await compare(anvil.rpcUrl, funds, async (world, start) => {
    const method = 'eth_sendRawTransactionSync';
    const raws = [0, 1].map((nonce) => sign(sender, { data: usdcCalls.transfer(payee.address, 0n), nonce }));
    const [first = '0x', second = '0x'] = raws;
    const isWaiting = async (raw: Hex) => (await world.ask('eth_getTransactionByHash', [hashOf(raw)])).result;
    const send = async (raw: Hex) => {
      const sent = world.ask(method, [raw]);
      while (!(await isWaiting(raw)));
      return { sent };
    };
    const overtaking = await send(second);
    const overtaken = await send(first);
    const again = seen(await world.ask(method, [first]));
    await world.mine();
    const answers = await Promise.all([overtaken.sent, overtaking.sent]);
    const receipts = await Promise.all(raws.map((raw) => receiptOf(world, start, hashOf(raw))));
    const sent = answers.map(({ result, error }) => {
      const { transactionHash, status, blockNumber } = (result ?? {}) as Record<string, Hex>;
      return { transactionHash, status, error, at: Number(BigInt(blockNumber ?? 0) - start.height) };
    });
    return { sent, receipts, again };
  });
});

test('broadcasts that cannot pay, pay too little gas, or are for another chain are refused', async () => {
  const { payee, sender, funds } = accountsOf('refused');
  const poor = new Account('refused poor');
  await compare(anvil.rpcUrl, [...funds, { account: poor.address, gasWei: 10n ** 12n }], async (world) => {
    const data = usdcCalls.transfer(payee.address, 0n);
    const refused = [
      seen(await send(world, poor, { data })),
      seen(await send(world, sender, { data, chainId: 1 })),
      seen(await send(world, sender, { data, gas: 100_000_000n })),
      'error' in (await world.ask('eth_sendRawTransaction', ['0x00'])),
      'error' in (await world.ask('eth_sendRawTransaction', ['0x02c0'])),
      seen(
        await call(world, data, {
          from: poor.address,
          gas: hexOf(200_000),
          maxFeePerGas: hexOf(3n * baseFeeMin),
        }),
      ),
      seen(await call(world, usdcCalls.balanceOf(poor.address), { gas: hexOf(23_000) })),
    ];
    return { refused };
  });
});

test('a transaction pays the base fee and its tip, as far as its maximum allows', async () => {
  const { payee, sender, funds } = accountsOf('fees');
  await compare(anvil.rpcUrl, funds, async (world, start) => {
    const data = usdcCalls.transfer(payee.address, 0n);
    world.baseFee = 4n * baseFeeMin;
    await world.mine();
    const offers = [
      { fee: 5n * baseFeeMin, tip: 2n * baseFeeMin },
      { fee: 9n * baseFeeMin, tip: 2n * baseFeeMin },
      { fee: 4n * baseFeeMin, tip: 0n },
    ];
    const hashes: unknown[] = [];
    for (const [nonce, offer] of offers.entries())
      hashes.push((await send(world, sender, { data, nonce, ...offer })).result);
    await world.mine();
    const { result: block } = await world.ask('eth_getBlockByNumber', ['latest', false]);
    const { baseFeePerGas, transactions } = block as { baseFeePerGas: Hex; transactions: unknown };
    const receipts = await Promise.all(hashes.map((hash) => receiptOf(world, start, hash)));
    return { receipts, baseFeePerGas, transactions };
  });
});

test('logs are found by address, topics and range, and past states can be read', async () => {
  const { payer, payee, sender, funds } = accountsOf('logs');
  await compare(anvil.rpcUrl, funds, async (world, start) => {
    const block = (by: number) => hexOf(start.height + BigInt(by));
    const first = authorizationOf(payer, payee, start.now);
    const second = { ...first, nonce: nonceOf('logs second') };
    for (const [nonce, one] of [first, second].entries()) {
      await send(world, sender, { data: usdcCalls.transferParts(one, payer.authorize(base, one)), nonce });
      await world.mine();
    }
    await world.mine();
    const used = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';
    const authorizer = `0x${payer.address.slice(2).toLowerCase().padStart(64, '0')}`;
    const filters: object[] = [
      { address: usdc, topics: [used, authorizer, second.nonce], fromBlock: block(0), toBlock: block(3) },
      { address: usdc, topics: [used, authorizer], fromBlock: block(1), toBlock: block(1) },
      { address: [usdc.toLowerCase()], topics: [null, [authorizer]], fromBlock: block(0), toBlock: 'latest' },
      { address: usdc, topics: [[used]], fromBlock: block(3), toBlock: block(3) },
      { address: batcher.address, fromBlock: block(0), toBlock: block(3) },
    ];
    const found = await Promise.all(
      filters.map(async (filter) => {
        const { result } = await world.ask('eth_getLogs', [filter]);
        return (result as Record<string, string>[]).map((log) => ({
          ...{ address: log.address, topics: log.topics, data: log.data, hash: log.transactionHash },
          ...{
            index: log.logIndex,
            at: Number(BigInt(log.blockNumber ?? 0) - start.height),
            removed: log.removed,
          },
        }));
      }),
    );
    const states = await Promise.all(
      [0, 1, 2, 3].map((by) =>
        call(world, usdcCalls.authorizationState(payer.address, second.nonce), {}, block(by)),
      ),
    );
    const tags = ['latest', 'safe', 'finalized', 'pending', block(1), block(9)];
    const blocks = await Promise.all(
      tags.map(async (tag) => {
        const { result } = await world.ask('eth_getBlockByNumber', [tag, false]);
        return result === null ? null : typeof (result as { hash: unknown }).hash;
      }),
    );
    const beyond = await call(world, usdcCalls.paused(), {}, block(9));
    return { found, states, blocks: blocks.filter((_, index) => index !== 3), beyond: 'error' in beyond };
  });
});

test('a reorganization takes back receipts, nonces, logs and balances, and the transaction can be sent again', async () => {
  const { payer, payee, sender, funds } = accountsOf('reorganized');
  await compare(anvil.rpcUrl, funds, async (world, start) => {
    const one = authorizationOf(payer, payee, start.now);
    const sent = { data: usdcCalls.transferParts(one, payer.authorize(base, one)) };
    const state = async () => ({
      receipt: await receiptOf(world, start, hashOf(sign(sender, sent))),
      used: await call(world, usdcCalls.authorizationState(payer.address, one.nonce)),
      count: (await world.ask('eth_getTransactionCount', [sender.address, 'latest'])).result,
      balances: await balances(world, payer, payee),
      height: Number(BigInt((await world.ask('eth_blockNumber')).result as Hex) - start.height),
    });
    const hashAt = async (by: number) => {
      const { result } = await world.ask('eth_getBlockByNumber', [hexOf(start.height + BigInt(by)), false]);
      return (result as { hash: Hex }).hash;
    };
    await send(world, sender, sent);
    await world.mine();
    await world.mine();
    const before = await state();
    const [kept, removed] = [await hashAt(0), await hashAt(1)];
    await world.loseBlocks(2);
    const after = await state();
    const hashes = { isKept: (await hashAt(0)) === kept, isReplaced: (await hashAt(1)) !== removed };
    const again = seen(await send(world, sender, sent));
    await world.mine();
    return { before, after, hashes, again, atLast: await state() };
  });
});
