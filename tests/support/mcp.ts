import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from '@playwright/test';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import type { PrivateKeyAccount } from 'viem/accounts';
import { officialClient, type Wallet } from './buyer';
import { aFile } from './files';
import { payingMcpClient } from './mpp-buyer';
import { type evmNetworkNames, stack, type TestNetwork } from './stack';

/** A result of `tools/call`, as clients of every version return it. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly structuredContent?: any;
  readonly isError?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly _meta?: any;
}

type Arguments = Record<string, unknown>;

const clientInfo = { name: 'test', version: '1' };

const withToken = (token?: string) =>
  token === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${token}` } } };

/**
 * The official client for the revisions with `initialize`, connected.
 * @param send sends its requests instead of fetch
 */
export async function connectMcp(
  apiUrl = stack().apiUrl,
  token?: string,
  send?: (url: string | URL, init?: RequestInit) => Promise<Response>,
): Promise<Client> {
  const client = new Client(clientInfo);
  const options = { ...withToken(token), fetch: send };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', apiUrl), options));
  return client;
}

/** The official client for the revision without sessions, connected. */
export async function connectStatelessMcp(apiUrl = stack().apiUrl): Promise<StatelessClient> {
  const client = new StatelessClient(clientInfo, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StatelessTransport(new URL('/mcp', apiUrl)));
  return client;
}

/** Either client, with the members that tests use. */
export interface AnyMcpClient {
  callTool(call: { name: string; arguments: Arguments; _meta?: Arguments }): Promise<unknown>;
}

/** The newer official client, for the revisions with `initialize`, connected. */
export async function connectLaterMcp(apiUrl = stack().apiUrl): Promise<StatelessClient> {
  const client = new StatelessClient(clientInfo);
  await client.connect(new StatelessTransport(new URL('/mcp', apiUrl)));
  return client;
}

export async function callTool(
  client: AnyMcpClient,
  name: string,
  args: Arguments = {},
  meta?: Arguments,
): Promise<ToolAnswer> {
  return (await client.callTool({ name, arguments: args, ...(meta ? { _meta: meta } : {}) })) as ToolAnswer;
}

/** The payment that the official x402 client signs for a tool. */
export async function paymentFor(
  client: AnyMcpClient,
  name: string,
  args: Arguments,
  wallet: Wallet,
  on: TestNetwork['name'],
): Promise<PaymentPayload> {
  const { structuredContent } = await callTool(client, name, args);
  return officialClient(wallet, on).createPaymentPayload(structuredContent as PaymentRequired);
}

const mppCredential = 'org.paymentauth/credential';

/** `_meta` with the payment that the official MPP client signs for a tool. Nothing is sent. */
export async function mppPaymentFor(
  name: string,
  args: Arguments,
  wallet: PrivateKeyAccount,
  on: (typeof evmNetworkNames)[number],
  apiUrl = stack().apiUrl,
): Promise<Arguments> {
  let signed: Arguments | undefined;
  const client = await connectMcp(apiUrl, undefined, async (url, init) => {
    const { params } = JSON.parse(typeof init?.body === 'string' ? init.body : '{}');
    if (params?._meta?.[mppCredential] === undefined) return fetch(url, init);
    signed = params._meta;
    throw new Error('the test keeps the payment back');
  });
  await payingMcpClient(client, wallet, on)
    .callTool({ name, arguments: args })
    .catch(() => undefined);
  await client.close();
  const credential = signed?.[mppCredential];
  if (credential === undefined) throw new Error('the client has not signed a payment');
  return { [mppCredential]: credential };
}

/** `_meta` with an x402 payment. */
export const paidBy = (payment: PaymentPayload) => ({ 'x402/payment': payment });

/** The message of a tool call. */
export const callMessage = (name: unknown, args: unknown, meta?: unknown) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
});

/** Posts a message as it is. */
export function postMcp(
  message: unknown,
  headers: Record<string, string> = {},
  apiUrl = stack().apiUrl,
  signal?: AbortSignal,
): Promise<Response> {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return fetch(`${apiUrl}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
    signal,
  });
}

/** Buys an upload over MCP with x402 on base, and sends the same payment again, which is not charged again. */
export async function expectToolPaidOnce(client: AnyMcpClient, wallet: Wallet): Promise<void> {
  const { announcement } = aFile();
  const payment = await paymentFor(client, 'uploads_create', announcement, wallet, 'base');
  const first = await callTool(client, 'uploads_create', announcement, paidBy(payment));
  expect(first.structuredContent).toMatchObject({ uploadMethod: 'PUT' });
  const again = await callTool(client, 'uploads_create', announcement, paidBy(payment));
  expect(again.content).toEqual(first.content);
  expect(again._meta['tuppence/replayed']).toBe('true');
}
