import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import { adapter as catalogEntry } from '@/lib/catalog/adapter';
import { errorBody } from '@/lib/catalog/errors/schema';
import { ToolError, type ToolErrorFacts } from '../tool-error';
import type { Adapter } from './adapter';
import type { Deliveries } from './deliveries';
import { toolsByName, toolsOf } from './tools';
import { listTool } from './tools/listing';
import type { ToolOutcome } from './tools/tool';

const accountFacts = errorBody.shape.error.shape.account.unwrap();

/** The text of an error: what is wrong, what happened to the money and what to do. */
function explain(facts: ToolErrorFacts): string {
  const { message, issues = [] } = facts;
  return [message, ...issues.map(explainIssue), nextStep(facts)].filter(Boolean).join(' ');
}

/** Rules are verb phrases that follow the name of their field. */
function explainIssue({ path, rule }: { readonly path: string; readonly rule: string }): string {
  return `${path} ${rule}.`;
}

/** What to do next, in terms of the tools, which the service's own messages do not know about. */
function nextStep({ code, retry, account, docs }: ToolErrorFacts): string {
  if (code === 'insufficient_balance') return topUp(account);
  if (code === 'account_token_wrong')
    return 'The service no longer knows the account of this machine. Use setup_link to open a new one.';
  // The adapter's own messages already say what to do.
  if (docs === undefined) return '';
  switch (retry) {
    case 'fix_input':
      return 'Change the arguments and call the tool again.';
    case 'later':
      return 'Call the tool again later.';
    case 'same_request':
      return 'Call the tool again with the same arguments; it is not charged twice.';
    case 'pay':
      return 'Call the tool again to pay for it.';
    case 'stop':
      return 'Do not call the tool again with the same arguments.';
  }
}

function topUp(account: unknown): string {
  const { success, data } = z.object(accountFacts.shape).safeParse(account);
  if (!success) return 'Use topup_link to get the page where a person adds money, then call the tool again.';
  return `The account has ${data.balance} USDC and the call costs ${data.price} USDC. Ask the person to add money at ${data.depositUrl}, then call the tool again.`;
}

/** A result as text and, if it is an object, as structured content. */
function describeOutcome({ output, note }: ToolOutcome): CallToolResult {
  const content = [text(JSON.stringify(output)), ...(note ? [text(note)] : [])];
  const { success, data } = record.safeParse(output);
  return success ? { content, structuredContent: data } : { content };
}

const record = z.record(z.string(), z.unknown());

/**
 * An error as text, then as JSON. Many assistants read only the first text, so it says everything: what is wrong, what
 * happened to the money and what to do.
 */
function describeFailure(error: unknown): CallToolResult {
  const { facts } = error instanceof ToolError ? error : unexpectedError(error);
  const message = explain(facts);
  return { isError: true, content: [text(message), text(JSON.stringify({ error: { ...facts, message } }))] };
}

function unexpectedError(cause: unknown): ToolError {
  // For the assistant's log. Names of errors contain nothing that was submitted.
  process.stderr.write(`tuppence-mcp: ${cause instanceof Error ? (cause.stack ?? cause.name) : 'failed'}\n`);
  const facts: ToolErrorFacts = {
    code: 'internal_error',
    message:
      'The adapter failed, and it is not known whether the call was charged. Call the tool again with the same arguments; it is not charged twice.',
    payment: 'unknown',
    retry: 'same_request',
  };
  return new ToolError(facts, { cause });
}

const text = (content: string) => ({ type: 'text' as const, text: content });

/** The adapter's MCP server: lists the tools of the catalog and runs them. */
export function createServer(adapter: Adapter, deliveries: Deliveries): Server {
  const server = new Server(
    { name: catalogEntry.packageName, title: catalogEntry.title, version: about.version },
    { capabilities: { tools: {} }, instructions: catalogEntry.instructions },
  );
  const tools = toolsOf(adapter.settings);
  const listed = tools.map(({ entry }) => listTool(entry));

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  // Not with setRequestHandler: for this method, the SDK checks the arguments itself and answers in its validator's words.
  server.fallbackRequestHandler = async (request, { requestId, signal }): Promise<CallToolResult> => {
    if (request.method !== 'tools/call') throw new McpError(ErrorCode.MethodNotFound, 'Method not found');
    const { success, data } = toolCall.safeParse(request.params);
    if (!success) throw new McpError(ErrorCode.InvalidParams, 'params.name must be the name of a tool.');
    const tool = tools.find(({ entry }) => entry.name === data.name);
    if (!tool) return describeFailure(unknownTool(data.name));
    // Wait until earlier calls are closed, so that an identical call right after a response counts as a new one.
    await deliveries.settled();
    try {
      const outcome = await tool.call(adapter, data.arguments, signal);
      if (outcome.afterDelivery) deliveries.after(requestId, outcome.afterDelivery);
      return describeOutcome(outcome);
    } catch (error) {
      return describeFailure(error);
    }
  };
  return server;
}

const toolCall = z.object({ name: z.string(), arguments: z.unknown() });

function unknownTool(name: string): ToolError {
  const reason = toolsByName.has(name)
    ? `The tool ${name} is turned off. A person can set TUPPENCE_TOOLS=all to turn it on.`
    : `There is no tool ${JSON.stringify(name.slice(0, 64))}.`;
  return new ToolError({
    code: 'invalid_input',
    message: `${reason} Nothing was charged.`,
    payment: 'none',
    retry: 'fix_input',
  });
}
