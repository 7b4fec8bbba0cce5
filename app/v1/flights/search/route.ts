import { methods } from '@/app/_routes/methods';
import { flights } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { flightSearch } from '@/lib/services/flights/search';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(flights.search, 'x402', flightSearch),
});
