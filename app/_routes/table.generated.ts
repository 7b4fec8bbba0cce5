// Written by scripts/route-table.mjs from the route files.
import * as route0 from '@/app/.well-known/did.json/route';
import * as route1 from '@/app/.well-known/jwks.json/route';
import * as route2 from '@/app/health/ready/route';
import * as route3 from '@/app/health/route';
import * as route4 from '@/app/internal/cron/route';
import * as route5 from '@/app/mcp/route';
import * as route6 from '@/app/metrics/route';
import * as route7 from '@/app/v1/account/airports/search/route';
import * as route8 from '@/app/v1/account/crawl/scrape/route';
import * as route9 from '@/app/v1/account/crawl/search/route';
import * as route10 from '@/app/v1/account/flights/offers/[id]/route';
import * as route11 from '@/app/v1/account/flights/search/route';
import * as route12 from '@/app/v1/account/forms/route';
import * as route13 from '@/app/v1/account/neural/answer/route';
import * as route14 from '@/app/v1/account/neural/contents/route';
import * as route15 from '@/app/v1/account/neural/find-similar/route';
import * as route16 from '@/app/v1/account/neural/search/route';
import * as route17 from '@/app/v1/account/render/pdf/route';
import * as route18 from '@/app/v1/account/route';
import * as route19 from '@/app/v1/account/serp/images/route';
import * as route20 from '@/app/v1/account/serp/news/route';
import * as route21 from '@/app/v1/account/serp/search/route';
import * as route22 from '@/app/v1/account/serp/shopping/route';
import * as route23 from '@/app/v1/account/token/route';
import * as route24 from '@/app/v1/account/transactions/route';
import * as route25 from '@/app/v1/account/uploads/[id]/renew/route';
import * as route26 from '@/app/v1/account/uploads/[id]/route';
import * as route27 from '@/app/v1/account/uploads/route';
import * as route28 from '@/app/v1/accounts/route';
import * as route29 from '@/app/v1/airports/search/route';
import * as route30 from '@/app/v1/billing/deposits/route';
import * as route31 from '@/app/v1/channels/refund/route';
import * as route32 from '@/app/v1/crawl/scrape/route';
import * as route33 from '@/app/v1/crawl/search/route';
import * as route34 from '@/app/v1/flights/offers/[id]/route';
import * as route35 from '@/app/v1/flights/search/route';
import * as route36 from '@/app/v1/forms/[id]/responses/route';
import * as route37 from '@/app/v1/forms/route';
import * as route38 from '@/app/v1/mpp/crawl/scrape/route';
import * as route39 from '@/app/v1/mpp/crawl/search/route';
import * as route40 from '@/app/v1/mpp/flights/search/route';
import * as route41 from '@/app/v1/mpp/forms/route';
import * as route42 from '@/app/v1/mpp/neural/answer/route';
import * as route43 from '@/app/v1/mpp/neural/contents/route';
import * as route44 from '@/app/v1/mpp/neural/find-similar/route';
import * as route45 from '@/app/v1/mpp/neural/search/route';
import * as route46 from '@/app/v1/mpp/serp/images/route';
import * as route47 from '@/app/v1/mpp/serp/news/route';
import * as route48 from '@/app/v1/mpp/serp/search/route';
import * as route49 from '@/app/v1/mpp/serp/shopping/route';
import * as route50 from '@/app/v1/mpp/uploads/[id]/renew/route';
import * as route51 from '@/app/v1/mpp/uploads/[id]/route';
import * as route52 from '@/app/v1/mpp/uploads/route';
import * as route53 from '@/app/v1/neural/answer/route';
import * as route54 from '@/app/v1/neural/contents/route';
import * as route55 from '@/app/v1/neural/find-similar/route';
import * as route56 from '@/app/v1/neural/search/route';
import * as route57 from '@/app/v1/paid-calls/[id]/receipt/route';
import * as route58 from '@/app/v1/paid-calls/[id]/route';
import * as route59 from '@/app/v1/render/pdf/route';
import * as route60 from '@/app/v1/serp/images/route';
import * as route61 from '@/app/v1/serp/news/route';
import * as route62 from '@/app/v1/serp/search/route';
import * as route63 from '@/app/v1/serp/shopping/route';
import * as route64 from '@/app/v1/tools/check/route';
import * as route65 from '@/app/v1/tools/flight-booking-links/route';
import * as route66 from '@/app/v1/tools/prices/route';
import * as route67 from '@/app/v1/uploads/[id]/renew/route';
import * as route68 from '@/app/v1/uploads/[id]/route';
import * as route69 from '@/app/v1/uploads/route';
import * as route70 from '@/app/v1/wallet/calls/route';
import * as route71 from '@/app/v1/wallet/forms/route';
import * as route72 from '@/app/v1/wallet/uploads/route';
import type { RouteTable } from '@/lib/http/server/routes';

export const routes: RouteTable = {
  '/.well-known/did.json': route0,
  '/.well-known/jwks.json': route1,
  '/health/ready': route2,
  '/health': route3,
  '/internal/cron': route4,
  '/mcp': route5,
  '/metrics': route6,
  '/v1/account/airports/search': route7,
  '/v1/account/crawl/scrape': route8,
  '/v1/account/crawl/search': route9,
  '/v1/account/flights/offers/[id]': route10,
  '/v1/account/flights/search': route11,
  '/v1/account/forms': route12,
  '/v1/account/neural/answer': route13,
  '/v1/account/neural/contents': route14,
  '/v1/account/neural/find-similar': route15,
  '/v1/account/neural/search': route16,
  '/v1/account/render/pdf': route17,
  '/v1/account': route18,
  '/v1/account/serp/images': route19,
  '/v1/account/serp/news': route20,
  '/v1/account/serp/search': route21,
  '/v1/account/serp/shopping': route22,
  '/v1/account/token': route23,
  '/v1/account/transactions': route24,
  '/v1/account/uploads/[id]/renew': route25,
  '/v1/account/uploads/[id]': route26,
  '/v1/account/uploads': route27,
  '/v1/accounts': route28,
  '/v1/airports/search': route29,
  '/v1/billing/deposits': route30,
  '/v1/channels/refund': route31,
  '/v1/crawl/scrape': route32,
  '/v1/crawl/search': route33,
  '/v1/flights/offers/[id]': route34,
  '/v1/flights/search': route35,
  '/v1/forms/[id]/responses': route36,
  '/v1/forms': route37,
  '/v1/mpp/crawl/scrape': route38,
  '/v1/mpp/crawl/search': route39,
  '/v1/mpp/flights/search': route40,
  '/v1/mpp/forms': route41,
  '/v1/mpp/neural/answer': route42,
  '/v1/mpp/neural/contents': route43,
  '/v1/mpp/neural/find-similar': route44,
  '/v1/mpp/neural/search': route45,
  '/v1/mpp/serp/images': route46,
  '/v1/mpp/serp/news': route47,
  '/v1/mpp/serp/search': route48,
  '/v1/mpp/serp/shopping': route49,
  '/v1/mpp/uploads/[id]/renew': route50,
  '/v1/mpp/uploads/[id]': route51,
  '/v1/mpp/uploads': route52,
  '/v1/neural/answer': route53,
  '/v1/neural/contents': route54,
  '/v1/neural/find-similar': route55,
  '/v1/neural/search': route56,
  '/v1/paid-calls/[id]/receipt': route57,
  '/v1/paid-calls/[id]': route58,
  '/v1/render/pdf': route59,
  '/v1/serp/images': route60,
  '/v1/serp/news': route61,
  '/v1/serp/search': route62,
  '/v1/serp/shopping': route63,
  '/v1/tools/check': route64,
  '/v1/tools/flight-booking-links': route65,
  '/v1/tools/prices': route66,
  '/v1/uploads/[id]/renew': route67,
  '/v1/uploads/[id]': route68,
  '/v1/uploads': route69,
  '/v1/wallet/calls': route70,
  '/v1/wallet/forms': route71,
  '/v1/wallet/uploads': route72,
};
