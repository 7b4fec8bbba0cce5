import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ToolError, type ToolErrorFacts } from './tool-error';
import type { ToolOutcome } from './tools/tool';

/** What to do about some errors with the tools that there are. */
const hints: Readonly<Record<string, string>> = {
  insufficient_balance: 'Give the person the depositUrl to top the account up, then call again.',
  account_token_wrong:
    'The service does not know the account of this machine (any more); setup_link opens a new one.',
};

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

/** An error in words, then its facts as JSON. Assistants read text; structured content would have to fit the output. */
export function describeFailure(error: unknown): CallToolResult {
  const { facts } = error instanceof ToolError ? error : unforeseen(error);
  const hint = hints[facts.code];
  return {
    isError: true,
    content: [
      text(hint ? `${facts.message} ${hint}` : facts.message),
      text(JSON.stringify({ error: facts })),
    ],
  };
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
