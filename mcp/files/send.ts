import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConfidential } from '../settings';
import { ToolError } from '../tool-error';
import type { FileSource } from './source';

/** A slot that was paid for. */
export interface Slot {
  readonly id: string;
  readonly uploadUrl: string;
  readonly uploadHeaders: Readonly<Record<string, string>>;
  readonly publicUrl: string;
  readonly uploadUrlExpiresAt: string;
}

const attempts = 5;
const pauseMs = 400;
/** 10 MiB over a slow line. */
const attemptMs = 300_000;

/**
 * PUTs the bytes into their slot, again when the answer is lost: the same PUT twice is the same as once.
 * @throws ToolError `file_not_sent` (the slot stays: the same call takes it up again) or `slot_lapsed`
 */
export async function sendFile(slot: Slot, source: FileSource, now: () => Date): Promise<void> {
  if (!isConfidential(new URL(slot.uploadUrl)))
    throw notSent(slot, 'its address is not one to trust with a file');
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await put(slot, source);
    if (outcome === 'stored') return;
    if (Date.parse(slot.uploadUrlExpiresAt) <= now().getTime() || outcome === 'gone') throw lapsed(slot);
    if (outcome === 'refused' || attempt === attempts) {
      throw notSent(slot, outcome === 'refused' ? 'the store refused it' : 'the store did not answer');
    }
    await sleep(pauseMs * attempt);
  }
}

/** Whether the bytes are at their link already. */
export async function isStored({ publicUrl }: Slot): Promise<boolean> {
  try {
    const answer = await fetch(publicUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

async function put(slot: Slot, source: FileSource): Promise<'stored' | 'again' | 'refused' | 'gone'> {
  try {
    const answer = await fetch(slot.uploadUrl, {
      method: 'PUT',
      headers: { ...slot.uploadHeaders },
      body: Readable.toWeb(source.read()) as ReadableStream<Uint8Array>,
      // Undici takes a stream with a Content-Length as it is: bytes of a known number, not chunks.
      duplex: 'half',
      redirect: 'manual',
      signal: AbortSignal.timeout(attemptMs),
    } as RequestInit);
    // The status says it all, and a body may be of any length.
    await answer.body?.cancel();
    if (answer.ok) return 'stored';
    if (answer.status === 410) return 'gone';
    // A mismatch may be the line's fault; a store that is busy may have time in a moment.
    return answer.status >= 500 || [400, 408, 429].includes(answer.status) ? 'again' : 'refused';
  } catch {
    return 'again';
  }
}

function notSent({ uploadUrlExpiresAt }: Slot, why: string): ToolError {
  return new ToolError({
    code: 'file_not_sent',
    message: `The upload is paid, but its bytes did not arrive: ${why}. Until ${uploadUrlExpiresAt} the same call with the same file sends them again and is not charged.`,
    payment: 'kept',
    retry: 'same_request',
  });
}

function lapsed({ uploadUrlExpiresAt }: Slot): ToolError {
  return new ToolError({
    code: 'slot_lapsed',
    message: `An earlier call with this file was charged, but its bytes never arrived, and its slot ended at ${uploadUrlExpiresAt}. Nothing more was charged now. Calling again buys a new slot.`,
    payment: 'kept',
    retry: 'pay',
  });
}
