import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** Creates a folder for one test's state; `remove` deletes it. */
export function makeTemporaryFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tuppence-local-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export const randomNonce = () => `0x${randomBytes(32).toString('hex')}` as const;

/** The payload that a client sends, based on what its scheme creates for the requirements. */
export function toPaymentPayload(
  requirements: PaymentRequirements,
  made: Pick<PaymentPayload, 'x402Version' | 'payload'>,
): PaymentPayload {
  return { ...made, accepted: requirements, resource: { url: 'http://localhost/test' } };
}
