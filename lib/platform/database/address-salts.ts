import { randomBytes } from 'node:crypto';
import { startOfDay } from '@/lib/platform/durations';
import type { PrismaClient } from './generated/client';

/** Salts for hashing addresses: one per day, shared by all instances, deleted a day after its day. */
export class AddressSalts {
  readonly #db: PrismaClient;
  #known: { readonly dayMs: number; readonly salt: Uint8Array } | null = null;

  constructor(db: PrismaClient) {
    this.#db = db;
  }

  /** The salt of a day. Only the latest is cached, so that an old salt does not outlive its day in memory either. */
  async of(now: Date): Promise<Uint8Array> {
    const day = new Date(startOfDay(now.getTime()));
    if (this.#known?.dayMs === day.getTime()) return this.#known.salt;
    const salt = await this.#findOrMake(day);
    this.#known = { dayMs: day.getTime(), salt };
    return salt;
  }

  async #findOrMake(day: Date): Promise<Uint8Array> {
    const known = await this.#db.addressSalt.findUnique({ where: { day } });
    if (known) return known.salt;
    await this.#db.addressSalt.createMany({ data: { day, salt: randomBytes(32) }, skipDuplicates: true });
    return (await this.#db.addressSalt.findUniqueOrThrow({ where: { day } })).salt;
  }
}
