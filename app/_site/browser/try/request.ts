import type { CallRequest } from '@/app/_wallets/request';
import { Stopped } from '@/app/_wallets/stopped';
import { tryIds as ids, type TryState } from '../../reference/try/state';

/**
 * The request that the form describes.
 * @throws Stopped with the field that has to be corrected
 */
export function readRequest(form: HTMLFormElement, { method, path, takesBody }: TryState): CallRequest {
  const values = new FormData(form);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values.get(name) ?? '').trim();
    if (value === '') throw new Stopped(`Enter ${name}.`, 'Nothing was sent');
    return encodeURIComponent(value);
  });
  return { method, path: filled, body: takesBody ? readBody(form) : null };
}

function readBody(form: HTMLFormElement): string {
  const text = form.querySelector<HTMLTextAreaElement>(`#${ids.body}`)?.value ?? '';
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new Stopped(`The body must be valid JSON. ${why}`, 'Nothing was sent');
  }
}
