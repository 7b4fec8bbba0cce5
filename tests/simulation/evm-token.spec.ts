import type { Hex } from 'viem';
import { encodeCodeQuery } from '@/lib/payments/evm/account-code';
import { encodeBatch } from '@/lib/payments/evm/batcher';
import type { EvmChain } from '@/local/evm/chain';
import { test } from '../support/without-browser';
import { Account, type Authorization, usdcCalls } from './evm/accounts';
import {
  accountsOf,
  authorizationOf,
  balances,
  base,
  batcher,
  call,
  cap,
  compare,
  gasIn,
  nonceOf,
  paymentOf,
  receiptOf,
  seen,
  send,
  startHeldAnvil,
  usdc,
} from './evm/compare';
import { hexOf } from './evm/words';
import type { Funds } from './evm/worlds';

let anvil: EvmChain;
test.beforeAll(async () => {
  anvil = await startHeldAnvil();
});
test.afterAll(() => anvil.stop());

test('the token answers questions, and refuses authorizations with the same texts', async () => {
  const { payer, payee, funds } = accountsOf('texts');
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  await compare(anvil.rpcUrl, funds, async (world, { now }) => {
    const valid = authorizationOf(payer, payee, now);
    const signature = payer.authorize(base, valid);
    const changed = (change: Partial<Authorization>) => {
      const other = { ...valid, ...change };
      return usdcCalls.transferParts(other, payer.authorize(base, other));
    };
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const flipped = signature.endsWith('1b') ? '1c' : '1b';
    const highS: Hex = `${signature.slice(0, 66) as Hex}${(order - s).toString(16).padStart(64, '0')}${flipped}`;
    const received = payer.authorize(base, valid, 'receive');
    const calls: Hex[] = [
      usdcCalls.domainSeparator(),
      usdcCalls.paused(),
      usdcCalls.isBlacklisted(payer.address),
      usdcCalls.balanceOf(payer.address),
      usdcCalls.authorizationState(payer.address, valid.nonce),
      usdcCalls.transferParts(valid, signature),
      usdcCalls.transferBytes(valid, signature),
      changed({ value: 20_001n }),
      changed({ value: 0n }),
      // Calls run at the time of the newest block.
      ...[-1n, 0n, 1n].map((by) => changed({ validBefore: now + by })),
      ...[-1n, 0n, 1n].map((by) => changed({ validAfter: now + by })),
      usdcCalls.transferParts({ ...valid, value: 1n }, signature),
      usdcCalls.transferBytes(valid, `${signature}00`),
      usdcCalls.transferBytes(valid, highS),
      usdcCalls.transferBytes(valid, `${signature.slice(0, 130) as Hex}02`),
      usdcCalls.transferBytes(valid, `0x${'ff'.repeat(32)}${signature.slice(66)}`),
      usdcCalls.transferBytes(valid, '0x'),
      usdcCalls.transferParts({ ...valid, to: `0x${'0'.repeat(40)}` }, signature),
      usdcCalls.receiveBytes(valid, received),
      `${usdcCalls.paused()}00`,
      '0x12345678',
      '0xa9059cbb',
    ];
    const answers = await Promise.all(calls.map((data) => call(world, data)));
    const fromPayee = { from: payee.address };
    const more = [
      seen(await call(world, usdcCalls.receiveBytes(valid, received), fromPayee)),
      seen(await call(world, usdcCalls.receiveBytes(valid, signature), fromPayee)),
      seen(await call(world, usdcCalls.transfer(payee.address, 20_001n), { from: payer.address })),
      seen(await call(world, usdcCalls.transfer(payee.address, 20_000n), { from: payer.address })),
    ];
    return { answers: answers.map(seen), more };
  });
});

test('an authorization is used once, in either form, and never after it was canceled', async () => {
  const { payer, payee, sender, funds } = accountsOf('once');
  await compare(anvil.rpcUrl, funds, async (world, start) => {
    const first = authorizationOf(payer, payee, start.now);
    const second = { ...first, nonce: nonceOf('second') };
    const third = { ...first, nonce: nonceOf('third') };
    const inParts = usdcCalls.transferParts(first, payer.authorize(base, first));
    const asBytes = usdcCalls.transferBytes(second, payer.authorize(base, second));
    const cancel = usdcCalls.cancelParts(payer.address, third.nonce, payer.cancel(base, third.nonce));
    const canceled = usdcCalls.transferParts(third, payer.authorize(base, third));
    const hashes: unknown[] = [];
    for (const [nonce, data] of [inParts, inParts, asBytes, cancel, canceled, cancel].entries()) {
      hashes.push((await send(world, sender, { data, nonce })).result);
      await world.mine();
    }
    const used = await Promise.all(
      [first, second, third].map(({ nonce }) =>
        call(world, usdcCalls.authorizationState(payer.address, nonce)),
      ),
    );
    return {
      receipts: await Promise.all(hashes.map((hash) => receiptOf(world, start, hash))),
      used,
      again: seen(await call(world, inParts)),
      balances: await balances(world, payer, payee),
      gas: await Promise.all(hashes.map((hash) => gasIn(world, hash))),
    };
  });
});

test('a validity ends and begins with the same second in blocks', async () => {
  const { payer, payee, sender, funds } = accountsOf('validity');
  await compare(anvil.rpcUrl, funds, async (world, start) => {
    // The next block is two seconds later.
    const changes = [
      ...[1n, 2n, 3n].map((after) => ({ validBefore: start.now + after })),
      ...[1n, 2n, 3n].map((after) => ({ validAfter: start.now + after })),
    ];
    const hashes: unknown[] = [];
    for (const [nonce, change] of changes.entries()) {
      const one = authorizationOf(payer, payee, start.now, {
        ...change,
        value: 1n,
        nonce: nonceOf(`v${nonce}`),
      });
      const data = usdcCalls.transferParts(one, payer.authorize(base, one));
      hashes.push((await send(world, sender, { data, nonce })).result);
    }
    await world.mine();
    return { receipts: await Promise.all(hashes.map((hash) => receiptOf(world, start, hash))) };
  });
});

test('a batch carries out what it can, each payment with its own gas, and returns what happened', async () => {
  const { payer, payee, sender, funds } = accountsOf('batch');
  const poor = new Account('batch poor');
  const wallet = new Account('batch wallet');
  const burner = new Account('batch burner');
  const all: Funds[] = [
    ...funds,
    { account: wallet.address, usdcAtomic: 9_000n, code: 'yes' },
    { account: burner.address, usdcAtomic: 9_000n, code: 'burns' },
  ];
  await compare(anvil.rpcUrl, all, async (world, start) => {
    const one = authorizationOf(payer, payee, start.now);
    const payments = [
      paymentOf(payer, one),
      paymentOf(poor, authorizationOf(poor, payee, start.now)),
      paymentOf(burner, authorizationOf(burner, payee, start.now)),
      paymentOf(wallet, authorizationOf(wallet, payee, start.now)),
      // The same once more.
      paymentOf(payer, one),
      paymentOf(payer, { ...one, nonce: nonceOf('batch other') }),
    ];
    const batch = { to: batcher.address, data: encodeBatch(batcher, usdc, payments, cap) };
    const simulatedFrom = { ...batch, from: sender.address, gas: hexOf(2_000_000) };
    const results = await world.ask('eth_call', [simulatedFrom, 'latest']);
    const plain = encodeBatch({ ...batcher, hasGasLimits: false }, usdc, payments.slice(0, 2), cap);
    const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
    const aggregated = await world.ask('eth_call', [{ to: multicall3, data: plain }, 'latest']);
    const { result: hash } = await send(world, sender, { ...batch, gas: 2_000_000n });
    const { result: empty } = await send(world, sender, {
      to: batcher.address,
      data: encodeBatch(batcher, usdc, [], 0n),
      nonce: 1,
    });
    // Too little for all of them, so that nothing is left to return what happened.
    const others = [7, 8, 9].map((number) =>
      paymentOf(payer, { ...one, value: 1n, nonce: nonceOf(`short ${number}`) }),
    );
    const short = {
      to: batcher.address,
      data: encodeBatch(batcher, usdc, others, cap),
      gas: 120_000n,
      nonce: 2,
    };
    const { result: shortHash } = await send(world, sender, short);
    await world.mine();
    const hashes = [hash, empty, shortHash];
    return {
      results: withoutGas(results.result as Hex, payments.length),
      aggregated: aggregated.result,
      receipts: await Promise.all(hashes.map((each) => receiptOf(world, start, each))),
      balances: await balances(world, payer, payee, poor, wallet, burner),
      gas: await Promise.all(hashes.map((each) => gasIn(world, each))),
    };
  });
});

/** The results of a batch without the gas of each, which is the second word of its struct, and the number of the block. */
function withoutGas(data: Hex, count: number): string[] {
  const words = data.slice(2).match(/.{64}/g) ?? [];
  const array = words.slice(3);
  const starts = array.slice(0, count).map((at) => Number(`0x${at}`) / 32);
  return array.map((word, index) => (starts.includes(index - 1) ? 'gas' : word));
}

test('the code of accounts is read as the engine reads it', async () => {
  const { payer, sender, funds } = accountsOf('codes');
  const wallet = new Account('codes wallet');
  const stranger = new Account('codes stranger');
  await compare(anvil.rpcUrl, [...funds, { account: wallet.address, code: 'yes' }], async (world) => {
    const addresses = [payer, sender, wallet, stranger].map(({ address }) => address);
    const codes = await world.ask('eth_call', [{ data: encodeCodeQuery(addresses) }, 'latest']);
    const plain = await Promise.all(
      addresses.map(async (address) => (await world.ask('eth_getCode', [address, 'latest'])).result),
    );
    const contracts = await Promise.all(
      [usdc, batcher.address].map(
        async (address) => (await world.ask('eth_getCode', [address, 'latest'])).result,
      ),
    );
    const nobody = await world.ask('eth_call', [{ to: stranger.address, data: '0x12345678' }, 'latest']);
    return { codes: codes.result, plain, contracts: contracts.map((code) => code !== '0x'), nobody };
  });
});

test('a paused token, a blocked payer and a blocked payee stop payments with the same texts', async () => {
  const { payer, payee, sender, funds } = accountsOf('stopped');
  await compare(anvil.rpcUrl, funds, async (world, start) => {
    const one = authorizationOf(payer, payee, start.now);
    const data = usdcCalls.transferParts(one, payer.authorize(base, one));
    const trace: unknown[] = [];
    const after = async (act: Hex) => {
      await world.actAsOwner(act);
      await world.mine();
      const asked = [data, usdcCalls.paused(), usdcCalls.isBlacklisted(payer.address)];
      trace.push(await Promise.all(asked.map(async (each) => seen(await call(world, each)))));
    };
    await after(usdcCalls.pause());
    const { result: hash } = await send(world, sender, { data });
    await world.mine();
    trace.push(await receiptOf(world, start, hash));
    await after(usdcCalls.unpause());
    await after(usdcCalls.blacklist(payee.address));
    await after(usdcCalls.blacklist(payer.address));
    return { trace };
  });
});
