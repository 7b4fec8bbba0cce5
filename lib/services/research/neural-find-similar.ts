import { findSimilar } from '@/lib/catalog/neural';
import { askExa } from './exa/ask';
import { filters } from './exa/filters';
import { forward } from './forward';

export const neuralFindSimilar = forward(findSimilar, {
  exa: ({ url, excludeSourceDomain, ...filtered }) =>
    askExa('/findSimilar', { url, excludeSourceDomain, ...filters(filtered) }),
});
