import { findSimilar } from '@/lib/catalog/neural';
import { askExa } from './exa/ask';
import { filters } from './exa/filters';
import { forward } from './forward';

export const neuralFindSimilar = forward(findSimilar, {
  exa: (app, { url, excludeSourceDomain, ...filtered }) =>
    askExa(app, '/findSimilar', { url, excludeSourceDomain, ...filters(filtered) }),
});
