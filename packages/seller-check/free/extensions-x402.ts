import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar';
import { z } from 'zod';
import type { Finding, SellerCase } from '../case';
import { fail, notApplicable, overX402, pass, unlessWrong } from './findings';
import { documents } from './rules';
import type { UnpaidSeller, X402Challenge } from './seller';

const { x402, bazaar } = documents;

const extension = z.looseObject({
  info: z.record(z.string(), z.unknown()),
  schema: z.record(z.string(), z.unknown()),
});

const discovery = z.looseObject({
  info: z.looseObject({
    input: z.looseObject({ type: z.unknown().optional(), method: z.unknown().optional() }),
  }),
});

/** Checks the description of the call for catalogs. */
const withBazaar = (
  check: (
    declared: Record<string, unknown>,
    challenge: X402Challenge,
    seller: UnpaidSeller,
  ) => Finding | Promise<Finding>,
) =>
  overX402((challenge, seller) => {
    const { data } = z.record(z.string(), z.unknown()).safeParse(challenge.required.extensions?.bazaar);
    return data
      ? check(data, challenge, seller)
      : notApplicable('The challenge does not describe the call for catalogs.');
  });

/** The official validator knows no formats of JSON Schema, and would print that it skips them. */
function withoutFormats(schema: unknown): unknown {
  const isFormat = (key: string, value: unknown) => key === 'format' && typeof value === 'string';
  return JSON.parse(
    JSON.stringify(schema ?? null, (key, value: unknown) => (isFormat(key, value) ? undefined : value)),
  );
}

/** Extensions of the challenge of x402. */
export const x402ExtensionCases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'extension.shape',
    title: 'Every extension has info and a schema of it',
    rule: x402(
      '5.1.2 Field Descriptions',
      '',
      'each key is an extension identifier and each value follows a standardized structure: info, schema: Required',
      'must',
    ),
    check: overX402(({ required: { extensions }, answer }) => {
      const names = Object.keys(extensions ?? {});
      if (names.length === 0) return notApplicable('The challenge has no extension.');
      const wrong = names.filter((name) => !extension.safeParse(extensions?.[name]).success);
      return unlessWrong(
        wrong.map((name) => `${name} lacks info or schema.`),
        answer,
      );
    }),
  },
  {
    id: 'bazaar.input',
    title: 'The description for catalogs has an input that the official validator accepts',
    rule: bazaar(
      'Input Types',
      'input-types',
      'The info.input object describes how to call the endpoint or tool. type: Yes: Always "http"',
      'must',
    ),
    check: withBazaar((declared, { answer }) => {
      const { valid, errors = [] } = validateDiscoveryExtensionSpec(declared);
      return valid ? pass : fail(errors.join('. '), answer);
    }),
  },
  {
    id: 'bazaar.schema',
    title: 'The schema of the description for catalogs defines its input',
    rule: bazaar(
      'Schema Validation',
      'schema-validation',
      'Must define an input property (required)',
      'must',
    ),
    check: withBazaar((declared, { answer }) => {
      const { success } = z
        .looseObject({ properties: z.looseObject({ input: z.looseObject({}) }) })
        .safeParse(declared.schema);
      return success ? pass : fail('Its schema does not define the input.', answer);
    }),
  },
  {
    id: 'bazaar.info-valid',
    title: 'The description for catalogs is valid by its own schema',
    rule: bazaar(
      'Schema Validation',
      'schema-validation',
      'Facilitators must validate info against schema before cataloging.',
      'must',
    ),
    check: withBazaar((declared, { answer }) => {
      const checked = { ...declared, schema: withoutFormats(declared.schema) };
      const { valid, errors = [] } = validateDiscoveryExtension(
        // The function judges whatever it is given; its type is that of what is right.
        checked as unknown as Parameters<typeof validateDiscoveryExtension>[0],
      );
      return valid ? pass : fail(errors.join('. '), answer);
    }),
  },
  {
    id: 'bazaar.method',
    title: 'The description for catalogs names the method of the call',
    rule: bazaar(
      'Input Types',
      'input-types',
      'The info.input object describes how to call the endpoint or tool. method: Yes',
      'must',
    ),
    check: withBazaar((declared, { answer }, { call }) => {
      const { input } = discovery.safeParse(declared).data?.info ?? {};
      if (input?.type !== 'http') return notApplicable('It describes no HTTP call.');
      return input.method === call.method ? pass : fail(`It names ${String(input.method)}.`, answer);
    }),
  },
  {
    id: 'bazaar.route-template',
    title: 'The route template is a path without detours',
    rule: bazaar(
      'routeTemplate Validation Rules',
      'routetemplate-validation-rules',
      'Must match ^/[a-zA-Z0-9_/:.\\-~%]+$',
      'must',
    ),
    check: withBazaar((declared, { answer }) => {
      const template = declared.routeTemplate;
      if (template === undefined) return notApplicable('The route has no template.');
      const isRight =
        typeof template === 'string' &&
        /^\/[a-zA-Z0-9_/:.\-~%]+$/.test(template) &&
        !template.includes('..') &&
        !template.includes('://');
      return isRight ? pass : fail(`routeTemplate is ${JSON.stringify(template)}.`, answer);
    }),
  },
];
