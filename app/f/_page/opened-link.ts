import { currentApp } from '@/lib/app/current';
import { formPath, type HostedForm } from '@/lib/services/forms/form';
import { type FormLink, linkedPath, linkParameter, openLink } from '@/lib/services/forms/links/seal-link';
import type { FormState } from './form-view';

/** A link as it was opened, with the token that it has in its address. */
export type OpenedLink = FormLink & { readonly token?: string };

/** The link that a page was opened with: an empty one for the form's own address, null for one that is broken. */
export function linkOf(form: Pick<HostedForm, 'id'>, request: Request): OpenedLink | null {
  const token = new URL(request.url).searchParams.get(linkParameter);
  if (token === null) return {};
  const link = openLink(currentApp(), form.id, token);
  return link && { ...link, token };
}

/** What every page that was opened with a link keeps of it. */
export function pageOf(
  form: Pick<HostedForm, 'id'>,
  { recipient, token }: OpenedLink,
): Pick<FormState, 'recipient' | 'action'> {
  const action = token === undefined ? formPath(form.id) : linkedPath(form.id, token);
  return { action, ...(recipient === undefined ? {} : { recipient }) };
}
