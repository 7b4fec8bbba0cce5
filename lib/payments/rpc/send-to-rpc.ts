import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { HttpRequestError } from 'viem';
import { z } from 'zod';
import { parseJson } from '@/lib/platform/json';

const agents = {
  'http:': new HttpAgent({ keepAlive: true }),
  'https:': new HttpsAgent({ keepAlive: true }),
};
/** The largest response that is accepted. */
const answerBytesMax = 32 * 1024 * 1024;

const errorSchema = z.object({ error: z.looseObject({ code: z.number(), message: z.string() }) });

/** The connection ended before a response began, and had been used before. */
class StaleConnection extends HttpRequestError {}

/**
 * Sends one JSON-RPC request, or one batch, to an RPC: over HTTP, or to a chain that a test simulates. Everything that settlement
 * asks a chain goes through it, except for announcements of new blocks.
 * @param body JSON-RPC, as text
 * @param signal ends the request, whatever of the response has arrived; its reason is thrown
 * @returns the parsed response, which may be a JSON-RPC error
 * @throws viem's HttpRequestError for anything that is not a JSON response
 */
export type SendToRpc = (url: string, body: string, signal: AbortSignal) => Promise<unknown>;

/** Posts over plain Node requests on keep-alive connections. */
export const postJson: SendToRpc = async (url, body, signal) => {
  try {
    return await post(url, body, signal);
  } catch (error) {
    // The other side had closed the keep-alive connection. All our calls can safely be sent twice.
    if (error instanceof StaleConnection) return post(url, body, signal);
    throw error;
  }
};

async function post(url: string, body: string, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const isPlain = url.startsWith('http:');
  const request = (isPlain ? httpRequest : httpsRequest)(url, {
    agent: isPlain ? agents['http:'] : agents['https:'],
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
  });
  const end = () => request.destroy(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  let answer: IncomingMessage | null = null;
  try {
    answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      // Not removed, because the connection may also break later.
      request.on('error', reject);
      request.end(body);
    });
    const text = await readText(answer);
    const { statusCode: status = 502, statusMessage: details } = answer;
    // Some nodes send JSON-RPC errors with an HTTP error status.
    if (status >= 300 && !errorSchema.safeParse(parseJson(text)).success)
      throw new HttpRequestError({ status, details, url });
    return JSON.parse(text);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof HttpRequestError) throw error;
    const failure = { cause: error instanceof Error ? error : undefined, url };
    throw request.reusedSocket && answer === null
      ? new StaleConnection(failure)
      : new HttpRequestError(failure);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > answerBytesMax) throw new Error('the JSON-RPC response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
