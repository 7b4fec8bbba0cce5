import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { explain } from './explain';
import { ToolError, type ToolErrorFacts } from './tool-error';
import type { ToolOutcome } from './tools/tool';

/**
 * An answer, as text and as structured content.
 * @param isAsDeclared whether it fits the tool's output schema: assistants drop structured content that does not
 */
export function describeOutcome({ output, note }: ToolOutcome, isAsDeclared: boolean): CallToolResult {
  const content = [text(JSON.stringify(output)), ...(note ? [text(note)] : [])];
  if (isAsDeclared) return { content, structuredContent: output as Record<string, unknown> };
  const words =
    'The call was answered and, where it has a price, charged. The answer has another shape than this version of the adapter knows; it stands above as it came.';
  return { content: [...content, text(words)], isError: true };
}

/**
 * An error in words, then its facts as JSON. Many assistants read the first text alone, so it says everything: what is wrong,
 * what happened to the money, and what to do. Structured content would have to fit the output.
 */
export function describeFailure(error: unknown): CallToolResult {
  const { facts } = error instanceof ToolError ? error : unforeseen(error);
  const message = explain(facts);
  return { isError: true, content: [text(message), text(JSON.stringify({ error: { ...facts, message } }))] };
}

function unforeseen(cause: unknown): ToolError {
  // For the log of the assistant; names of errors carry nothing that was submitted.
  process.stderr.write(`tuppence-mcp: ${cause instanceof Error ? (cause.stack ?? cause.name) : 'failed'}\n`);
  const facts: ToolErrorFacts = {
    code: 'internal_error',
    message:
      'The adapter failed, and whether the call was charged is not known. Call the tool again with the same arguments: it is not charged twice.',
    payment: 'unknown',
    retry: 'same_request',
  };
  return new ToolError(facts, { cause });
}

const text = (words: string) => ({ type: 'text' as const, text: words });
