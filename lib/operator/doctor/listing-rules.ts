import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar';
import { Challenge } from 'mppx';
import { validate as validateForMpp } from 'mppx/discovery';
import { z } from 'zod';
import type { Published } from './published';

/** Why a catalog would not list the service, by a rule that its source states. */
export interface Obstacle {
  readonly message: string;
  readonly advice: string;
  readonly source: string;
}

/** A catalog, the rules by which it lists services, and how a service gets into it. */
export interface Catalog {
  readonly name: string;
  readonly howTo: string;
  /** Where it says that it reads https addresses only. */
  readonly httpsOnly: string;
  /** All others. */
  readonly obstacles: (published: Published) => readonly Obstacle[];
}

const cdpValidation = 'https://docs.cdp.coinbase.com/x402/validate-endpoint';
const bazaarSpec = 'https://github.com/x402-foundation/x402/blob/main/specs/extensions/bazaar.md';
const scanDiscovery = 'https://github.com/Merit-Systems/x402scan/blob/main/docs/DISCOVERY.md';
const scanNetworks = 'https://github.com/Merit-Systems/x402scan/blob/main/apps/scan/src/types/chain.ts';
const mppDiscovery = 'https://paymentauth.org/draft-payment-discovery-00';
const mppCore = 'https://paymentauth.org/draft-httpauth-payment-00';
const registryFormat =
  'https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/official-registry-requirements.md';
const registryRemotes =
  'https://github.com/modelcontextprotocol/registry/blob/main/docs/modelcontextprotocol-io/remote-servers.mdx';

const ours = 'Report it: the service makes this document from its catalog.';

/** An obstacle that some calls have in common; none if no call has it. */
function ofCalls(bad: readonly { call: string }[], what: string, advice: string, source: string): Obstacle[] {
  if (bad.length === 0) return [];
  const names = [...new Set(bad.map(({ call }) => call))];
  const shown = names.slice(0, 3).join(', ');
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return [{ message: `${shown}${more}: ${what}`, advice, source }];
}

/** An obstacle, if it is one. */
function found(isFound: boolean, message: string, advice: string, source: string): Obstacle[] {
  return isFound ? [{ message, advice, source }] : [];
}

const advice402 = 'See what a proxy answers there, and /health/ready for networks that are not offered.';
const withoutTerms = ({ status, terms }: Published['x402'][number]) =>
  status !== 402 || !PaymentRequiredV2Schema.safeParse(terms).success;

/** The parts of a 402 that catalogs read, of those that have the official shape. */
const catalogTerms = z.looseObject({
  resource: z.looseObject({
    url: z.string(),
    description: z.string().default(''),
  }),
  accepts: z.array(z.looseObject({ network: z.string(), amount: z.string() })),
  extensions: z.looseObject({ bazaar: z.record(z.string(), z.unknown()).optional() }).default({}),
});

function listable(published: Published) {
  return published.x402.flatMap((answer) => {
    const terms = withoutTerms(answer) ? undefined : catalogTerms.safeParse(answer.terms).data;
    return terms ? [{ ...answer, terms }] : [];
  });
}

/** By the official validators. They know no formats of JSON Schema, and would print that they skip them. */
function isValidBazaar(bazaar: Record<string, unknown> | undefined): boolean {
  if (!bazaar || !validateDiscoveryExtensionSpec(bazaar).valid) return false;
  const isFormat = (key: string, value: unknown) => key === 'format' && typeof value === 'string';
  const schema = JSON.stringify(bazaar.schema ?? null, (key, value) =>
    isFormat(key, value) ? undefined : value,
  );
  const checked = { ...bazaar, schema: JSON.parse(schema) };
  return validateDiscoveryExtension(checked as unknown as Parameters<typeof validateDiscoveryExtension>[0])
    .valid;
}

/** Longer descriptions make Coinbase refuse the payment that would list the call. */
const descriptionMax = 500;

function bazaarObstacles(published: Published): Obstacle[] {
  const calls = listable(published).map((call) => ({ ...call, ...call.terms.resource, calledUrl: call.url }));
  return [
    ...ofCalls(
      published.x402.filter(withoutTerms),
      'an unsigned request gets no x402 402',
      advice402,
      cdpValidation,
    ),
    ...ofCalls(
      calls.filter(({ terms }) => !isValidBazaar(terms.extensions.bazaar)),
      'the bazaar extension is missing or not valid',
      ours,
      bazaarSpec,
    ),
    ...ofCalls(
      calls.filter(({ url, calledUrl }) => url !== calledUrl),
      'the 402 names another URL than the one that was called',
      'Set PUBLIC_URL to the address under which callers reach the service.',
      bazaarSpec,
    ),
    ...ofCalls(
      calls.filter(({ description }) => description.length > descriptionMax),
      `the description has more than ${descriptionMax} characters`,
      ours,
      'https://github.com/x402-foundation/x402/issues/2789',
    ),
  ];
}

const price = z.discriminatedUnion('mode', [
  z.looseObject({ mode: z.literal('fixed'), currency: z.literal('USD'), amount: z.string() }),
  z.looseObject({ mode: z.literal('dynamic'), currency: z.literal('USD'), min: z.string(), max: z.string() }),
]);
const described = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string().min(1), version: z.string().min(1) }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const paidOperation = z.looseObject({
  'x-payment-info': z.looseObject({ price, protocols: z.array(z.record(z.string(), z.unknown())).min(1) }),
  responses: z.looseObject({ 402: z.unknown().refine((one) => one !== undefined) }),
  security: z.array(z.unknown()),
});

/** Operations that name a payment, but not as x402scan reads it. */
function badOperations({ paths }: z.infer<typeof described>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const isPaid = z.looseObject({ 'x-payment-info': z.unknown() }).safeParse(operation).data?.[
        'x-payment-info'
      ];
      if (isPaid === undefined || paidOperation.safeParse(operation).success) return [];
      return [{ call: `${method.toUpperCase()} ${path}` }];
    }),
  );
}

/** Base and Solana, as x402scan lists them. */
const scanned = /^(eip155:8453|solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp)$/;
const withInputSchema = z.looseObject({
  schema: z.looseObject({
    properties: z.looseObject({
      input: z.looseObject({
        properties: z
          .looseObject({ body: z.unknown().optional(), queryParams: z.unknown().optional() })
          .refine(({ body, queryParams }) => body !== undefined || queryParams !== undefined),
      }),
    }),
  }),
});

function scanObstacles(published: Published): Obstacle[] {
  const document = described.safeParse(published.openApi.document).data;
  const calls = listable(published);
  return [
    ...found(!document, '/openapi.json has no title, version or paths', ours, scanDiscovery),
    ...ofCalls(
      document ? badOperations(document) : [],
      'the operation lacks a price in USD, protocols, security or its 402',
      ours,
      scanDiscovery,
    ),
    ...ofCalls(
      published.x402.filter(withoutTerms),
      'an unsigned request gets no x402 402',
      advice402,
      scanDiscovery,
    ),
    ...ofCalls(
      calls.filter(({ terms }) => !terms.accepts.every(({ amount }) => /^\d+$/.test(amount))),
      'an amount is not a whole number of atomic units',
      ours,
      scanDiscovery,
    ),
    ...ofCalls(
      calls.filter(({ terms }) => !withInputSchema.safeParse(terms.extensions.bazaar).success),
      'the 402 has no schema of the input',
      ours,
      scanDiscovery,
    ),
    ...ofCalls(
      calls.filter(({ terms }) => !terms.accepts.some(({ network }) => scanned.test(network))),
      'it can be paid neither on Base nor on Solana',
      'Offer one of the two main networks (BASE_RPC_URL, SOLANA_RPC_URL).',
      scanNetworks,
    ),
  ];
}

/** What registries are told to stop reading at. */
const openApiBytesMax = 64 * 1024;

function mppObstacles(published: Published): Obstacle[] {
  const { document, bytes, mediaType } = published.openApi;
  const { hostname } = new URL(published.publicUrl);
  const errors = validateForMpp(document as object).filter(({ severity }) => severity === 'error');
  const realmsOf = (challenges: string) => {
    try {
      return Challenge.deserializeList(challenges).map(({ realm }) => realm);
    } catch {
      return [];
    }
  };
  const unread = published.mpp.filter(
    ({ status, challenges }) => status !== 402 || realmsOf(challenges).length === 0,
  );
  return [
    ...errors
      .slice(0, 1)
      .flatMap(({ path, message }) => found(true, `/openapi.json: ${path}: ${message}`, ours, mppDiscovery)),
    ...found(
      !mediaType.startsWith('application/json'),
      `/openapi.json arrives as ${mediaType}`,
      'Let the proxy keep its Content-Type.',
      mppDiscovery,
    ),
    ...found(
      bytes > openApiBytesMax,
      `/openapi.json has ${Math.ceil(bytes / 1024)} KB on the way, and registries stop at 64`,
      'Let the proxy pass on compressed responses, and Accept-Encoding to the server.',
      mppDiscovery,
    ),
    ...found(published.mpp.length === 0, 'no call is paid over MPP', 'Offer an EVM network.', mppDiscovery),
    ...ofCalls(unread, 'an unsigned request gets no 402 with a Payment challenge', advice402, mppCore),
    ...ofCalls(
      published.mpp.filter(
        ({ challenges }) => !realmsOf(challenges).every((realm) => isRealmOf(realm, hostname)),
      ),
      `the realm is not ${hostname} or a domain above it`,
      'Remove MPP_REALM, or set it to the domain of PUBLIC_URL.',
      'https://github.com/wevm/mppx',
    ),
  ];
}

const isRealmOf = (realm: string, hostname: string) => hostname === realm || hostname.endsWith(`.${realm}`);

const registryEntry = z.looseObject({
  $schema: z.url(),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100).optional(),
  description: z.string().min(1).max(100),
  // A range is refused.
  version: z
    .string()
    .max(255)
    .regex(/^[^^~<>=*x ]+$/),
  remotes: z.array(z.looseObject({ type: z.enum(['streamable-http', 'sse']), url: z.url() })).min(1),
});

function registryObstacles(published: Published): Obstacle[] {
  const { hostname } = new URL(published.publicUrl);
  const parsed = registryEntry.safeParse(published.mcpServer);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `/.well-known/mcp-server.json: ${issue?.path.join('.')} is missing or not allowed`;
    return [{ message, advice: ours, source: registryFormat }];
  }
  const { name, remotes } = parsed.data;
  const reversed = hostname.split('.').reverse().join('.');
  return [
    ...found(
      !name.startsWith(`${reversed}/`),
      `the name ${name} does not begin with the reversed host ${reversed}, whose owner may publish it`,
      ours,
      registryFormat,
    ),
    ...found(
      !remotes.every(({ url }) => url.startsWith(`${published.publicUrl}/`)),
      'a remote is not at PUBLIC_URL',
      ours,
      registryRemotes,
    ),
  ];
}

export const bazaar: Catalog = {
  name: 'Bazaar',
  howTo: 'it lists each call after a payment for it that Coinbase settles',
  httpsOnly: cdpValidation,
  obstacles: bazaarObstacles,
};

/** Every catalog that doctor knows. */
export const catalogs: readonly Catalog[] = [
  bazaar,
  {
    name: 'x402scan',
    howTo: 'register the address at https://www.x402scan.com/resources/register',
    httpsOnly: scanDiscovery,
    obstacles: scanObstacles,
  },
  {
    name: 'MPP directory',
    howTo:
      'register the address at https://www.mppscan.com/register; https://mpp.dev/services takes suggestions',
    httpsOnly: mppDiscovery,
    obstacles: mppObstacles,
  },
  {
    name: 'MCP registry',
    howTo:
      'publish /.well-known/mcp-server.json with mcp-publisher, without its packages, which have to be in a public package registry there',
    httpsOnly: registryRemotes,
    obstacles: registryObstacles,
  },
];
