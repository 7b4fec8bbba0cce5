import { expect, test } from '@playwright/test';
import { isPaid, type RemoteTool, remoteTools } from '@/lib/discovery/remote-tools';
import { expectUntouched, startAtomic } from '../support/expectations';
import { callMessage, connectMcp, paidBy, paymentFor, postMcp } from '../support/mcp';
import { newEvmPayer } from '../support/payers';
import { type Break, breaksOf, isNamedIn } from './breaks';
import { hostileBodies, hostileTexts, marker } from './hostile';
import { sampled } from './sample';
import type { Json, Schema } from './schema';

const on = 'base';

function exampleOf({ operation }: RemoteTool): Json {
  const { params, ...rest } = operation.example;
  return { ...params, ...('body' in rest ? rest.body : {}) } as Json;
}

/** What is wrong with the answer to a call whose arguments break a rule; null if nothing is. */
async function faultOf(answer: Response, broken: Break): Promise<string | null> {
  const text = await answer.text();
  if (answer.status >= 500) return `${answer.status} ${text.slice(0, 200)}`;
  const { result, error } = JSON.parse(text);
  const said = error?.data ?? result?.structuredContent?.error;
  if (!error && !result?.isError) return `it was carried out: ${text.slice(0, 200)}`;
  if (said?.payment !== 'none') return `payment is ${said?.payment}: ${text.slice(0, 200)}`;
  // An ID that no upload can have is the ID of an upload that does not exist.
  if (said.code === 'upload_not_found' && broken.path[0] === 'id') return null;
  return isNamedIn(broken, said.issues ?? [], 'params.arguments')
    ? null
    : `names ${JSON.stringify(said.issues)}`;
}

for (const tool of remoteTools().filter(({ operation }) => isPaid(operation))) {
  test(`${tool.name}: each rule that the arguments of a paid tool call break is named in a result that costs nothing`, async () => {
    const wallet = await newEvmPayer(startAtomic, [on]);
    const client = await connectMcp();
    const example = exampleOf(tool);
    const payment = await paymentFor(client, tool.name, example as Record<string, unknown>, wallet, on);
    await client.close();
    // The example's arguments do not include the key.
    const { idempotencyKey: _key, ...properties } = tool.inputSchema.properties;
    const breaks = breaksOf({ ...tool.inputSchema, properties } as Schema, example);
    // Arguments that are null are the same as none.
    const broken = sampled(breaks.filter(({ path, value }) => path.length > 0 || value !== null));
    const faults: string[] = [];
    for (const one of broken) {
      const answer = await postMcp(callMessage(tool.name, one.value, paidBy(payment)));
      const fault = await faultOf(answer, one);
      if (fault !== null) faults.push(`${one.path.join('.')}, ${one.what}: ${fault}`);
    }
    test.info().annotations.push({ type: 'arguments that break a rule', description: String(broken.length) });
    expect(faults).toEqual([]);
    await expectUntouched(wallet, on);
  });
}

test('a message that is none gets an error of JSON-RPC, whatever it is, and is not repeated', async () => {
  const faults: string[] = [];
  const messages: readonly (readonly [string, string | Buffer])[] = [
    ...hostileBodies,
    ...hostileTexts.map((text) => [`the method ${text.slice(0, 20)}`, methodMessage(text)] as const),
    ...hostileTexts.map(
      (text) => [`the tool ${text.slice(0, 20)}`, JSON.stringify(callMessage(text, {}))] as const,
    ),
  ];
  for (const [what, message] of messages) {
    const answer = await postMcp(message.toString('utf8'));
    const text = await answer.text();
    if (answer.status >= 500 || text.includes(marker) || !text.includes('"error"'))
      faults.push(`${what}: ${answer.status} ${text.slice(0, 200)}`);
  }
  expect(faults).toEqual([]);
});

const methodMessage = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method });
