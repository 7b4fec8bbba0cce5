import { z } from 'zod';
import type { CallService } from '@/lib/calls/call-service';
import { WorkBudget } from '@/lib/calls/work-budget';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { noParams, type Operation } from '@/lib/catalog/operation';
import { jsonSchema } from '@/lib/discovery/openapi/json-schema';
import type { Sale } from './types';

/** What is sold, with the functions of its service. */
export interface Sold {
  readonly operation: Operation;
  readonly service: CallService;
  /** What buyers are told when `run` fails for good, by reason. */
  readonly failures: Readonly<Record<string, string>>;
}

/** A sale without its functions. */
type Terms = Omit<Sale<z.ZodObject, z.ZodType, string, string, unknown>, 'prepare' | 'run'>;

const schema = z.object({
  id: z.string().regex(/^[a-z0-9]+([.-][a-z0-9]+)*$/, 'must be lower-case words, such as words.count'),
  path: z.string().regex(/^(\/[\w.~{}-]+)+$/, 'must begin with a slash'),
  mppPath: z
    .string()
    .regex(/^(\/[\w.~{}-]+)+$/, 'must begin with a slash')
    .nullish(),
  price: z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'must be decimal USDC, such as 0.001'),
  summary: z.string().max(500),
});

/**
 * An operation and its service, from what a paywall sells.
 * @throws Error when an entry is malformed
 */
export function openSale<
  In extends z.ZodObject,
  Out extends z.ZodType,
  Refusal extends string,
  Failure extends string,
  Prepared,
>(sale: Sale<In, Out, Refusal, Failure, Prepared>): Sold {
  const checked = schema.safeParse(sale);
  if (checked.error) throw new Error(`${sale.id} cannot be sold: ${z.prettifyError(checked.error)}`);
  const operation = operationOf(sale);
  refuseUnfitSchemas(sale);
  const failures: Readonly<Record<string, string>> = sale.failures ?? {};
  // The operation's schemas parsed it before it was stored.
  const parsed = (input: unknown) => input as z.output<In>;
  const service: CallService = {
    operation,
    check: undefined,
    isPrepared: sale.prepare !== undefined,
    callsThirdParty: sale.callsThirdParty === true,
    budget: unlimited,
    isAvailable: () => true,
    warnings: () => [],
    admit: async () => undefined,
    prepare: async (input, { payer, onlyOn, paidCallId }) => {
      const refuse = (reason: Refusal) =>
        new ApiError('invalid_input', { reason, message: sale.refusals?.[reason] });
      return (await sale.prepare?.(parsed(input), { payer, onlyOn, paidCallId, refuse })) ?? null;
    },
    discard: async () => undefined,
    deliver: (input, { payer, onlyOn, paidCallId, transactionHash, prepared }) => {
      const fail = (reason: Failure) =>
        new ApiError('upstream_failed', { paidCallId, reason, message: failures[reason] });
      const call = { payer, onlyOn, paidCallId, transactionHash, fail };
      // What `prepare` returned, as JSON keeps it; null without `prepare`.
      return sale.run(parsed(input), { ...call, prepared: prepared as Prepared });
    },
  };
  return { operation, service, failures };
}

function operationOf(sale: Terms): Operation {
  const { id, path, mppPath = `/mpp${path}`, method = 'POST', price, title, summary, output } = sale;
  const { params, body } = partsOf(sale);
  const takesBody = method === 'POST';
  if (!takesBody && Object.keys(body.shape).length > 0)
    throw new Error(`${id} cannot be sold: a ${method} has no body, so its input must be in the path`);
  const exampleOf = ({ shape }: z.ZodObject) =>
    Object.fromEntries(Object.entries(sale.example.input).filter(([name]) => Object.hasOwn(shape, name)));
  return {
    id,
    category: 'service',
    priceName: id,
    method,
    paths: { x402: path, ...(mppPath === null ? {} : { mpp: mppPath }) },
    price,
    title,
    summary,
    params,
    body,
    takesBody,
    bodyBytesMax: sale.bodyBytesMax,
    output,
    refusals: sale.refusals,
    errors: ['upstream_failed'],
    example: { params: exampleOf(params), body: exampleOf(body), output: sale.example.output },
  };
}

/** Challenges and documents describe the schemas, and show the example. */
function refuseUnfitSchemas({ id, input, output, example }: Terms): void {
  for (const [name, schema, io, value] of [
    ['input', input, 'input', example.input],
    ['output', output, 'output', example.output],
  ] as const) {
    try {
      jsonSchema(schema, io);
    } catch (cause) {
      throw new Error(`${id} cannot be sold: its ${name} has no JSON Schema`, { cause });
    }
    const { error } = schema.safeParse(value);
    if (error) throw new Error(`${id} cannot be sold: example.${name}: ${z.prettifyError(error)}`);
  }
}

/** The schemas of the path and of the body. */
function partsOf({ id, path, input }: Terms): { readonly params: z.ZodObject; readonly body: z.ZodObject } {
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  if (inPath.size === 0) return { params: noParams, body: input };
  const missing = [...inPath].filter((name) => !Object.hasOwn(input.shape, name));
  if (missing.length > 0) throw new Error(`${id} cannot be sold: its input has no ${missing.join(', ')}`);
  const only = (isWanted: (name: string) => boolean) =>
    z.strictObject(Object.fromEntries(Object.entries(input.shape).filter(([name]) => isWanted(name))));
  return { params: only((name) => inPath.has(name)), body: only((name) => !inPath.has(name)) };
}

/** Nothing counts what is prepared without a charge. */
const unlimited = new WorkBudget({
  record: {
    history: async () => ({ wasCharged: false, work: new Map() }),
    add: async () => undefined,
    hashAddress: async (address) => address,
  },
  factor: 0,
  kind: () => null,
  problems: { reportRequest: () => undefined },
});
