import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getBase58Decoder } from '@solana/kit';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import writeFileAtomic from 'write-file-atomic';

export type EvmWallet = { address: Hex; privateKey: Hex };

/** `secretKey` is 64 bytes in base58, as Solana wallets export it. */
export type SolanaWallet = { address: string; secretKey: string };

export type Wallets = {
  settlement: { evm: EvmWallet; solana: SolanaWallet };
  payTo: { evm: EvmWallet; solana: SolanaWallet };
  payers: { evm: EvmWallet[]; solana: SolanaWallet[] };
  /** Pays only for the tour, so that the tour can check its balance exactly. */
  tour: { evm: EvmWallet; solana: SolanaWallet };
  secrets: { dataKey: string; mppSecret: string; operatorToken: string };
};

function createEvmWallet(): EvmWallet {
  const privateKey = generatePrivateKey();
  return { address: privateKeyToAccount(privateKey).address, privateKey };
}

function createSolanaWallet(): SolanaWallet {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  if (!d || !x) throw new Error('The exported Ed25519 key has no public or no private part.');
  const publicKey = Buffer.from(x, 'base64url');
  const base58 = getBase58Decoder();
  return {
    address: base58.decode(publicKey),
    secretKey: base58.decode(Buffer.concat([Buffer.from(d, 'base64url'), publicKey])),
  };
}

function extend<Wallet>(wallets: Wallet[], count: number, create: () => Wallet): Wallet[] {
  return [...wallets, ...Array.from({ length: Math.max(count - wallets.length, 0) }, create)];
}

/**
 * Reads the keys and secrets in the folder and creates any that are missing, so that there are at least `payers` payers of each
 * kind.
 */
export function openWallets(dir: string, payers: number): Wallets {
  const file = path.join(dir, 'wallets.json');
  const saved = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Wallets>) : {};
  const kept: Wallets = { ...createWallets(), ...saved };
  const wallets: Wallets = {
    ...kept,
    payers: {
      evm: extend(kept.payers.evm, payers, createEvmWallet),
      solana: extend(kept.payers.solana, payers, createSolanaWallet),
    },
  };
  writeFileAtomic.sync(file, `${JSON.stringify(wallets, null, 2)}\n`, { mode: 0o600 });
  return wallets;
}

function createWallets(): Wallets {
  return {
    settlement: { evm: createEvmWallet(), solana: createSolanaWallet() },
    payTo: { evm: createEvmWallet(), solana: createSolanaWallet() },
    payers: { evm: [], solana: [] },
    tour: { evm: createEvmWallet(), solana: createSolanaWallet() },
    secrets: {
      dataKey: randomBytes(32).toString('base64'),
      mppSecret: randomBytes(32).toString('base64url'),
      operatorToken: randomBytes(24).toString('base64url'),
    },
  };
}
