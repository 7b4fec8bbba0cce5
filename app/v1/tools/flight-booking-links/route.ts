import { tools } from '@/lib/catalog';
import { bookingLinks } from '@/lib/flights/booking-links';
import { freeToolRoute } from '@/lib/http/free-route';

export const POST = freeToolRoute(tools.flightBookingLinks, bookingLinks);
