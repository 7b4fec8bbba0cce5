import { crawl } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { crawlScrape } from '@/lib/research/crawl-scrape';

export const POST = paidRoute(crawl.scrape, 'mpp', crawlScrape);
