import { methods } from '@/app/_routes/methods';
import { searchAirports } from '@/lib/airports/search';
import { airports } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(airports.search, 'account', searchAirports),
});
