import { methods } from '@/app/_routes/methods';
import { airports } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { searchAirports } from '@/lib/services/airports/search';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(airports.search, 'x402', searchAirports),
});
