import { search } from '@/lib/catalog/neural';
import { askExa } from './exa/ask';
import { filters } from './exa/filters';
import { forward } from './forward';

export const neuralSearch = forward(search, {
  exa: ({ query, type, userLocation, moderation, ...filtered }) =>
    askExa('/search', {
      query,
      type,
      ...filters(filtered),
      userLocation: userLocation?.toUpperCase(),
      moderation,
    }),
});
