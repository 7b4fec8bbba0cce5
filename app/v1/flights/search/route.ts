import { methods } from '@/app/_routes/methods';
import { flights } from '@/lib/catalog';
import { flightSearch } from '@/lib/flights/search';
import { paidRoute } from '@/lib/http/paid-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(flights.search, 'x402', flightSearch),
});
