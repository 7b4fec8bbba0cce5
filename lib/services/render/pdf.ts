import { z } from 'zod';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { pdf, renderLimits } from '@/lib/catalog/render';
import type { WithDatabase } from '@/lib/platform/database/database';
import { type Client, paying } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { WithThreads } from '@/lib/platform/threads';
import { withDeclaration } from '@/lib/services/render/accessible/declare-in-thread';
import type { PrintedDocument, PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { PdfFile } from '@/lib/services/render/pdf-file';
import { service, type Warning } from '@/lib/services/service';
import { discardFile, findPublished, holdFile, publishFile } from '@/lib/services/uploads/held-file';
import { checkHtmlInput } from './check-input';
import { namesOf, unsupportedCharacters } from './unsupported-characters';

interface PdfDeps
  extends Pick<
    WithDatabase & WithStore & WithThreads & Platform,
    'db' | 'store' | 'storeHealth' | 'threads' | 'settings' | 'clock' | 'log'
  > {
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
  cut: z.array(z.string()).default([]),
});
type Rendering = z.output<typeof rendering>;

/** Renders a document before the payment, and publishes the PDF afterwards. */
export const renderPdf = service(pdf, {
  check: checkHtmlInput,

  warnings({ html }, prepared) {
    return [...warnOfCharacters(html), ...warnOfCuts(rendering.nullable().parse(prepared)?.cut ?? [])];
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

function warnOfCharacters(html: string): readonly Warning[] {
  const unsupported = unsupportedCharacters(html);
  if (unsupported.length === 0) return [];
  const value = namesOf(unsupported);
  const message = `No font of the service has ${value}. They print as boxes unless a font in the document has them.`;
  return [{ header: 'Unsupported-Characters', value, message }];
}

function warnOfCuts(cut: readonly string[]): readonly Warning[] {
  if (cut.length === 0) return [];
  const value = cut.join(', ');
  return [{ header: 'Cut-Content', value, message: `Something is cut off, covered or not shown: ${value}.` }];
}

async function render(app: PdfDeps, client: Client, html: string, now: Date): Promise<Rendering> {
  const startedMs = app.clock.monotonic();
  const { pdf, cut } = await print(app, client, html);
  if (pdf.length > renderLimits.pdfBytesMax) throw new ApiError('output_too_large');
  const pages = new PdfFile(pdf).pageCount;
  if (pages > renderLimits.pagesMax) throw new ApiError('output_too_large');
  const accessible = await withDeclaration(app, client, pdf, html);
  const renderMs = Math.round(app.clock.monotonic() - startedMs);
  return { ...(await holdFile(app, accessible, mime, now)), pages, renderMs, cut: [...cut] };
}

async function print(app: PdfDeps, client: Client, html: string): Promise<PrintedDocument> {
  const printed = await app.printing.print(client, html);
  switch (printed.kind) {
    case 'printed':
      return printed.document;
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
