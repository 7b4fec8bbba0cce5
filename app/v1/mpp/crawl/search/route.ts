import { methods } from '@/app/_routes/methods';
import { crawl } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { crawlSearch } from '@/lib/services/research/crawl-search';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(crawl.search, 'mpp', crawlSearch),
});
