import { currentApp } from '@/lib/app/current';
import { callFilters } from '@/lib/operator/calls/filters';
import { consolePage, seeOther } from './console-route';

/** `GET /operator/calls/csv`: the calls that match the filters of the list, as a file. The download is logged. */
export const saveCalls = consolePage(async ({ url, request, operator }) => {
  const query = Object.fromEntries([...url.searchParams].filter(([, value]) => value.trim() !== ''));
  const filters = callFilters.safeParse(query);
  // The page of the list says what is wrong.
  if (!filters.success) return seeOther(`/operator/calls${url.search}`);
  const name = `calls-${currentApp().clock.date().toISOString().slice(0, 10)}.csv`;
  // A HEAD request saves nothing.
  if (request.method === 'HEAD')
    return { status: 200, headers: { 'Content-Type': 'text/csv; charset=utf-8' } };
  const rows = await currentApp().console.exportCalls(operator, filters.data);
  return { status: 200, file: { name, type: 'text/csv; charset=utf-8', content: streamOf(rows) } };
});

/** Bytes as they are read from the database. A browser that goes away ends the reading. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}
