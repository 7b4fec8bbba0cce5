import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type ClientCall, type ClientCommand, clientOptions } from '@/lib/catalog/client';
import { fieldOptionsOf } from '@/lib/catalog/client-options';
import { refuse } from '../tool-error';

/** The parsed command line. */
export interface CommandLine {
  readonly call: ClientCall;
  /** The arguments that are not options. */
  readonly args: readonly string[];
  /** The fields of the call that `--body`, options and arguments set. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly isJson: boolean;
  readonly isHelp: boolean;
  readonly maxCost: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/**
 * Reads the arguments after the name of a command.
 * @throws ToolError `invalid_input` that names the option and its rule
 */
export function parseCommandLine(command: ClientCommand, argv: readonly string[]): CommandLine {
  const { values, positionals } = readOptions(command, argv);
  const { kind } = values;
  const call = command.calls.find((one) => one.kind === (kind ?? command.calls[0].kind));
  if (!call) throw wrong('--kind', `must be one of: ${command.calls.map((one) => one.kind).join(', ')}`);
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  const fields = { ...readBody(text('body')), ...readFields(command, values) };
  return {
    call,
    args: positionals,
    fields,
    isJson: values.json === true,
    isHelp: values.help === true,
    maxCost: text('max-cost'),
    idempotencyKey: text('idempotency-key'),
  };
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function readOptions(command: ClientCommand, argv: readonly string[]) {
  const ofFields = command.calls
    .flatMap(fieldOptionsOf)
    .map(({ flag, type, isList }) => [
      flag,
      { type: type === 'switch' ? ('boolean' as const) : ('string' as const), multiple: isList },
    ]);
  const common = clientOptions.map(({ flag, value }) => [
    flag,
    { type: value === null ? ('boolean' as const) : ('string' as const) },
  ]);
  const options = {
    ...Object.fromEntries(ofFields),
    ...Object.fromEntries(common),
    kind: { type: 'string' },
  };
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (error) {
    // The parser's errors name the option and never repeat a value.
    if (!(error instanceof TypeError)) throw error;
    throw wrong(/'(--?[\w-]+)/.exec(error.message)?.[1] ?? 'the command line', ruleOf(error));
  }
}

function ruleOf(error: TypeError & { readonly code?: string }): string {
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return 'is not an option of this command; see --help';
  return 'is not used as --help says';
}

function readBody(json: string | undefined): Readonly<Record<string, unknown>> {
  if (json === undefined) return {};
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  } catch (error) {
    throw wrong('--body', 'must be a JSON object', error);
  }
}

function readFields(command: ClientCommand, values: Values): Record<string, unknown> {
  const given = command.calls
    .flatMap(fieldOptionsOf)
    .filter(({ flag }) => values[flag] !== undefined)
    .map(({ flag, field, type }) => {
      const value = values[flag];
      const isNumber = type === 'number' && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
      return [field, isNumber ? Number(value) : value];
    });
  return Object.fromEntries(given);
}

function wrong(path: string, rule: string, cause?: unknown) {
  return refuse('invalid_input', 'The command is not valid.', { issues: [{ path, rule }], cause });
}
