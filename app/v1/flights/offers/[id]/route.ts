import { methods } from '@/app/_routes/methods';
import { paid } from '@/app/_routes/operations';
import { flights } from '@/lib/catalog';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods(
  { GET: paid('x402', flights.offer) },
  { isPriced: true },
);
export const dynamic = 'force-dynamic';
