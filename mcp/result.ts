import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { explain } from './explain';
import { ToolError, type ToolErrorFacts } from './tool-error';
import type { ToolOutcome } from './tools/tool';

/**
 * A result as text and as structured content.
 * @param isAsDeclared whether it matches the tool's output schema; assistants discard structured content that does not
 */
export function describeOutcome(
  { output, note: outcomeNote }: ToolOutcome,
  isAsDeclared: boolean,
): CallToolResult {
  const content = [text(JSON.stringify(output)), ...(outcomeNote ? [text(outcomeNote)] : [])];
  if (isAsDeclared) return { content, structuredContent: output as Record<string, unknown> };
  const note =
    'The call succeeded and was charged if it has a price. This version of the adapter does not know the format of the response, which is above unchanged. Update the adapter.';
  return { content: [...content, text(note)], isError: true };
}

/**
 * An error as text, then as JSON. Many assistants read only the first text, so it says everything: what is wrong, what
 * happened to the money and what to do. Structured content would have to match the output schema.
 */
export function describeFailure(error: unknown): CallToolResult {
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
