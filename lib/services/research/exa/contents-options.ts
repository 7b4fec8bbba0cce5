import type { z } from 'zod';
import type { contents } from '@/lib/catalog/neural';

type ContentsOptions = Omit<z.output<typeof contents.body>, 'urls'>;

/** The options for page contents in Exa's names, at the place that they have in a request: nested, or on top. */
export function contentsOptions({ text, highlights, summary, maxAgeHours }: ContentsOptions): object {
  return {
    text: text || undefined,
    highlights: highlights || undefined,
    // Its specification has no bare `true` here.
    summary: summary === true ? {} : summary || undefined,
    maxAgeHours,
  };
}
