import { images, news, search, shopping } from '@/lib/catalog/serp';
import { forward } from './forward';
import { searchWithSearxng } from './searxng/serp';
import { askSerper } from './serper';

export const serpSearch = forward(search, {
  serper: (request) => askSerper('search', request),
  searxng: (request) => searchWithSearxng('search', request),
});
export const serpNews = forward(news, {
  serper: (request) => askSerper('news', request),
  searxng: (request) => searchWithSearxng('news', request),
});
export const serpImages = forward(images, {
  serper: (request) => askSerper('images', request),
  searxng: (request) => searchWithSearxng('images', request),
});
export const serpShopping = forward(shopping, { serper: (request) => askSerper('shopping', request) });
