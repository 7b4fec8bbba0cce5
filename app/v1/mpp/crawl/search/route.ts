import { crawl } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { crawlSearch } from '@/lib/research/crawl-search';

export const POST = paidRoute(crawl.search, 'mpp', crawlSearch);
