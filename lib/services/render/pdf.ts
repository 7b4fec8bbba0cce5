import { z } from 'zod';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { pdf, renderLimits } from '@/lib/catalog/render';
import { type Client, paying } from '@/lib/platform/concurrency/fair-semaphore';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { PrintingPool } from '@/lib/services/render/chromium/pool';
import { service } from '@/lib/services/service';
import { discardFile, findPublished, holdFile, publishFile } from '@/lib/services/uploads/held-file';
import { checkHtmlInput } from './check-input';
import { namesOf, unsupportedCharacters } from './unsupported-characters';

/** What the functions below use. */
interface PdfDeps
  extends Pick<WithDatabase, 'db'>,
    Pick<WithStore, 'store' | 'storeHealth'>,
    Pick<Platform, 'settings' | 'clock' | 'log'> {
  readonly printing: PrintingPool;
}

const mime = 'application/pdf';
const busyRetrySeconds = 5;

/** What is stored about a rendered document until its payment is settled. */
const rendering = z.object({
  id: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  pages: z.number(),
  renderMs: z.number(),
});
type Rendering = z.output<typeof rendering>;

/** Renders a document before the payment, and publishes the PDF afterwards. */
export const renderPdf = service(pdf, {
  check: checkHtmlInput,

  warnings({ html }) {
    const unsupported = unsupportedCharacters(html);
    if (unsupported.length === 0) return [];
    const value = namesOf(unsupported);
    return [
      {
        header: 'Unsupported-Characters',
        value,
        message: `No font of the service has ${value}. They print as boxes unless a font in the document has them.`,
      },
    ];
  },

  async admit(app: PdfDeps, _, caller) {
    const pool = app.printing;
    app.storeHealth.refuseWhileUnusable();
    const readiness = await pool.readiness();
    if (readiness !== 'ready') throw withoutRenderer(app, readiness);
    if (!pool.hasRoomFor(caller))
      throw new ApiError('renderer_busy', { retryAfterSeconds: busyRetrySeconds });
  },

  preparesWith: () => 'browser',

  prepare: (app: PdfDeps, { html }, preparation) => render(app, preparation, html, preparation.now),

  async discard(app: PdfDeps, prepared) {
    await discardFile(app, rendering.parse(prepared).id, app.clock.date());
  },

  async deliver(app: PdfDeps, { html, filename }, { payer, onlyOn, paidCallId, prepared, now }) {
    const rendered = rendering.parse(prepared);
    const publish = (file: Rendering) =>
      publishFile(app, file, { paidCallId, owner: payer, mime, filename, now });
    const published = await publish(rendered);
    if (published) return answer(published, rendered);
    // Already delivered, before a crash or by another process.
    const earlier = await findPublished(app, paidCallId);
    if (earlier) return answer(earlier, { ...rendered, ...earlier });
    // The payment took so long to settle that the file was erased.
    const again = await render(app, paying({ payer, onlyOn }), html, now);
    const renewed = await publish(again);
    if (!renewed) throw new Error('a file that was just rendered is not there');
    return answer(renewed, again);
  },
});

async function render(app: PdfDeps, client: Client, html: string, now: Date): Promise<Rendering> {
  const startedMs = app.clock.monotonic();
  const bytes = await print(app, client, html);
  const renderMs = Math.round(app.clock.monotonic() - startedMs);
  if (bytes.length > renderLimits.pdfBytesMax) throw new ApiError('output_too_large');
  const pages = countPages(bytes);
  if (pages > renderLimits.pagesMax) throw new ApiError('output_too_large');
  return { ...(await holdFile(app, bytes, mime, now)), pages, renderMs };
}

async function print(app: PdfDeps, client: Client, html: string): Promise<Buffer> {
  const printed = await app.printing.print(client, html);
  switch (printed.kind) {
    case 'printed':
      return printed.pdf;
    case 'busy':
      throw new ApiError('renderer_busy');
    case 'absent':
    case 'failing':
      throw withoutRenderer(app, printed.kind);
    case 'failed':
      throw new ApiError('render_failed', { cause: printed.cause });
  }
}

function withoutRenderer({ printing }: PdfDeps, kind: 'absent' | 'failing'): ApiError {
  if (kind === 'absent') return new ApiError('renderer_unconfigured');
  return new ApiError('renderer_unavailable', { retryAfterSeconds: printing.retryAfterSeconds });
}

function answer(published: { id: string; publicUrl: string; expiresAt: Date }, rendered: Rendering) {
  return {
    id: published.id,
    publicUrl: published.publicUrl,
    expiresAt: published.expiresAt.toISOString(),
    bytes: rendered.bytes,
    pages: rendered.pages,
    sha256: rendered.sha256,
    renderMs: rendered.renderMs,
  };
}

/**
 * The number of pages in a PDF, read as viewers do: from the end to the cross-reference table, then to the catalog and
 * the root of the page tree (ISO 32000-1, 7.5 and 7.7). A text search would also match the document's own content.
 * @throws Error for a PDF without this structure
 */
export function countPages(pdf: Buffer): number {
  const tail = pdf.toString('latin1', Math.max(0, pdf.length - 1024));
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
  if (!Number.isSafeInteger(tableAt)) throw new Error('no cross-reference table');
  const table = pdf.toString('latin1', tableAt);
  const first = /^xref\s+(\d+) (\d+)\s*\n/.exec(table);
  const root = /trailer[\s\S]*?\/Root (\d+) 0 R/.exec(table)?.[1];
  if (!first || root === undefined) throw new Error('no catalog');
  // Entries have 20 bytes (7.5.4).
  const objectAt = (number: number) =>
    Number(table.slice(first[0].length + (number - Number(first[1])) * 20).slice(0, 10));
  const dictionary = (number: number) => {
    const at = objectAt(number);
    return pdf.toString('latin1', at, pdf.indexOf('endobj', at));
  };
  const pages = /\/Pages (\d+) 0 R/.exec(dictionary(Number(root)))?.[1];
  const count = pages === undefined ? undefined : /\/Count (\d+)/.exec(dictionary(Number(pages)))?.[1];
  if (count === undefined) throw new Error('no page tree');
  return Number(count);
}
