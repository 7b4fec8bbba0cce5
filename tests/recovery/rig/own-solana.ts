import { generateKeyPairSync } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import { rpcCall } from '@/local/json-rpc';
import { startSolanaRuntime } from '@/local/solana/runtime';

export function newSolanaWallet(): { address: string; secretKey: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  const base58 = getBase58Decoder();
  return {
    address: base58.decode(publicKey),
    secretKey: base58.decode(Buffer.concat([Buffer.from(d, 'base64url'), publicKey])),
  };
}

/** Starts a Solana chain. The function that stops it is added to `ends`. */
export async function startSolana(ends: (() => Promise<unknown>)[]): Promise<string> {
  const runtime = await startSolanaRuntime();
  ends.push(() => runtime.stop());
  return runtime.rpcUrl;
}

/** Lets a new payee receive USDC, and returns the key of a new account that pays the fees. */
export async function newSolanaSeller(rpcUrl: string, payTo: string): Promise<string> {
  await rpcCall(rpcUrl, 'tuppence_setTokenBalance', [payTo, '0']);
  return newSolanaFeePayer(rpcUrl);
}

export async function newSolanaFeePayer(rpcUrl: string): Promise<string> {
  const { address, secretKey } = newSolanaWallet();
  await rpcCall(rpcUrl, 'requestAirdrop', [address, 100_000_000_000]);
  return secretKey;
}
