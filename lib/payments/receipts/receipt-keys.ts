import { createHash, type KeyObject } from 'node:crypto';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Prisma } from '@/lib/platform/database/generated/client';
import { ed25519KeyOf, ed25519PublicKeyOf } from '@/lib/platform/ed25519';
import type { Platform } from '@/lib/platform/platform';

/** A key that signs receipts and offers, as the public knows it. */
export interface PublicReceiptKey {
  /** The fragment of its `kid`: `receipts-`, the day of its first use, and the beginning of its hash. */
  readonly id: string;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Buffer;
  readonly createdAt: Date;
}

/** The keys that have signed, which verifiers look up. */
export interface ReceiptKeyRecord {
  /** The key that signs now, recorded with its first use; null when it is revoked. */
  open(): Promise<ReceiptKey | null>;
  /** Every key that is not revoked, the newest first. */
  published(): Promise<PublicReceiptKey[]>;
}

/** The record in the database. */
export function receiptKeyRecord(app: WithDatabase & Pick<Platform, 'clock' | 'keys'>): ReceiptKeyRecord {
  return { open: () => openReceiptKey(app), published: () => publishedReceiptKeys(app) };
}

/** The key that is derived from the newest DATA_KEY, with the id that it gets when it is first used at this moment. */
export function receiptKeyOf({ keys, clock }: Pick<Platform, 'clock' | 'keys'>) {
  const privateKey = ed25519KeyOf(keys.derive('receipts')[0]);
  const publicKey = ed25519PublicKeyOf(privateKey);
  const createdAt = clock.date();
  const hash = createHash('sha256').update(publicKey).digest('hex').slice(0, 8);
  return { id: `receipts-${createdAt.toISOString().slice(0, 10)}-${hash}`, privateKey, publicKey, createdAt };
}

export interface ReceiptKey {
  readonly id: string;
  readonly privateKey: KeyObject;
}

/**
 * The key that signs now, recorded with its first use, so that it stays published after DATA_KEY has changed.
 * @returns null when it is revoked
 */
async function openReceiptKey(
  app: WithDatabase & Pick<Platform, 'clock' | 'keys'>,
): Promise<ReceiptKey | null> {
  const { id, privateKey, publicKey, createdAt } = receiptKeyOf(app);
  await app.db.$executeRaw`
    INSERT INTO receipt_key (id, public_key, created_at) VALUES (${id}, ${publicKey}, ${createdAt}) ON CONFLICT DO NOTHING`;
  const key = await app.db.receiptKey.findUniqueOrThrow({ where: { publicKey } });
  return key.revokedAt === null ? { id: key.id, privateKey } : null;
}

/** Every key that has signed, the newest first, with the time when it was revoked. */
export async function allReceiptKeys({
  db,
}: Pick<WithDatabase, 'db'>): Promise<(PublicReceiptKey & { readonly revokedAt: Date | null })[]> {
  const keys = await db.receiptKey.findMany({ orderBy: { createdAt: 'desc' } });
  return keys.map((key) => ({ ...key, publicKey: Buffer.from(key.publicKey) }));
}

/** Every key that is not revoked, the newest first. */
export async function publishedReceiptKeys(app: Pick<WithDatabase, 'db'>): Promise<PublicReceiptKey[]> {
  return (await allReceiptKeys(app)).filter(({ revokedAt }) => revokedAt === null);
}

/**
 * Takes a key back: it is no longer published, and what it signed is no longer verified.
 * @returns false when there is no such key, or it was revoked before
 */
export async function revokeReceiptKey(
  { db }: { readonly db: Pick<Prisma.TransactionClient, 'receiptKey'> },
  id: string,
  now: Date,
): Promise<boolean> {
  const { count } = await db.receiptKey.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: now },
  });
  return count === 1;
}
