import type { z } from 'zod';
import * as catalog from '@/lib/catalog/adapter-tools';
import { issuesMax } from '@/lib/catalog/errors/api-error';
import { issuesOf } from '@/lib/catalog/errors/issues';
import { withoutEmptyFields } from '@/lib/platform/empty-fields';
import type { Settings } from '@/packages/client/settings';
import { refuse } from '@/packages/client/tool-error';
import type { Adapter } from '../adapter';
import { runBalance, runSetupLink, runTopupLink } from './account';
import { runRecent, runRemove, runRenew } from './files';
import { runBookingLinks, runOfferDetails, runSearchAirports, runSearchFlights } from './flights';
import { runFormResponses } from './forms';
import { buy } from './paid';
import type { Run, ToolOutcome } from './tool';
import { runUpload } from './upload';

/** A tool of the catalog with its implementation. */
export interface Tool {
  readonly entry: catalog.AdapterTool;
  /** Checks the arguments and runs the tool. */
  call(adapter: Adapter, args: unknown, signal: AbortSignal): Promise<ToolOutcome>;
}

function tool<I extends z.ZodObject, O extends z.ZodObject>(
  entry: catalog.AdapterTool<I, O>,
  run: Run<z.output<I>>,
): Tool {
  return {
    entry,
    call: async (adapter, args, signal) => run(adapter, parseInput(entry.input, args), signal),
  };
}

function parseInput<I extends z.ZodObject>(schema: I, args: unknown): z.output<I> {
  const parsed = schema.safeParse(withoutEmptyFields(schema, args ?? {}));
  if (!parsed.success && (typeof args !== 'object' || Array.isArray(args)) && args !== undefined) {
    const issues = [{ path: 'arguments', rule: 'must be an object' }];
    throw refuse('invalid_input', 'The arguments are not valid.', { issues });
  }
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error.issues).slice(0, issuesMax);
  throw refuse('invalid_input', 'The arguments are not valid.', { issues });
}

const tools: readonly Tool[] = [
  tool(catalog.upload, runUpload),
  tool(catalog.searchFlights, runSearchFlights),
  tool(catalog.searchAirports, runSearchAirports),
  tool(catalog.offerDetails, runOfferDetails),
  tool(catalog.renew, runRenew),
  tool(catalog.remove, runRemove),
  tool(catalog.recent, runRecent),
  tool(catalog.balance, runBalance),
  tool(catalog.topupLink, runTopupLink),
  tool(catalog.setupLink, runSetupLink),
  tool(catalog.bookingLinks, runBookingLinks),
  ...catalog.operationTools.map(({ operation, tool: entry }) =>
    tool(entry, (adapter, body, signal) => buy(adapter, operation, { body }, signal)),
  ),
  tool(catalog.formResponses, runFormResponses),
];

/** The tools that the settings ask for. */
export function toolsOf({ tools: choice }: Settings): Tool[] {
  const entries = choice === 'all' ? catalog.adapterTools : catalog.basicTools;
  return entries.flatMap(({ name }) => toolsByName.get(name) ?? []);
}

export const toolsByName: ReadonlyMap<string, Tool> = new Map(
  catalog.adapterTools.map(({ name }) => {
    const found = tools.find(({ entry }) => entry.name === name);
    if (!found) throw new Error(`The tool ${name} has no implementation.`);
    return [name, found];
  }),
);
