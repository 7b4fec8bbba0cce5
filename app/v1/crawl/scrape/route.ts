import { methods } from '@/app/_routes/methods';
import { crawl } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { crawlScrape } from '@/lib/services/research/crawl-scrape';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(crawl.scrape, 'x402', crawlScrape),
});
