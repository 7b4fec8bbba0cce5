import type { Found } from './search-index';

/** What the search page and the search dialog say alike. */

export function countWords(query: string, shown: number, total: number): string {
  if (query === '') return 'Guides, calls, errors and terms are searched.';
  if (total === 0) return `Nothing was found for “${query}”. Try other words.`;
  if (shown < total) return `The ${shown} best of ${total} results for “${query}”`;
  return total === 1 ? `1 result for “${query}”` : `${total} results for “${query}”`;
}

/** Results by the part of the site that they belong to. The part with the best result comes first. */
export function groupsOf(results: readonly Found[]): { title: string; found: readonly Found[] }[] {
  const titles = [...new Set(results.map(({ group }) => group))];
  return titles.map((title) => ({ title, found: results.filter(({ group }) => group === title) }));
}
