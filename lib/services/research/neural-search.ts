import { search } from '@/lib/catalog/neural';
import { askExa } from './exa/ask';
import { filters } from './exa/filters';
import { forward } from './forward';

export const neuralSearch = forward(search, {
  exa: (app, { query, type, userLocation, moderation, ...filtered }) =>
    askExa(app, '/search', {
      query,
      type,
      ...filters(filtered),
      userLocation: userLocation?.toUpperCase(),
      moderation,
    }),
});
