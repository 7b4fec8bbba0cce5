import { createHash } from 'node:crypto';
import MarkdownIt from 'markdown-it';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { callsOf } from '../support/database';
import { Reader } from '../support/guides';
import { network, stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

const indexUrl = () => `${stack().apiUrl}/.well-known/agent-skills/index.json`;

interface Entry {
  readonly name: string;
  readonly url: string;
  readonly digest: string;
  readonly files: readonly string[];
}
const entries = async (): Promise<Entry[]> => (await (await fetch(indexUrl())).json()).skills;

test('every skill of the index is served at its URL and beside the index, with its digest, to every origin', async () => {
  for (const { name, url, digest, files } of await entries()) {
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    for (const file of files) expect(new URL(`${name}/${file}`, indexUrl()).href).toBe(url);
  }
});

test('an agent that does what a skill says buys what it promises', async () => {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  const { rpcUrl, usdc } = network('base');
  await topUpUsdc(rpcUrl, usdc as `0x${string}`, [address], 1_000_000n, 1_000_000n);
  const found = (await entries()).find(({ name }) => name === 'tuppence-make-pdfs');
  const text = await (await fetch(found?.url ?? '')).text();
  const commands = new MarkdownIt()
    .parse(text, {})
    .filter(({ type, info }) => type === 'fence' && info === 'sh')
    .map(({ content }) => ({ name: content, language: 'sh', text: content, before: '' }));
  const agent = await Reader.sitDown();
  try {
    await agent.install(['@x402/fetch', '@x402/evm', 'viem']);
    const start = { name: 'key', language: 'sh', text: `export PRIVATE_KEY=${key}`, before: '' };
    const outputs = await agent.type([start, ...commands], (typed) => typed);
    expect(outputs.join('\n')).toMatch(/^200 pc_\S+ transaction 0x/m);
    expect(await callsOf(address)).toBe(1);
  } finally {
    await agent.leave();
  }
});
