import { methods } from '@/app/_routes/methods';
import { tools } from '@/lib/catalog';
import { bookingLinks } from '@/lib/flights/booking-links';
import { freeToolRoute } from '@/lib/http/free-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: freeToolRoute(tools.flightBookingLinks, bookingLinks),
});
