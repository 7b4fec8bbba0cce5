import { payingFetch, type Wallet } from './buyer';
import { aFile } from './files';
import { stack, type TestNetwork } from './stack';

export const uploadsUrl = () => `${stack().apiUrl}/v1/uploads`;

/** The fields of an upload slot. */
export interface Slot {
  id: string;
  uploadUrl: string;
  uploadMethod: string;
  uploadHeaders: Record<string, string>;
  publicUrl: string;
  expiresAt: string;
  uploadUrlExpiresAt: string;
  maxSize: number;
  tags: string[];
}

/** Buys a slot with the official client. */
export async function buySlot(wallet: Wallet, on: TestNetwork['name'], file = aFile()): Promise<Slot> {
  const answer = await payingFetch(wallet, on)(uploadsUrl(), { method: 'POST', body: file.body });
  if (answer.status !== 200)
    throw new Error(`the slot was not sold: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Buys a slot with the official client, and sends its file. */
export async function buyFile(wallet: Wallet, on: TestNetwork['name']): Promise<Slot> {
  const file = aFile();
  const slot = await buySlot(wallet, on, file);
  const put = await putFile(slot, file.bytes);
  if (!put.ok) throw new Error(`the file was not taken: ${put.status} ${await put.text()}`);
  return slot;
}

/** Sends a file to its slot. */
export function putFile(slot: Slot, bytes: Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(slot.uploadUrl, { method: 'PUT', headers: slot.uploadHeaders, body: bytes });
}
