import { z } from 'zod';

/** What a service on test networks says about itself. Everything that says it takes the words from here. */

/** For people and agents that read documents and pages. */
export const testNotice =
  'This is a test service: it takes test USDC, which has no value, and its contents may be deleted at any time.';

/** The header of every response, and the field of documents and challenges. */
const testHeaderName = 'Testnet';
const testField = { testnet: true } as const;

/** The schema of that field in responses. */
export const testnetSchema = z
  .literal(true)
  .optional()
  .describe('Set if the service takes test USDC, which has no value.');

/** The headers that every response of a service has in addition; none on main networks. */
export function testHeaders({ NETWORKS }: { readonly NETWORKS: string }): Readonly<Record<string, string>> {
  return NETWORKS === 'test' ? { [testHeaderName]: 'true' } : {};
}

/** The field for a document or challenge of a test service; none on main networks. */
export function testFields(isTest: boolean): Partial<typeof testField> {
  return isTest ? testField : {};
}

/** A description, with the notice before it on test networks. */
export function withNotice(isTest: boolean, text: string): string {
  return isTest ? `${testNotice} ${text}` : text;
}
