import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

/** What OTLP 1.x sends over HTTP as JSON (opentelemetry-proto, docs/specification.md, "JSON Protobuf Encoding"): ids in hex, enums as numbers. */
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.union([z.string(), z.number()]) }),
  z.strictObject({ boolValue: z.boolean() }),
]);
const attributes = z
  .array(z.strictObject({ key: z.string(), value }))
  .transform((all) => Object.fromEntries(all.map((one) => [one.key, Object.values(one.value)[0]])));
const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
const nanoseconds = z.string().regex(/^\d+$/).transform(BigInt);
const count = z.number().optional();
const span = z.strictObject({
  traceId: hex(16),
  spanId: hex(8),
  traceState: z.string().optional(),
  parentSpanId: hex(8).optional(),
  flags: z.number().optional(),
  name: z.string(),
  /** 1 internal, 2 server, 3 client. */
  kind: z.number(),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  droppedAttributesCount: count,
  events: z.array(z.unknown()).length(0),
  droppedEventsCount: count,
  links: z.array(z.unknown()).length(0),
  droppedLinksCount: count,
  status: z.strictObject({ code: z.number(), message: z.string().optional() }),
});
const request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes, droppedAttributesCount: count }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(span),
          schemaUrl: z.string().optional(),
        }),
      ),
      schemaUrl: z.string().optional(),
    }),
  ),
});

/** A span as a collector got it, with what it says about the service. */
export type CollectedSpan = z.output<typeof span> & { readonly resource: Record<string, unknown> };

/** A server that takes traces as a collector does. */
export interface OtlpCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** The bodies as they came. */
  text(): string;
  /** The headers of the last request. */
  headers(): Readonly<Record<string, unknown>>;
  /** Answers this way from now on: takes traces, or holds every request open. */
  behave(how: 'take' | 'hang'): void;
  close(): Promise<void>;
}

export async function startCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  let headers: Readonly<Record<string, unknown>> = {};
  let behavior: 'take' | 'hang' = 'take';
  const server = createServer(async (req, res) => {
    headers = req.headers;
    if (behavior === 'hang') return;
    if (req.method !== 'POST' || req.url !== '/v1/traces') return void res.writeHead(404).end();
    const body = await json(req);
    bodies.push(JSON.stringify(body));
    for (const { resource, scopeSpans } of request.parse(body).resourceSpans)
      for (const scope of scopeSpans)
        spans.push(...scope.spans.map((one) => ({ ...one, resource: resource.attributes })));
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    text: () => bodies.join('\n'),
    headers: () => headers,
    behave: (how) => {
      behavior = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
