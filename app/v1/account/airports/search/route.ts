import { searchAirports } from '@/lib/airports/search';
import { airports } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';

export const POST = paidRoute(airports.search, 'account', searchAirports);
