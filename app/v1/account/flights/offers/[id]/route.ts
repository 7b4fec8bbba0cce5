import { methods } from '@/app/_routes/methods';
import { flights } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { flightOffer } from '@/lib/services/flights/offer';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods(
  { GET: paidRoute(flights.offer, 'account', flightOffer) },
  { isPriced: true },
);
export const dynamic = 'force-dynamic';
