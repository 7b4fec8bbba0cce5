import { categories } from '@/lib/catalog/categories';
import type { Call } from './calls';

/** The heading of a call. */
export const titleOf = (call: Call): string => call.title;

/** The heading of a group of calls. */
export function groupTitle({ category }: Pick<Call, 'category'>): string {
  return categories[category].title;
}

/** What the calls of a group are about, in a sentence. */
export function groupDescription({ category }: Pick<Call, 'category'>): string {
  return categories[category].description;
}
