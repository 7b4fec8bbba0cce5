import type { z } from 'zod';
import * as account from '@/lib/catalog/account';
import type { recent } from '@/lib/catalog/adapter-tools';
import * as uploads from '@/lib/catalog/uploads';
import { fillPath } from '@/packages/client/calls/call';
import { callForFree } from '@/packages/client/calls/free-call';
import { buy } from './paid';
import type { Run } from './tool';

export const runRenew: Run<{ id: string }> = (adapter, params, signal) =>
  buy(adapter, uploads.renew, { params }, signal);

/** A repeated deletion returns the same response, so it needs no key. */
export const runRemove: Run<{ id: string }> = async (adapter, params, signal) => {
  const { method, path } = account.deleteUpload;
  return { output: await callForFree(adapter, { method, path: fillPath(path, params) }, signal) };
};

export const runRecent: Run<z.output<typeof recent.input>> = async (adapter, { limit, cursor }, signal) => {
  const { method, path } = account.listUploads;
  const query = new URLSearchParams({ limit: String(limit), ...(cursor && { cursor }) });
  return { output: await callForFree(adapter, { method, path: `${path}?${query}` }, signal) };
};
