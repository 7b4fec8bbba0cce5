import { type Client, ownerOf } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import type { ThreadJob, WithThreads } from '@/lib/platform/threads';
import { languageOfCandidate } from './candidate';
import type { Declared, PrintedPdf } from './declare';

/** Larger files are mostly images. A file is copied to a thread and back. */
const bytesMax = 4 * 1024 * 1024;

/** The name of the export in check-thread.ts. */
const job: ThreadJob<PrintedPdf, Declared> = { name: 'declareAccessible' };

/**
 * The PDF with its declaration of PDF/UA-1, after a check in a worker thread; the PDF itself if it does not conform, is large, or could
 * not be checked.
 * @param html the document, of which the PDF was printed
 */
export async function withDeclaration(
  app: WithThreads & Pick<Platform, 'log'>,
  client: Client,
  pdf: Buffer,
  html: string,
): Promise<Buffer> {
  const language = pdf.length > bytesMax ? null : languageOfCandidate(html);
  if (language === null) return pdf;
  const { group: address, payer: owner } = ownerOf(client);
  const requester = { address, owner, priority: 'paying' } as const;
  const outcome = await app.threads.run(job, { pdf, language }, requester, pdf.length);
  if (outcome.kind !== 'done') {
    app.log.warn({ outcome: outcome.kind }, 'a PDF was not checked for PDF/UA');
    return pdf;
  }
  const declared = outcome.result.pdf;
  // A thread returns the bytes as an array.
  return declared === null ? pdf : Buffer.from(declared.buffer, declared.byteOffset, declared.length);
}
