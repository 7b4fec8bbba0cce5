type WithHeaders = { readonly headers: Pick<Headers, 'get'> };

/** The token in `Authorization: Bearer` (RFC 6750), up to 200 characters; null without one. */
export function bearerTokenOf({ headers }: WithHeaders): string | null {
  return /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
}
