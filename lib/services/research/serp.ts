import { images, news, search, shopping } from '@/lib/catalog/serp';
import { forward } from './forward';
import { searchWithSearxng } from './searxng/serp';
import { callSerper } from './serper';

export const serpSearch = forward(search, {
  serper: (app, request) => callSerper(app, 'search', request),
  searxng: (app, request) => searchWithSearxng(app, 'search', request),
});
export const serpNews = forward(news, {
  serper: (app, request) => callSerper(app, 'news', request),
  searxng: (app, request) => searchWithSearxng(app, 'news', request),
});
export const serpImages = forward(images, {
  serper: (app, request) => callSerper(app, 'images', request),
  searxng: (app, request) => searchWithSearxng(app, 'images', request),
});
export const serpShopping = forward(shopping, {
  serper: (app, request) => callSerper(app, 'shopping', request),
});
