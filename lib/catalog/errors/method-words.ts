/**
 * What a 405 says: which method to use instead.
 * @param allow the value of `Allow`
 */
export function methodWords(allow: string): string {
  const methods = allow.split(', ').filter((method) => method !== 'OPTIONS');
  return `Use ${methods.join(' or ') || allow} for this URL. Nothing was charged.`;
}
