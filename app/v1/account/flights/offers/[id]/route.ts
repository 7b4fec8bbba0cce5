import { flights } from '@/lib/catalog';
import { flightOffer } from '@/lib/flights/offer';
import { paidRoute } from '@/lib/http/paid-route';

export const GET = paidRoute(flights.offer, 'account', flightOffer);
export const dynamic = 'force-dynamic';
