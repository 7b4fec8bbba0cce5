import type { z } from 'zod';
import type { formResponses } from '@/lib/catalog/adapter-tools';
import * as forms from '@/lib/catalog/forms';
import { fillPath } from '@/packages/client/calls/call';
import { callForFree } from '@/packages/client/calls/free-call';
import type { Run } from './tool';

/** Needs the form's read token instead of an account. The request may wait for the next response. */
export const runFormResponses: Run<z.output<typeof formResponses.input>> = async (
  adapter,
  { id, readToken, wait, cursor, limit },
  signal,
) => {
  const { method, path } = forms.responses;
  const query = new URLSearchParams({ cursor, limit: String(limit), wait: String(wait) });
  const request = { method, path: `${fillPath(path, { id })}?${query}`, token: readToken };
  return { output: await callForFree(adapter, request, signal, wait * 1_000) };
};
