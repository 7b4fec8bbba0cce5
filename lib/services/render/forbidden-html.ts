import type { Issue } from '@/lib/errors/api-error';
import { Findings } from './html/findings';
import { checkHtml } from './html/parser';

/**
 * Whatever in a document could run script or load anything from outside, at most three of it. The first of two walls: it
 * tells the caller; the browser is cut off from everything all the same (`lib/services/render/chromium`).
 */
export async function findForbidden(html: string): Promise<readonly Issue[]> {
  return (await find(html, false)).length === 0 ? [] : find(html, true);
}

async function find(html: string, places: boolean): Promise<readonly Issue[]> {
  const findings = new Findings();
  await findings.collect(() => checkHtml(html, findings, places));
  return findings.issues;
}
