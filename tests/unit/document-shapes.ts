import { z } from 'zod';

/**
 * What the authors of each document format require, as far as our documents use it. Members that are not named here appear in
 * none of our documents, so readers that reject unknown members reject nothing.
 */

const url = z.url({ protocol: /^https$/ });
const words = z.string().min(5);

/** The type of a link in APIs.json comes from a closed list; these are the ones that we use. */
const apisJsonLink = z.strictObject({
  type: z.enum([
    'APICatalog',
    'APIReference',
    'AgenticAccess',
    'Documentation',
    'ErrorCodes',
    'Idempotency',
    'LLMsTxt',
    'MCPServer',
    'OpenAPI',
    'Pricing',
    'StatusPage',
    'WellKnown',
  ]),
  url,
});

/** The domain that answers for the document, and a name on it. */
const aid = z.string().regex(/^api\.example\.com:[a-z-]+$/);
const tags = z.array(z.string().min(1)).min(1);
const dates = { created: z.iso.date(), modified: z.iso.date() };

/** APIs.json 0.23 (apisjson.org). */
const apisJson = z.strictObject({
  aid,
  name: z.string().min(3).max(50),
  description: words.max(1000),
  image: url,
  url,
  type: z.literal('Index'),
  position: z.literal('Producing'),
  access: z.literal('3rd-Party'),
  visibility: z.literal('Public'),
  tags,
  ...dates,
  specificationVersion: z.literal('0.23'),
  apis: z
    .array(
      z.strictObject({
        aid,
        name: z.string().min(2),
        description: words,
        image: url,
        baseURL: url,
        humanURL: url,
        tags,
        ...dates,
        properties: z.array(apisJsonLink).min(1),
      }),
    )
    .min(1),
  common: z.array(apisJsonLink),
  // The text of the specification says `fn`, its schema `FN`.
  maintainers: z.array(z.strictObject({ FN: z.string().min(1), url })).min(1),
});

/** An exact version: no range, no tag such as `latest`. */
const fixedVersion = z.string().regex(/^\d+\.\d+\.\d+$/);

/** The MCP registry's server.json of 2025-12-11 (github.com/modelcontextprotocol/registry, docs/reference/server-json). */
const mcpServer = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: fixedVersion,
  websiteUrl: url,
  remotes: z.array(z.strictObject({ type: z.literal('streamable-http'), url })).length(1),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: url,
        fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
        runtimeHint: z.literal('npx'),
        runtimeArguments: z.array(
          z.strictObject({ type: z.literal('positional'), value: z.string().min(1) }),
        ),
        transport: z.strictObject({ type: z.literal('stdio') }),
        environmentVariables: z.array(
          z.strictObject({
            name: z.string().regex(/^[A-Z_]+$/),
            description: words,
            format: z.enum(['string', 'number', 'boolean', 'filepath']),
            isRequired: z.boolean(),
            isSecret: z.boolean(),
            default: z.string().optional(),
            choices: z.array(z.string().min(1)).optional(),
          }),
        ),
      }),
    )
    .length(1),
});

/** The services of the MPP registry (github.com/tempoxyz/mpp, schemas/discovery.schema.json), which allows no other members. */
const mppServices = z.strictObject({
  version: z.literal(1),
  services: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[a-z0-9-]+$/),
        name: z.string().min(1),
        serviceUrl: url,
        description: words,
        integration: z.literal('first-party'),
        status: z.literal('active'),
        docs: z.strictObject({ homepage: url, llmsTxt: url, openapi: url, apiReference: url }),
        methods: z.strictObject({
          evm: z.strictObject({
            intents: z.tuple([z.literal('charge')]),
            assets: z.array(z.string().regex(/^0x[0-9a-fA-F]{40}$/)).length(3),
          }),
        }),
        endpoints: z.array(
          z.strictObject({
            method: z.enum(['GET', 'POST', 'DELETE']),
            path: z.string().regex(/^\/[a-z0-9/:-]+$/),
            description: words,
            payment: z
              .strictObject({
                intent: z.literal('charge'),
                method: z.literal('evm'),
                amount: z.string().regex(/^[1-9]\d*$/),
                currency: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
                decimals: z.literal(6),
                unitType: z.literal('request'),
                description: words,
              })
              .nullable(),
          }),
        ),
      }),
    )
    .length(1),
});

/** An MCP server card (github.com/modelcontextprotocol/experimental-ext-server-card, schema.json), as SEP-2127 has it. */
const serverCard = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: fixedVersion,
  websiteUrl: url,
  remotes: z
    .array(
      z.strictObject({
        type: z.literal('streamable-http'),
        url,
        supportedProtocolVersions: z.array(z.iso.date()).min(1),
      }),
    )
    .length(1),
});

/** `urn:air:{publisher}:{namespace}:{name}` */
const identifier = z.string().regex(/^urn:air:api\.example\.com:[a-z0-9]+:[a-z0-9-]+$/);
/**
 * An AI catalog 1.0 (github.com/Agent-Card/ai-catalog, specification/ai-catalog.md), with the names that Agentic Resource
 * Discovery requires (agenticresourcediscovery.org). Each identifier is used once.
 */
const aiCatalog = z.strictObject({
  specVersion: z.literal('1.0'),
  host: z.strictObject({
    displayName: z.string().min(1),
    identifier: z.literal('api.example.com'),
    documentationUrl: url,
    logoUrl: url,
  }),
  entries: z
    .array(
      z.strictObject({
        identifier,
        displayName: z.string().min(1),
        description: words.optional(),
        type: z.string().regex(/^[a-z]+\/[a-z0-9.+-]+(; ?[a-z]+="?[^"]+"?)*$/),
        url,
      }),
    )
    .min(2)
    .refine((entries) => new Set(entries.map((entry) => entry.identifier)).size === entries.length),
});

/** A linkset (RFC 9264 section 4.2) that is an API catalog (RFC 9727): every relation is a list of targets. */
const linkset = z.strictObject({
  linkset: z
    .array(
      z
        .object({ anchor: url })
        .catchall(
          z
            .array(
              z.strictObject({ href: url, type: z.string().optional(), title: z.string().min(1).optional() }),
            )
            .min(1),
        )
        .refine((context) => Object.keys(context).length > 1, 'a context without links'),
    )
    .min(1),
});

/** The shapes by the path of the document. */
export const documentShapes = {
  '/apis.json': apisJson,
  '/.well-known/mcp-server.json': mcpServer,
  '/.well-known/mpp.json': mppServices,
  '/.well-known/api-catalog': linkset,
  '/.well-known/ai-catalog.json': aiCatalog,
  '/mcp/server-card': serverCard,
} as const;
