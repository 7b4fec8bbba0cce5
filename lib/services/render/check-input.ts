import { ApiError, type Issue } from '@/lib/catalog/errors/api-error';
import type { pdf } from '@/lib/catalog/render';
import { Accessibility } from '@/lib/services/render/html/accessibility';
import { Findings } from '@/lib/services/render/html/findings';
import { checkHtml } from '@/lib/services/render/html/parser';
import type { InputCheck } from '@/lib/services/service';

/** Rejects documents that could run scripts or load anything. Returns warnings about what makes the PDF less accessible. */
export const checkHtmlInput: InputCheck<typeof pdf> = async ({ html }) => {
  const accessibility = new Accessibility();
  const issues = await findForbidden(html, accessibility);
  if (issues.length > 0) throw new ApiError('invalid_input', { reason: 'forbidden_html', issues });
  return accessibility.warnings;
};

/**
 * Finds up to three things in a document that could run scripts or load anything. This is for the caller. The browser
 * is isolated anyway (`lib/services/render/chromium`).
 */
export async function findForbidden(
  html: string,
  accessibility: Accessibility | null = null,
): Promise<readonly Issue[]> {
  return (await find(html, false, accessibility)).length === 0 ? [] : find(html, true, null);
}

async function find(
  html: string,
  places: boolean,
  accessibility: Accessibility | null,
): Promise<readonly Issue[]> {
  const findings = new Findings();
  await findings.collect(() => checkHtml(html, findings, places, accessibility));
  return findings.issues;
}
