import type { PrivateKeyAccount } from 'viem/accounts';
import { billing } from '@/lib/catalog';
import { orderOf, type Scenario, scenarios } from '@/tests/recovery/crash-points/scenarios';
import { type Account, depositBody, fundedAccount, payFrom } from '@/tests/recovery/rig/accounts';
import { channelClient } from '@/tests/recovery/rig/channels';
import { signFor } from '@/tests/recovery/rig/payment-methods';
import { type Order, persist, type SignedRequest } from '@/tests/recovery/rig/requests';
import type { Rig, Wallet } from '@/tests/recovery/rig/rig';
import { pause } from '@/tests/recovery/rig/waiting';
import { fromAnywhere } from '@/tests/support/accounts';
import { aFile } from '@/tests/support/files';
import { stampOfAge } from '@/tests/support/form-stamps';
import { everyType, openPage, postPage } from '@/tests/support/forms';
import { callTool, connectMcp } from '@/tests/support/mcp';

const dollars = (amount: number) => BigInt(amount) * 1_000_000n;

/** How long a client keeps retrying for one answer. */
const insistMs = 120_000;

/** What the clients did, and the answers they got. */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly failures: string[] = [];

  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  expect(what: string, status: number, wanted: number): void {
    this.count(`${what} ${status}`);
    if (status !== wanted) this.failures.push(`${what}: ${status}, not ${wanted}`);
  }

  get lines(): string[] {
    return [...this.#counts].sort().map(([what, times]) => `${what}: ${times}`);
  }
}

/** Does one thing and records whether the answer was right; called again and again. */
type Turn = (tally: Tally) => Promise<void>;

export interface Clients {
  stop(): Promise<void>;
}

/** Starts clients of every kind, each doing one thing after another at a leisurely pace. */
export async function startClients(rig: Rig, tally: Tally, restMs: number): Promise<Clients> {
  let isOver = false;
  const turns = await Promise.all([
    buyer(rig, 0),
    buyer(rig, 1),
    channelBuyer(rig),
    fileOwner(rig),
    formOwner(rig),
    reader(rig),
    mcpReader(rig),
  ]);
  const repeat = async (turn: Turn) => {
    while (!isOver) {
      await turn(tally).catch((error: unknown) => tally.failures.push(String(error)));
      await pause(restMs);
    }
  };
  const ended = Promise.all(turns.map(repeat));
  return {
    async stop() {
      isOver = true;
      await ended;
    },
  };
}

/**
 * Makes every paid operation with every way to pay, in turn. What needs a special kind of node is left to other tests.
 * @param halves how many half rounds it is ahead
 */
async function buyer(rig: Rig, halves: number): Promise<Turn> {
  const own = scenarios.filter((one) => !one.isFromContract && !one.throughChannel);
  const [evm, solana] = await Promise.all([
    rig.newEvmPayer(dollars(100_000)),
    rig.newSolanaPayer(dollars(100_000)),
  ]);
  const account = await fundedAccount(rig);
  let turn = Math.floor((halves * own.length) / 2);
  const sign = (scenario: Scenario, order: Order): Promise<SignedRequest> | SignedRequest => {
    if (scenario.paidBy === 'account') return payFrom(rig, account, scenario.operation, order);
    return signFor(scenario.paidBy, rig, walletFor(scenario.paidBy.on, evm, solana), order);
  };
  return async (tally) => {
    const scenario = own[turn % own.length] as Scenario;
    turn += 1;
    const upload = scenario.followsUpload ? (await persist(await sign(scenario, {}), insistMs)).body.id : '';
    // Each round deposits a dollar, which is more than the account spends in a round.
    const isDeposit = scenario.operation === billing.deposit;
    const order = isDeposit ? depositOrder(account) : await orderOf(scenario, rig, upload);
    const request = await sign(scenario, order);
    const { status } = await persist(request, insistMs);
    tally.expect(`${scenario.operation.id}, ${request.rail} on ${request.network}`, status, 200);
  };
}

const depositOrder = (account: Account): Order => ({
  path: '/billing/deposits',
  body: depositBody(account),
});

function walletFor(on: string, evm: PrivateKeyAccount, solana: Wallet): Wallet {
  return on === 'solana-mainnet' ? solana : evm;
}

/** The official client, which makes a new deposit when its channel is empty. */
async function channelBuyer(rig: Rig): Promise<Turn> {
  const { fetch } = channelClient(rig, await rig.newEvmPayer(dollars(100_000)));
  return async (tally) => {
    const answer = await fetch(`${rig.apiUrl}/v1/uploads`, { method: 'POST', ...aFile() });
    await answer.arrayBuffer();
    tally.expect('uploads.create, through a channel', answer.status, 200);
  };
}

/** Buys an upload slot, sends the file, reads it, and deletes it. */
async function fileOwner(rig: Rig): Promise<Turn> {
  const base = { rail: 'x402', on: 'base' } as const;
  const wallet = await rig.newEvmPayer(dollars(100_000));
  return async (tally) => {
    const file = aFile(50_000);
    const bought = await persist(await signFor(base, rig, wallet, { body: file.body }), insistMs);
    tally.expect('uploads.create for a file', bought.status, 200);
    const { id, uploadUrl, uploadHeaders, publicUrl } = bought.body;
    const put = await fetch(uploadUrl, { method: 'PUT', headers: uploadHeaders, body: file.bytes });
    tally.expect('PUT of the file', put.status, 200);
    const got = await fetch(publicUrl);
    tally.expect('GET of the file', got.status, 200);
    if ((await got.arrayBuffer()).byteLength !== 50_000) tally.failures.push('another file came back');
    const order = { path: `/uploads/${id}`, method: 'DELETE' };
    tally.expect(
      'uploads.delete of the file',
      (await persist(await signFor(base, rig, wallet, order), insistMs)).status,
      200,
    );
  };
}

/** Buys a form, has people open it and fill it in, and reads their answers. */
async function formOwner(rig: Rig): Promise<Turn> {
  const base = { rail: 'mpp', on: 'base' } as const;
  const wallet = await rig.newEvmPayer(dollars(100_000));
  return async (tally) => {
    const order = { path: '/forms', body: JSON.stringify(everyType) };
    const bought = await persist(await signFor(base, rig, wallet, order), insistMs);
    tally.expect('forms.create for people', bought.status, 200);
    const { id, url, responsesUrl, readToken } = bought.body;
    for (let person = 0; person < 5; person += 1) {
      tally.expect('page of a form', (await openPage(url)).status, 200);
      const answers = { q_name: 'Ann', q_mail: 'ann@example.com', q_food: '0' };
      const fields = { ...answers, stamp: stampOfAge(id, 5_000) };
      tally.expect('answer to a form', (await postPage(url, fields, fromAnywhere())).status, 303);
    }
    const read = await fetch(responsesUrl, { headers: { Authorization: `Bearer ${readToken}` } });
    tally.expect('answers read', read.status, 200);
    if ((await read.json()).responses.length !== 5) tally.failures.push('not five answers came back');
  };
}

/** Reads pages and documents, makes calls without paying, and makes invalid calls. */
async function reader(rig: Rig): Promise<Turn> {
  const pages: readonly (readonly [string, number])[] = [
    ['/', 200],
    ['/docs', 200],
    ['/openapi.json', 200],
    ['/llms.txt', 200],
    ['/v1/tools/prices', 200],
    ['/health/ready', 200],
    ['/nowhere', 404],
  ];
  let turn = 0;
  return async (tally) => {
    const [path, wanted] = pages[turn % pages.length] as (typeof pages)[number];
    turn += 1;
    const page = await fetch(rig.apiUrl + path);
    await page.arrayBuffer();
    tally.expect(`GET ${path}`, page.status, wanted);
    const unpaid = await fetch(`${rig.apiUrl}/v1/uploads`, { method: 'POST', body: aFile().body });
    await unpaid.arrayBuffer();
    tally.expect('a call without a payment', unpaid.status, 402);
    const wrong = await fetch(`${rig.apiUrl}/v1/tools/check`, { method: 'POST', body: '{"operation":0}' });
    await wrong.arrayBuffer();
    tally.expect('a call with wrong input', wrong.status, 400);
  };
}

/** Connects over MCP, calls a tool, and disconnects. */
async function mcpReader(rig: Rig): Promise<Turn> {
  return async (tally) => {
    const client = await connectMcp(rig.apiUrl);
    const { tools } = await client.listTools();
    const { isError } = await callTool(client, 'uploads_create', aFile().announcement);
    tally.count(`MCP tools/list ${tools.length > 0 ? 'with tools' : 'empty'}`);
    if (!isError) tally.failures.push('a tool was given away');
    await client.close();
  };
}
