import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConfidential } from '../settings';
import { ToolError } from '../tool-error';
import type { FileSource } from './source';

/** A paid upload slot. */
export interface Slot {
  readonly id: string;
  readonly uploadUrl: string;
  readonly uploadHeaders: Readonly<Record<string, string>>;
  readonly publicUrl: string;
  readonly uploadUrlExpiresAt: string;
}

const attempts = 5;
const pauseMs = 400;
/** The longest wait before a retry, even if the service asks for more. */
const retryAfterMaxSeconds = 10;
/** Enough for 10 MiB over a slow connection. */
const attemptMs = 300_000;

/**
 * PUTs the bytes into their slot. It retries if the response is lost, because a PUT can be repeated safely.
 * @throws ToolError `file_not_sent` (the same call can use the slot again) or `slot_lapsed`
 */
export async function sendFile(slot: Slot, source: FileSource, now: () => Date): Promise<void> {
  if (!isConfidential(new URL(slot.uploadUrl))) throw notSent(slot, 'the upload URL is not secure');
  for (let attempt = 1; ; attempt += 1) {
    const { outcome, retryAfterMs = 0 } = await put(slot, source);
    if (outcome === 'stored') return;
    if (Date.parse(slot.uploadUrlExpiresAt) <= now().getTime() || outcome === 'gone') throw lapsed(slot);
    if (outcome === 'refused' || attempt === attempts) {
      throw notSent(
        slot,
        outcome === 'refused' ? 'the file store rejected them' : 'the file store did not take them',
      );
    }
    await sleep(Math.max(pauseMs * attempt, retryAfterMs));
  }
}

/** Whether the public link already serves the bytes. */
export async function isStored({ publicUrl }: Slot): Promise<boolean> {
  try {
    const response = await fetch(publicUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
    return response.ok;
  } catch {
    return false;
  }
}

interface Put {
  readonly outcome: 'stored' | 'again' | 'refused' | 'gone';
  readonly retryAfterMs?: number;
}

async function put(slot: Slot, source: FileSource): Promise<Put> {
  try {
    const response = await fetch(slot.uploadUrl, {
      method: 'PUT',
      headers: { ...slot.uploadHeaders },
      body: Readable.toWeb(source.read()) as ReadableStream<Uint8Array>,
      // Undici sends a stream with a Content-Length as it is, without chunked encoding.
      duplex: 'half',
      redirect: 'manual',
      signal: AbortSignal.timeout(attemptMs),
    } as RequestInit);
    // Only the status matters, and the body may be of any length.
    await response.body?.cancel();
    if (response.ok) return { outcome: 'stored' };
    if (response.status === 410) return { outcome: 'gone' };
    // A mismatch may be a transmission error, and a busy file store may recover.
    if (response.status < 500 && ![400, 408, 429].includes(response.status)) return { outcome: 'refused' };
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    return { outcome: 'again', retryAfterMs: Math.min(seconds || 0, retryAfterMaxSeconds) * 1_000 };
  } catch {
    return { outcome: 'again' };
  }
}

function notSent({ uploadUrlExpiresAt }: Slot, why: string): ToolError {
  return new ToolError({
    code: 'file_not_sent',
    message: `The upload is paid, but its bytes did not arrive: ${why}. Make the same call again before ${uploadUrlExpiresAt} to send them; it costs nothing.`,
    payment: 'kept',
    retry: 'same_request',
  });
}

function lapsed({ uploadUrlExpiresAt }: Slot): ToolError {
  return new ToolError({
    code: 'slot_lapsed',
    message: `An earlier call with this file was charged, but its bytes never arrived, and its slot expired at ${uploadUrlExpiresAt}. Nothing was charged now. Call the tool again to buy a new slot.`,
    payment: 'kept',
    retry: 'pay',
  });
}
