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

export async function startSolana(payTo: string, ends: (() => Promise<unknown>)[]) {
  const runtime = await startSolanaRuntime();
  ends.push(() => runtime.stop());
  const key = await newSolanaFeePayer(runtime.rpcUrl);
  await rpcCall(runtime.rpcUrl, 'tuppence_setTokenBalance', [payTo, '0']);
  return { url: runtime.rpcUrl, key };
}

export async function newSolanaFeePayer(rpcUrl: string): Promise<string> {
  const { address, secretKey } = newSolanaWallet();
  await rpcCall(rpcUrl, 'requestAirdrop', [address, 100_000_000_000]);
  return secretKey;
}
