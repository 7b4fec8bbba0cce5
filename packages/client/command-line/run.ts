import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { formResponses, upload } from '@/lib/catalog/adapter-tools';
import { type ClientCall, type ClientCommand, client, priceOf } from '@/lib/catalog/client';
import { issuesMax } from '@/lib/catalog/errors/api-error';
import { issuesOf } from '@/lib/catalog/errors/issues';
import * as formsCatalog from '@/lib/catalog/forms';
import type { Operation } from '@/lib/catalog/operation';
import { uploadLimits } from '@/lib/catalog/uploads';
import { openLocalFile } from '@/packages/client/files/local-file';
import type { Settings } from '@/packages/client/settings';
import type { Adapter } from '../adapter/adapter';
import { runFormResponses } from '../adapter/tools/forms';
import { buy } from '../adapter/tools/paid';
import type { ToolOutcome } from '../adapter/tools/tool';
import { runUpload } from '../adapter/tools/upload';
import { fillPath } from '../calls/call';
import { callForFree } from '../calls/free-call';
import { atomicOf } from '../calls/usdc';
import { refuse, ToolError } from '../tool-error';
import type { CommandLine } from './options';

/** The arguments of the upload tool for a file, or for standard input. */
async function uploadArguments(file: string): Promise<{ path: string } | { base64: string }> {
  if (file !== '-') return { path: path.resolve(file) };
  return { base64: (await readInput()).toString('base64') };
}

/**
 * Reads a text file, or standard input, under the same rules as an upload, because PDFs and forms are public too.
 * @throws ToolError `file_refused` or `invalid_input`
 */
async function readTextFile(file: string, { uploadFolders }: Settings): Promise<string> {
  if (file === '-') return (await readInput()).toString('utf8');
  const source = await openLocalFile(path.resolve(file), uploadFolders).catch((error: unknown) => {
    throw unreadable(error);
  });
  try {
    return await text(source.read());
  } finally {
    await source.close();
  }
}

/** It is read and not uploaded, and the command line knows it as FILE. */
function unreadable(error: unknown): unknown {
  if (!(error instanceof ToolError)) return error;
  const issues = error.facts.issues?.map(({ rule }) => ({ path: 'FILE', rule }));
  return refuse('file_refused', 'The file cannot be read.', { issues, cause: error });
}

async function readInput(): Promise<Buffer> {
  const limited = limit(process.stdin, uploadLimits.sizeBytesMax);
  const bytes = await buffer(limited);
  if (bytes.length > 0) return bytes;
  throw wrong('must not be empty');
}

async function* limit(input: AsyncIterable<Uint8Array>, bytesMax: number): AsyncIterable<Uint8Array> {
  let length = 0;
  for await (const chunk of input) {
    length += chunk.length;
    if (length > bytesMax) throw wrong(`must have at most ${bytesMax} bytes`);
    yield chunk;
  }
}

const wrong = (rule: string) =>
  refuse('invalid_input', 'The file cannot be used.', { issues: [{ path: 'standard input', rule }] });

/** Nothing cancels a command: one that was killed resumes when it is run again. */
const never = new AbortController().signal;

/**
 * Makes the call of a command.
 * @throws ToolError that says whether the call was charged
 */
export async function runCommand(
  adapter: Adapter,
  command: ClientCommand,
  line: CommandLine,
): Promise<ToolOutcome> {
  const { call } = line;
  refuseAboveLimit(call, line.maxCost);
  if (command.file === 'upload') {
    const file = takeFile(command, line);
    const input = parse(upload.input, { ...line.fields, ...(await uploadArguments(file)) });
    return runUpload(adapter, input, never);
  }
  const fields = parse(call.input, await readFields(adapter, command, line));
  return makeCall(adapter, call, fields);
}

async function makeCall(
  adapter: Adapter,
  { operation: requested, onAccount }: ClientCall,
  fields: Record<string, unknown>,
): Promise<ToolOutcome> {
  const isWallet = adapter.payer?.rail === 'x402';
  const operation = isWallet ? requested : (onAccount ?? requested);
  const params = Object.fromEntries(
    Object.keys(operation.params.shape).map((name) => [name, String(fields[name])]),
  );
  if ('price' in operation)
    return buy(adapter, operation, { params, body: bodyOf(operation, fields) }, never);
  if (operation.id === formsCatalog.responses.id)
    return runFormResponses(adapter, formResponses.input.parse(fields), never);
  if (isWallet && operation.access === 'account') {
    throw refuse('invalid_input', 'A wallet has no account here, and its balance is on its network.', {
      issues: [{ path: 'TUPPENCE_WALLET_KEY', rule: 'must not be set for this command' }],
    });
  }
  const request = { method: operation.method, path: fillPath(operation.path, params) };
  return {
    output: await callForFree(adapter, { ...request, isPublic: operation.access === undefined }, never),
  };
}

const bodyOf = ({ takesBody }: Operation, fields: Record<string, unknown>): object | undefined =>
  takesBody ? fields : undefined;

async function readFields({ settings }: Adapter, command: ClientCommand, line: CommandLine) {
  if (command.file === undefined) return fillFields(command, line);
  const content = await readTextFile(takeFile(command, line), settings);
  if (command.file === 'html') return { ...line.fields, html: content };
  return { ...readJson(content), ...line.fields };
}

/** The fields of a call, including those that positional arguments set. */
function fillFields(command: ClientCommand, { call, args, fields }: CommandLine): Record<string, unknown> {
  const shape = call.input.shape;
  const last = call.fields.at(-1) ?? '';
  const takesAll = isList(shape[last]);
  const isComplete = takesAll ? args.length >= call.fields.length : args.length === call.fields.length;
  if (!isComplete) throw wrongArguments(command, args.length);
  const given = call.fields.map((field, index) => [
    field,
    takesAll && field === last ? args.slice(index) : args[index],
  ]);
  const hasDefault = Object.keys(call.defaults ?? {}).some((field) => field in fields);
  return { ...(hasDefault ? {} : call.defaults), ...fields, ...Object.fromEntries(given) };
}

const isList = (field: unknown): boolean =>
  (field as { readonly type?: string } | undefined)?.type === 'array';

function takeFile(command: ClientCommand, { args }: CommandLine): string {
  const [file] = args;
  if (file === undefined || args.length > 1) throw wrongArguments(command, args.length);
  return file;
}

function wrongArguments({ args, name }: ClientCommand, count: number) {
  const rule = `must be ${args || 'none'}, and ${count} were given; see ${client.name} ${name} --help`;
  return refuse('invalid_input', 'The command is not valid.', { issues: [{ path: 'arguments', rule }] });
}

function readJson(content: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Refused below.
  }
  throw refuse('invalid_input', 'The file cannot be used.', {
    issues: [{ path: 'FILE', rule: 'must be a JSON object' }],
  });
}

function parse<T extends ClientCall['input']>(schema: T, value: unknown): ReturnType<T['parse']> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data as ReturnType<T['parse']>;
  const issues = issuesOf(error.issues).slice(0, issuesMax);
  throw refuse('invalid_input', 'The call is not valid.', { issues });
}

function refuseAboveLimit(call: ClientCall, maxCost: string | undefined): void {
  const price = priceOf(call);
  if (maxCost === undefined || price === null) return;
  const limit = atomicOf(maxCost);
  if (limit === undefined) {
    const rule = 'must be an amount in USDC, such as 0.05';
    throw refuse('invalid_input', 'The command is not valid.', { issues: [{ path: '--max-cost', rule }] });
  }
  if ((atomicOf(price) ?? 0n) > limit) {
    throw refuse('price_above_limit', `The call costs ${price} USDC, more than --max-cost allows.`, {
      retry: 'stop',
    });
  }
}
