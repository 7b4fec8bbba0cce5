import { categories } from '@/lib/catalog/categories';
import { toolNameOf, toolTitleOf } from '@/lib/catalog/tool-words';
import type { Call } from './calls';

/** The heading of a call. */
export const titleOf = (call: Call): string => toolTitleOf(toolNameOf(call));

/** The heading of a group of calls. */
export function groupTitle({ category }: Pick<Call, 'category'>): string {
  return categories[category].description.split(/[:,]/)[0] ?? category;
}

/** What the calls of a group are about, in a sentence. */
export function groupDescription({ category }: Pick<Call, 'category'>): string {
  return categories[category].description;
}
