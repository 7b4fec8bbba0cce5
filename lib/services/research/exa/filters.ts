import type { findSimilar } from '@/lib/catalog/neural';
import type { Input } from '@/lib/catalog/operation';
import { contentsOptions } from './contents-options';

type Filters = Pick<
  Input<typeof findSimilar>,
  | 'numResults'
  | 'includeDomains'
  | 'excludeDomains'
  | 'startPublishedDate'
  | 'endPublishedDate'
  | 'category'
  | 'contents'
>;

/** The filters of search and find-similar, in Exa's names. */
export function filters(input: Filters): object {
  const { numResults, excludeDomains, startPublishedDate, endPublishedDate, contents } = input;
  return {
    numResults,
    ...places(input),
    excludeDomains,
    startPublishedDate,
    endPublishedDate,
    contents: contents && contentsOptions(contents),
  };
}

/**
 * Two categories that Exa has dropped are expressed with its current ones. Publications are a collection of their own, from which
 * Exa refuses most domains: domains that the caller names count for more than the category, which is a hint.
 */
function places({ category, includeDomains }: Filters): object {
  if (category === 'research paper' || category === 'publication')
    return includeDomains ? { includeDomains } : { category: 'publication' };
  if (category === 'github') return { includeDomains: ['github.com'] };
  return { category, includeDomains };
}
