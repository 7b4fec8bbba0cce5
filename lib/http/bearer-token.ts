import { isSameSecret } from '@/lib/platform/same-secret';

/** Whether a request's `Authorization` header is `Bearer` and this token. */
export function hasBearerToken(request: { headers: Pick<Headers, 'get'> }, token: string): boolean {
  return isSameSecret(request.headers.get('authorization') ?? '', `Bearer ${token}`);
}
