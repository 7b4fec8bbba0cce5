import { methods } from '@/app/_routes/methods';
import { free } from '@/app/_routes/operations';
import { tools } from '@/lib/catalog';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: free(tools.flightBookingLinks),
});
