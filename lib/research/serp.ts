import { images, news, search, shopping } from '@/lib/catalog/serp';
import { forward } from './forward';
import { askSerper } from './serper';

export const serpSearch = forward(search, { serper: (request) => askSerper('search', request) });
export const serpNews = forward(news, { serper: (request) => askSerper('news', request) });
export const serpImages = forward(images, { serper: (request) => askSerper('images', request) });
export const serpShopping = forward(shopping, { serper: (request) => askSerper('shopping', request) });
