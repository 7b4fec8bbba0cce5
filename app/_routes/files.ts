import { Readable } from 'node:stream';
import { currentApp } from '@/lib/app/current';
import { answerFileRequest } from '@/lib/http/files/files-origin';
import type { WebHandler } from './route-handler';

/**
 * A handler that gives way to the files origin. Where our listener is not in front of the framework, requests to both
 * origins reach the routes, and a page of ours must never be served on the origin of strangers' files.
 */
export function besideFiles(handler: WebHandler): WebHandler {
  const handle: WebHandler = (request, context) =>
    isForFiles(request) ? answerFiles(request) : handler(request, context);
  // Keeps the function that our listener calls instead.
  return Object.assign(handle, handler);
}

function isForFiles({ headers }: Request): boolean {
  return headers.get('host') === new URL(currentApp().settings.FILES_URL).host;
}

async function answerFiles({ method, url, headers: given }: Request): Promise<Response> {
  const header = (name: string) => given.get(name);
  const { status, headers, body } = await answerFileRequest(currentApp(), {
    method,
    path: new URL(url).pathname,
    header,
  });
  // Node's streams and the platform's have the same elements, under types of their own.
  const stream = body instanceof Readable ? (Readable.toWeb(body) as ReadableStream<Uint8Array>) : body;
  return new Response(stream, { status, headers });
}
