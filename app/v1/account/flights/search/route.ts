import { flights } from '@/lib/catalog';
import { flightSearch } from '@/lib/flights/search';
import { paidRoute } from '@/lib/http/paid-route';

export const POST = paidRoute(flights.search, 'account', flightSearch);
