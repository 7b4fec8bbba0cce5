import type { z } from 'zod';
import type { contents } from '@/lib/catalog/neural';

type ContentsOptions = Omit<z.output<typeof contents.body>, 'urls'>;

/** The options for page contents in Exa's names, nested or at the top level. */
export function contentsOptions({ text, highlights, summary, maxAgeHours }: ContentsOptions): object {
  return {
    text: text || undefined,
    highlights: highlights || undefined,
    // Exa's specification has no plain `true` here.
    summary: summary === true ? {} : summary || undefined,
    maxAgeHours,
  };
}
