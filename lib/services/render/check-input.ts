import { ApiError, type Issue } from '@/lib/catalog/errors/api-error';
import type { pdf } from '@/lib/catalog/render';
import { Findings } from '@/lib/services/render/html/findings';
import { checkHtml } from '@/lib/services/render/html/parser';
import type { InputCheck } from '@/lib/services/service';

/** Rejects documents that could run scripts or load anything. */
export const checkHtmlInput: InputCheck<typeof pdf> = async ({ html }) => {
  const issues = await findForbidden(html);
  if (issues.length > 0) throw new ApiError('invalid_input', { reason: 'forbidden_html', issues });
};

/**
 * Finds up to three things in a document that could run scripts or load anything. This is for the caller. The browser
 * is isolated anyway (`lib/services/render/chromium`).
 */
export async function findForbidden(html: string): Promise<readonly Issue[]> {
  return (await find(html, false)).length === 0 ? [] : find(html, true);
}

async function find(html: string, places: boolean): Promise<readonly Issue[]> {
  const findings = new Findings();
  await findings.collect(() => checkHtml(html, findings, places));
  return findings.issues;
}
