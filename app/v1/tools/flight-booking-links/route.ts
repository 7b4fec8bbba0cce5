import { methods } from '@/app/_routes/methods';
import { tools } from '@/lib/catalog';
import { freeToolRoute } from '@/lib/http/free-route';
import { bookingLinks } from '@/lib/services/flights/booking-links';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: freeToolRoute(tools.flightBookingLinks, bookingLinks),
});
