import type { CDPSession } from 'puppeteer-core';
import { z } from 'zod';
import type { Color } from '@/lib/services/render/pdf-file';
import { documentTools } from './document-tools';
import { evaluate } from './evaluate';
import { findBeyond } from './find-beyond';
import { findBroken } from './find-broken';
import { findCovering } from './find-covered';
import { type Layout, measureDocument } from './measure-document';
import { readPageArea } from './page-area';
import { revealByRules } from './reveal-by-rules';
import { revealContent } from './reveal-content';

/** A4 without the default margins of 0.4 inch, in CSS pixels. */
const defaultArea = { width: 717, height: 1046 } as const;

/** Content wider than the page is printed smaller, but never smaller than this. */
const scaleMin = 0.3;
/** Widths differ by fractions of a pixel. */
const tolerancePx = 1.5;
/** How many elements a warning names. */
const namedMax = 20;

const pixels = z.number().min(0).max(1e9);
const part = z.int().min(0).max(255);
const measured = z.union([
  z.strictObject({ layout: z.strictObject({ width: pixels, isTall: z.boolean() }) }),
  z.strictObject({
    contentWidth: pixels,
    background: z.tuple([part, part, part]),
    cut: z.array(z.string().regex(/^[a-z0-9-]{1,32} \d{1,6}$/)).max(namedMax),
  }),
]);

/** How a document is printed so that nothing is lost. */
export interface Fit {
  /** 1, or less for a document wider than the page. */
  readonly scale: number;
  /** Whether a part is as tall as the paper, so that its author expects pages without margins. */
  readonly isTall: boolean;
  /**
   * The elements of which something is cut off or not shown, or that hide something, each as its tag and its number among those with this
   * tag: `td 14`.
   */
  readonly cut: readonly string[];
  /** The color of every page. */
  readonly background: Color;
}

/** The screen on which a document is laid out before it is printed. */
export const screen = { ...defaultArea, deviceScaleFactor: 1, mobile: false } as const;

/** The default layout, one for the margins of `@page`, and one without margins for parts as tall as the paper. */
const layoutsMax = 3;

/** Styles that few documents have. Without their words, nobody has to look for them at every element. */
const rareStyles = {
  mayBeFixed: /(?<!layout\s{0,9}:\s{0,9})fixed/i,
  mayClip: /\bclip\b|content-visibility/i,
  // A query has no `@`, so this takes no longer where many begin and none ends.
  mayReveal: /:(checked|target|hover|focus|active)|@media[^{@]{0,500}width/i,
  mayBreak: /<img|type\s*=\s*["']?image|<image|<use|<video|<audio|<frameset|url\(|@font-face/i,
} as const;

/** The functions that the measurement uses inside the browser. */
const parts = [
  readPageArea,
  documentTools,
  revealContent,
  findBeyond,
  revealByRules,
  findBroken,
  findCovering,
] as const;

/**
 * Shows what a reader of paper could not get at (closed details, the rest of a box with a scroll bar or of a text field), and
 * measures the document.
 */
export async function fitDocument(session: CDPSession, html: string): Promise<Fit> {
  const styles = {
    mayBeFixed: rareStyles.mayBeFixed.test(html),
    mayClip: rareStyles.mayClip.test(html),
    mayReveal: rareStyles.mayReveal.test(html),
    mayBreak: rareStyles.mayBreak.test(html),
  };
  let layout: Layout = { width: defaultArea.width, isTall: false };
  const measure = async (at: Layout, isFinal: boolean, widthMax: number) => {
    const input = { ...at, isFinal, widthMax, namedMax, ...styles };
    return measured.parse(await evaluate(session, measureDocument, input, ...parts));
  };
  for (let tried = 1; tried <= layoutsMax; tried += 1) {
    const found = await measure(layout, tried === layoutsMax, layout.width / scaleMin);
    if (!('layout' in found)) {
      const fit = fitOf(layout, found);
      if (fit.scale === 1) return fit;
      // Some content is as wide as the page, whatever its width, and is not printed smaller with the page.
      const width = Math.ceil(layout.width / fit.scale);
      await session.send('Emulation.setDeviceMetricsOverride', { ...screen, width });
      const again = await measure({ ...layout, width }, true, width);
      const cut = 'cut' in again ? again.cut.filter((one) => !fit.cut.includes(one)) : [];
      return { ...fit, cut: [...fit.cut, ...cut].slice(0, namedMax) };
    }
    layout = { ...found.layout, width: Math.max(1, Math.round(found.layout.width)) };
    await session.send('Emulation.setDeviceMetricsOverride', { ...screen, width: layout.width });
  }
  throw new Error('the document could not be measured');
}

function fitOf(
  { width, isTall }: Layout,
  { contentWidth, cut, background }: { contentWidth: number; cut: string[]; background: Color },
): Fit {
  const isTooWide = contentWidth > width + tolerancePx;
  return { scale: isTooWide ? Math.max(scaleMin, width / contentWidth) : 1, isTall, cut, background };
}
