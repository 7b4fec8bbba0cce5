import { methods } from '@/app/_routes/methods';
import { flights } from '@/lib/catalog';
import { flightOffer } from '@/lib/flights/offer';
import { paidRoute } from '@/lib/http/paid-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods(
  { GET: paidRoute(flights.offer, 'x402', flightOffer) },
  { isPriced: true },
);
export const dynamic = 'force-dynamic';
