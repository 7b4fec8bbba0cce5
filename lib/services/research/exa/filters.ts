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

/** Two categories that Exa has dropped are expressed with its current ones. */
function places({ category, includeDomains }: Filters): object {
  if (category === 'research paper') return { category: 'publication', includeDomains };
  if (category === 'github') return { includeDomains: includeDomains ?? ['github.com'] };
  return { category, includeDomains };
}
