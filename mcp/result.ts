import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { explain } from './explain';
import { ToolError, type ToolErrorFacts } from './tool-error';
import type { ToolOutcome } from './tools/tool';

/** A result as text and, if it is an object, as structured content. */
export function describeOutcome({ output, note }: ToolOutcome): CallToolResult {
  const content = [text(JSON.stringify(output)), ...(note ? [text(note)] : [])];
  const { success, data } = record.safeParse(output);
  return success ? { content, structuredContent: data } : { content };
}

const record = z.record(z.string(), z.unknown());

/**
 * An error as text, then as JSON. Many assistants read only the first text, so it says everything: what is wrong, what
 * happened to the money and what to do.
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
