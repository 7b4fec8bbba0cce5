import type { OperatorDetails } from '@/lib/platform/public-operator';

/** Where the pages about the operator and the rules of the service are. */
export const legalPaths = ['/terms', '/privacy', '/contact', '/abuse'] as const;

/** Where the terms are, for documents; null if the operator has neither a name to agree with nor terms of their own. */
export function termsUrl(publicUrl: string, operator: OperatorDetails): string | null {
  return operator.termsUrl ?? (operator.name === null ? null : `${publicUrl}/terms`);
}
