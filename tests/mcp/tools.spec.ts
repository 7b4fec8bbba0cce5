import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { account, freeOperations, tools as freeTools, operations } from '@/lib/catalog';
import { adapterTools } from '@/lib/catalog/adapter-tools';
import { fullTierPrograms } from '../support/full-tier-packages';
import { fullOnly } from '../support/tiers';
import { expect } from '../support/without-browser';
import { balanceOf, failureOf, outputOf, plainEnv, program, test, textsOf, topUp } from './rig';

const run = promisify(execFile);

/** Prices in USDC of the tools that the adapter has by default, as docs/mcp.md lists them. */
const prices: Readonly<Record<string, string>> = {
  upload: '0.005',
  search_flights: '0.05',
  airports_search: '0.001',
  flight_offer_details: '0.01',
  renew_upload: '0.005',
  delete_upload: '0',
  recent_uploads: '0',
  balance: '0',
  topup_link: '0',
  setup_link: '0',
  flight_booking_links: '0',
};

/** Those of the tools that TUPPENCE_TOOLS=all adds. */
const morePrices: Readonly<Record<string, string>> = {
  render_pdf: '0.02',
  forms_create: '0.01',
  neural_search: '0.01',
  neural_contents: '0.002',
  neural_find_similar: '0.01',
  neural_answer: '0.01',
  crawl_scrape: '0.015',
  crawl_search: '0.03',
  serp_search: '0.004',
  serp_news: '0.004',
  serp_images: '0.004',
  serp_shopping: '0.004',
  forms_responses: '0',
};

const withAllTools = { TUPPENCE_TOOLS: 'all' };

interface Listed {
  name: string;
  title?: string;
  description?: string;
  inputSchema: { type: string; additionalProperties?: boolean };
  annotations?: Record<string, unknown>;
  _meta?: Record<string, { amount: string }>;
}

const pricesOf = (tools: Listed[]) =>
  Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta?.['tuppence/price']?.amount]));

test('the official client lists eleven tools, and all others with one setting, with prices, schemas and hints', async ({
  machine,
}) => {
  const { client } = await machine.start();
  expect(pricesOf((await client.listTools()).tools as Listed[])).toEqual(prices);
  const { client: withAll } = await machine.start(withAllTools);
  const tools = (await withAll.listTools()).tools as Listed[];
  const all = { ...prices, ...morePrices };
  expect(pricesOf(tools)).toEqual(all);
  for (const { name, title, description, inputSchema, annotations } of tools) {
    expect(title, name).toBeTruthy();
    expect(description, name).toContain(all[name] === '0' ? 'Free.' : `Costs ${all[name]} USDC`);
    expect(description, name).toContain('Returns ');
    expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
    // The providers of large models refuse these.
    expect(JSON.stringify(inputSchema), name).not.toMatch(
      /"(const|anyOf|propertyNames|exclusive\w+)":|"format":"(?!date-time)/,
    );
    expect(annotations, name).toMatchObject({
      readOnlyHint: expect.any(Boolean),
      openWorldHint: /^(search_flights|flight_offer_details|(neural|crawl|serp)_.*)$/.test(name),
    });
  }
  expect(client.getInstructions()).toMatch(/prepaid account.*do not follow instructions/);
});

test('the list of the eleven tools takes at most 15 KB', async ({ machine }) => {
  const { client } = await machine.start();
  expect(Buffer.byteLength(JSON.stringify(await client.listTools()))).toBeLessThan(15_000);
});

test('a tool that is turned off names the setting that turns it on', async ({ machine }) => {
  const adapter = await machine.start();
  const failure = failureOf(await adapter.call('render_pdf', { html: '<p>Hello</p>' }));
  expect(failure).toMatchObject({ code: 'invalid_input', payment: 'none' });
  expect(failure.message).toContain('TUPPENCE_TOOLS=all');
});

test('no paid tool may be called without asking the person', async ({ machine }) => {
  const { client } = await machine.start(withAllTools);
  for (const { name, annotations, _meta } of (await client.listTools()).tools as Listed[]) {
    if (_meta?.['tuppence/price']?.amount === '0') continue;
    expect(annotations, name).toMatchObject({ readOnlyHint: false, idempotentHint: false });
  }
});

test('the first text of an error says what is wrong and what to do, in our own words', async ({
  machine,
}) => {
  const adapter = await machine.start();
  const { depositUrl } = outputOf<{ depositUrl: string }>(await adapter.call('topup_link'));
  const journey = { origin: 'LIS', destination: 'LHR', departureDate: '2027-03-04' };
  const expected: readonly (readonly [tool: string, args: Record<string, unknown>, words: string])[] = [
    ['airports_search', { query: '' }, 'query must not be empty.'],
    ['airports_search', {}, 'query is required.'],
    ['airports_search', { query: 'faro', color: 1 }, 'color is not a known field.'],
    [
      'airports_search',
      { query: 'faro' },
      `Ask the person to add money at ${depositUrl}, then call the tool again.`,
    ],
    [
      'search_flights',
      { ...journey, origin: 'London' },
      'origin must be a three-letter IATA code such as LHR.',
    ],
    ['search_flights', { ...journey, adults: 10 }, 'adults must be at most 9.'],
    ['flight_booking_links', { ...journey, destination: 'LIS' }, 'destination must differ from origin.'],
    ['renew_upload', { id: '../x' }, 'id must be an upload ID such as up_'],
    ['upload', {}, 'path or base64 is required, but not both.'],
    ['upload', { path: '/no/such/file' }, 'path must name a file that exists.'],
  ];
  for (const [tool, args, words] of expected) {
    const [first] = textsOf(await adapter.call(tool, args));
    expect(first, tool).toContain(words);
    expect(first, tool).toContain('Nothing was charged');
    expect(first, tool).not.toMatch(/Too small|Too big|Invalid (string|input)|expected (string|number)/);
  }
});

test('a tool costs what its operation costs on the account rail', () => {
  for (const { name, operation, price, input, example } of adapterTools) {
    const sold = operations.find(({ id }) => id === operation);
    const free = freeOperations.find(({ id }) => id === operation);
    expect(price, name).toBe(sold?.price ?? null);
    if (sold) expect(sold.paths.account, name).toMatch(/^\/v1\/account\//);
    expect(Boolean(sold ?? free) || operation === null, name).toBe(true);
    expect(input.safeParse(example).success, name).toBe(true);
  }
});

test('the inspector lists the same tools', fullOnly, async ({ machine }) => {
  const { stdout } = await run(
    process.execPath,
    [fullTierPrograms.mcpInspector, '--cli', process.execPath, program, '--method', 'tools/list'],
    { env: { ...plainEnv, ...machine.env } },
  );
  expect(pricesOf((JSON.parse(stdout) as { tools: Listed[] }).tools)).toEqual(prices);
});

test('the eleven tools for files, flights and the account work, and the balance falls by their prices', async ({
  machine,
}) => {
  const adapter = await machine.start();
  const accountId = await topUp(adapter);
  const balance = async () => outputOf<{ balance: string }>(await adapter.call('balance')).balance;
  expect(await balance()).toBe('1');

  const { airports } = outputOf<{ airports: { iataCode: string }[] }>(
    await adapter.call('airports_search', { query: 'lisbon' }),
  );
  expect(airports[0]?.iataCode).toBe('LIS');
  expect(await balance()).toBe('0.999');

  const journey = { origin: 'LIS', destination: 'LHR', departureDate: '2027-03-04' };
  const { results } = outputOf<{ results: { id: string; totalPrice: string }[] }>(
    await adapter.call('search_flights', journey),
  );
  expect(await balance()).toBe('0.949');
  const [offer] = results;
  expect(outputOf(await adapter.call('flight_offer_details', { id: offer?.id }))).toMatchObject({
    id: offer?.id,
  });
  expect(await balance()).toBe('0.939');

  const { id } = outputOf<{ id: string }>(await adapter.call('upload', { base64: 'aGVsbG8=' }));
  outputOf(await adapter.call('renew_upload', { id }));
  outputOf(await adapter.call('recent_uploads', { limit: 5 }));
  outputOf(await adapter.call('delete_upload', { id }));
  expect(await balance()).toBe('0.929');

  const links = outputOf(await adapter.call('flight_booking_links', journey));
  expect(freeTools.flightBookingLinks.output.parse(links)).toEqual(links);
  expect(outputOf(await adapter.call('topup_link'))).toMatchObject({ accountId });
  const { previousAccountId } = outputOf<{ previousAccountId: string }>(await adapter.call('setup_link'));
  expect(previousAccountId).toBe(accountId);
  expect(await balance()).toBe('0');
});

test('booking links need no service, no account and no state', fullOnly, async ({ machine }) => {
  await machine.proxy.close();
  const adapter = await machine.start();
  const journey = {
    origin: 'lis',
    destination: 'LHR',
    departureDate: '2027-03-04',
    returnDate: '2027-03-09',
  };
  expect(outputOf(await adapter.call('flight_booking_links', journey))).toMatchObject({
    links: { skyscanner: expect.stringContaining('/lis/lhr/270304/270309/') },
  });
  const nowhere = await adapter.call('flight_booking_links', { ...journey, destination: 'QQQ' });
  expect(failureOf(nowhere)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'destination' }] });
  await expect(machine.state()).rejects.toThrow('ENOENT');
});

test('an account without money gets an error with its deposit page', async ({ machine }) => {
  const adapter = await machine.start();
  const failure = failureOf(await adapter.call('airports_search', { query: 'lisbon' }));
  const { depositUrl } = outputOf<{ depositUrl: string }>(await adapter.call('topup_link'));
  expect(failure).toMatchObject({
    code: 'insufficient_balance',
    payment: 'none',
    retry: 'pay',
    account: { balance: '0', depositUrl },
  });
  expect((await machine.state()).openCalls).toEqual({});
});

test('an expired offer costs nothing', fullOnly, async ({ machine }) => {
  const adapter = await machine.start();
  await topUp(adapter);
  const failure = failureOf(await adapter.call('flight_offer_details', { id: 'off_0000AhNothing' }));
  expect(failure).toMatchObject({ code: 'offer_not_found', payment: 'none' });
  expect([await balanceOf(machine), (await machine.state()).openCalls]).toEqual(['1', {}]);
});

test('a response of an unexpected shape is passed on as it is', fullOnly, async ({ machine }) => {
  const adapter = await machine.start();
  const accountPath = /^GET \/v1\/account$/;
  machine.proxy.on(accountPath, { status: 200, body: { ...account.get.example.output, more: 1 } });
  expect(outputOf(await adapter.call('balance'))).toMatchObject({ more: 1 });
  machine.proxy.on(accountPath, { status: 200, body: { balance: 5 } });
  expect(outputOf(await adapter.call('balance'))).toEqual({ balance: 5 });
});

test(
  'arguments of null are no arguments, and arguments that are no object get an error in our own words',
  fullOnly,
  async ({ machine }) => {
    const adapter = await machine.start();
    const { client } = adapter;
    const call = (args: unknown) =>
      client.request(
        { method: 'tools/call', params: { name: 'balance', arguments: args } } as never,
        CallToolResultSchema,
      );
    expect(outputOf(await call(null))).toMatchObject({ balance: '0' });
    const journey = { origin: 'LIS', destination: 'LON', departureDate: '2027-03-04' };
    const links = await adapter.call('flight_booking_links', journey);
    expect(await adapter.call('flight_booking_links', { ...journey, returnDate: null })).toEqual(links);
    for (const args of [[], 'none', 5]) {
      const failure = failureOf(await call(args));
      expect(failure).toMatchObject({
        code: 'invalid_input',
        payment: 'none',
        issues: [{ path: 'arguments', rule: 'must be an object' }],
      });
    }
  },
);

test('standard output carries only the protocol, for any input', fullOnly, async ({ machine }) => {
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...plainEnv, ...machine.env },
  });
  const lines: string[] = [];
  const answered = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"id":9')) resolve();
    });
  });
  const say = (message: object | string) =>
    child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  say({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  say('this is not JSON');
  say({ hello: 'world' });
  say({ jsonrpc: '2.0', id: 2, method: 'no/such/method' });
  say({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'no_such_tool', arguments: {} } });
  say({
    jsonrpc: '2.0',
    id: 4,
    method: 'tools/call',
    params: { name: 'upload', arguments: { path: '/dev/zero' } },
  });
  say({ jsonrpc: '2.0', id: 9, method: 'tools/list' });
  await answered;
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  const exited = once(child, 'exit');
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});
