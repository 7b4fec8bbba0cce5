import { z } from 'zod';
import type { CallService } from '@/lib/calls/call-service';
import { WorkBudget } from '@/lib/calls/work-budget';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { noParams, type Operation } from '@/lib/catalog/operation';
import { jsonSchema } from '@/lib/discovery/openapi/json-schema';
import type { Clock } from '@/lib/platform/clock';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { Sale } from './types';

/** What is sold, with the functions of its service. */
export interface Sold {
  readonly operation: Operation;
  readonly service: CallService;
  /** What buyers are told when `run` fails for good, by reason. */
  readonly failures: Readonly<Record<string, string>>;
}

/** Who sells. */
interface Seller {
  readonly clock: Clock;
  /** Whether anything can be paid over MPP. */
  readonly takesMpp: boolean;
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
  price: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, 'must be decimal USDC, such as 0.001')
    .refine((price) => Number(price) > 0, 'must be more than zero'),
  summary: z.string().max(500),
  bodyBytesMax: z.number().int().positive().optional(),
  timeoutSeconds: z.number().positive().max(3_600).optional(),
});

/** How long an attempt of `run` may take, unless the sale says so. */
const runSecondsMax = 60;
/** How long `prepare` may take: an accepted payment is valid for at least 30 seconds, in which it is charged too. */
const prepareSecondsMax = 20;

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
>(sale: Sale<In, Out, Refusal, Failure, Prepared>, { clock, takesMpp }: Seller): Sold {
  const checked = schema.safeParse(sale);
  if (checked.error) throw new Error(`${sale.id} cannot be sold: ${z.prettifyError(checked.error)}`);
  if (sale.mppPath && !takesMpp)
    throw new Error(
      `${sale.id} cannot be sold: mppPath needs an EVM network, the only ones that MPP is paid on`,
    );
  const operation = operationOf(takesMpp ? sale : { ...sale, mppPath: null });
  refuseUnfitPaths(sale);
  refuseUnfitSchemas(sale);
  const failures: Readonly<Record<string, string>> = sale.failures ?? {};
  // The operation's schemas parsed it before it was stored. A copy, so that every attempt gets what was stored.
  const parsed = (input: unknown) => structuredClone(input) as z.output<In>;
  const { timeoutSeconds = runSecondsMax } = sale;
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
      const { prepare } = sale;
      if (!prepare) return null;
      const seconds = Math.min(timeoutSeconds, prepareSecondsMax);
      const prepared = await within(clock, seconds, (signal) =>
        prepare(parsed(input), { payer, onlyOn, paidCallId, signal, refuse }),
      );
      // The first attempt of `run` gets what a later one reads from the store.
      return asJson(prepared ?? null);
    },
    discard: async () => undefined,
    deliver: async (input, { payer, onlyOn, paidCallId, transactionHash, prepared }) => {
      const fail = (reason: Failure) =>
        new ApiError('upstream_failed', { paidCallId, reason, message: failures[reason] });
      const call = { payer, onlyOn, paidCallId, transactionHash, fail };
      const output = await within(clock, timeoutSeconds, (signal) =>
        // What `prepare` returned; null without it.
        sale.run(parsed(input), { ...call, signal, prepared: structuredClone(prepared) as Prepared }),
      ).catch((cause: unknown) => {
        // A schema that `run` itself uses, for what another server sent, may accept the next response.
        throw cause instanceof z.ZodError ? new Error('a schema rejected something', { cause }) : cause;
      });
      // JSON cannot express it, so it would be no response.
      if (output === undefined)
        throw new z.ZodRealError([
          { code: 'custom', path: [], message: 'run returned nothing', input: output },
        ]);
      return output;
    },
  };
  return { operation, service, failures };
}

/** Waits for work, and aborts it when it takes too long. @throws Error when it does; those of the work */
async function within<T>(
  clock: Clock,
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const late = Symbol();
  const result = await inTime(clock, work(abort.signal), seconds * 1_000, late);
  if (result !== late) return result;
  const error = new Error(`it took more than ${seconds} seconds`);
  abort.abort(error);
  throw error;
}

/** @throws TypeError when JSON cannot express the value */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
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
    const { error } = checkedAtOnce(id, name, () => schema.safeParse(value));
    if (error) throw new Error(`${id} cannot be sold: example.${name}: ${z.prettifyError(error)}`);
  }
  try {
    jsonSchema(input, 'output');
  } catch (cause) {
    // The parsed input is stored as JSON, from which a later attempt continues.
    const rule = 'its input is not JSON once it is parsed: end each transform with .pipe() and a schema';
    throw new Error(`${id} cannot be sold: ${rule}`, { cause });
  }
}

function checkedAtOnce<T>(id: string, name: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw new Error(`${id} cannot be sold: its ${name} cannot be checked without waiting`, { cause });
  }
}

/** The fields of an input that are in its path. */
function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** @throws Error when a path cannot be matched, or the other one has other fields */
function refuseUnfitPaths({ id, path, mppPath, input, example }: Terms): void {
  const names = namesIn(path);
  for (const one of [path, mppPath ?? path]) {
    const unfit = one
      .split('/')
      .find((segment) => /[{}]/.test(segment) && !/^\{[a-zA-Z]\w*\}$/.test(segment));
    if (unfit !== undefined)
      throw new Error(`${id} cannot be sold: ${unfit} in ${one} must be one field in braces, such as {id}`);
    const has = namesIn(one);
    if (new Set(has).size < has.length) throw new Error(`${id} cannot be sold: ${one} names a field twice`);
    if (has.sort().join() !== names.sort().join())
      throw new Error(`${id} cannot be sold: ${path} and ${one} have other fields`);
  }
  for (const name of names) {
    const { [name]: schema } = input.shape;
    const { [name]: value } = { ...example.input };
    if (schema && !z.safeParse(schema, String(value)).success)
      throw new Error(
        `${id} cannot be sold: ${name} is in the path, so it is text: its schema must take text`,
      );
  }
}

/** The schemas of the path and of the body. */
function partsOf({ id, path, input }: Terms): { readonly params: z.ZodObject; readonly body: z.ZodObject } {
  const inPath = new Set(namesIn(path));
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
