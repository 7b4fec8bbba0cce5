import { decodePaymentRequiredHeader } from '@x402/core/http';
import {
  type CompleteSIWxInfo,
  createSIWxClientExtension,
  createSIWxPayload,
  encodeSIWxHeader,
  type SIWxExtension,
  type SIWxPayload,
  type SIWxSigner,
} from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { App } from '@/lib/app';
import { askApp } from './ask-app';
import type { Wallet } from './buyer';
import { stack } from './stack';

/** The official `fetch` that signs in when a 402 asks for it. */
export function signingFetch(wallet: Wallet): typeof fetch {
  const extension = createSIWxClientExtension({ signers: [signerOf(wallet)] });
  return wrapFetchWithPayment(fetch, new x402Client().registerExtension(extension)) as typeof fetch;
}

export const walletUrl = (path: string) => `${stack().apiUrl}/v1/wallet/${path}`;

/** Reads a list with the official client. */
export function listOf(
  wallet: Wallet,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return signingFetch(wallet)(walletUrl(path), { headers });
}

/** The sign-in challenge of a URL. */
export async function askedAt(
  url: string,
  headers: Record<string, string> = {},
): Promise<Omit<SIWxExtension, 'schema'>> {
  const answer = await fetch(url, { headers });
  return askedIn(answer);
}

/** The sign-in challenge in a response. */
export function askedIn({ headers }: Response): Omit<SIWxExtension, 'schema'> {
  const { extensions = {} } = decodePaymentRequiredHeader(headers.get('payment-required') ?? '');
  return extensions['sign-in-with-x'] as Omit<SIWxExtension, 'schema'>;
}

/** A Solana Kit signer and a viem account have more members than the package's signer types. */
function signerOf(wallet: Wallet): SIWxSigner {
  return wallet as unknown as SIWxSigner;
}

/** The message of a challenge for the first chain of the wallet's type, or for another one. */
export function messageFor(
  { info, supportedChains }: Omit<SIWxExtension, 'schema'>,
  wallet: Wallet,
  chainId?: string,
): CompleteSIWxInfo {
  const type = 'source' in wallet ? 'eip191' : 'ed25519';
  const chain = supportedChains.find((one) => one.type === type && (chainId ?? one.chainId) === one.chainId);
  return { ...info, chainId: chain?.chainId ?? chainId ?? '', type };
}

/** Signs a message with the official package, for the origin that the message itself names. */
export function signMessage(message: CompleteSIWxInfo, wallet: Wallet): Promise<SIWxPayload> {
  return createSIWxPayload(message, signerOf(wallet), `${new URL(message.uri).protocol}//${message.domain}`);
}

/** The header with a signed message. */
export function signedHeader(payload: SIWxPayload): { 'SIGN-IN-WITH-X': string } {
  return { 'SIGN-IN-WITH-X': encodeSIWxHeader(payload) };
}

/** The header with which a wallet signs in at a URL. */
export async function signInAt(url: string, wallet: Wallet): Promise<{ 'SIGN-IN-WITH-X': string }> {
  return signedHeader(await signMessage(messageFor(await askedAt(url), wallet), wallet));
}

/** Reads a list from an app in this process, such as `calls?limit=1`, signed in on a chain. */
export async function readList(app: App, list: string, wallet: Wallet, chainId?: string) {
  const url = `${app.settings.PUBLIC_URL}/v1/wallet/${list}`;
  const send = async (sent: Record<string, string>) => {
    const { status, headers, body } = await askApp(app, new Request(url, { headers: sent }));
    return new Response(body, { status, headers: { ...headers } });
  };
  const message = messageFor(askedIn(await send({})), wallet, chainId);
  const answer = await send(signedHeader(await signMessage(message, wallet)));
  if (answer.status !== 200) throw new Error(`${list} was not listed: ${await answer.text()}`);
  return answer.json();
}

/** A key that signs for a contract wallet at another address. */
export function signerFor(address: `0x${string}`, owner: PrivateKeyAccount): PrivateKeyAccount {
  return { ...owner, address };
}
