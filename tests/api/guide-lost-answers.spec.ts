import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { airports } from '@/lib/catalog';
import { toAtomic } from '@/lib/payments/money';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceOf } from '../support/balances';
import { callsOf } from '../support/database';
import { blocksOf, fileNameOf, installedBy, Reader } from '../support/guides';
import { startLossyGateway, waysToLose } from '../support/lossy-gateway';
import { network, stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** The program from the guide to lost answers, run where answers do get lost. */

const page = 'docs/lost-answers.md';
const start = 1_000_000n;

/** Follows the guide up to the first run of its program, against this address, and returns what the program printed. */
async function runProgram(apiUrl: string, key: string): Promise<string> {
  const reader = await Reader.sitDown();
  try {
    const blocks = await blocksOf(page);
    await reader.install(installedBy(blocks).map(({ name }) => name));
    for (const block of blocks) {
      const name = fileNameOf(block);
      if (name) await reader.save(name, block.text);
    }
    const first = blocks.find(({ language, text }) => language === 'sh' && text.includes('retry.mjs'));
    if (!first) throw new Error(`${page} runs no program`);
    const [printed = ''] = await reader.type([first], (text) =>
      text.replaceAll('https://api.example.com', apiUrl).replaceAll('=0x…', `=${key}`),
    );
    return printed;
  } finally {
    await reader.leave();
  }
}

test('the program of the guide gets its response and pays once, even if the response is lost many times', async () => {
  const key = generatePrivateKey();
  const wallet = privateKeyToAccount(key);
  const { rpcUrl, usdc } = network('base');
  await topUpUsdc(rpcUrl, usdc as `0x${string}`, [wallet.address], start, start);
  const gateway = await startLossyGateway(stack().apiUrl);
  try {
    expect(await runProgram(gateway.url, key)).toMatch(/^200 pc_\S+\n\{"query":"nairobi"/m);
    expect(gateway.paidRequests()).toBe(waysToLose + 1);
    expect(await callsOf(wallet.address)).toBe(1);
    expect(await balanceOf(wallet, 'base')).toBe(start - toAtomic(airports.search.price));
  } finally {
    await gateway.close();
  }
});

test('the program of the guide ends with a clear message if the service cannot be reached', async () => {
  await expect(runProgram('http://127.0.0.1:1', generatePrivateKey())).rejects.toThrow(
    'Cannot connect to http://127.0.0.1:1 (bad port). Nothing was charged. Check BASE_URL.',
  );
});
