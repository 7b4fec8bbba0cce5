import { methods } from '@/app/_routes/methods';
import { takeDeposit } from '@/lib/accounts/deposit';
import { billing } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(billing.deposit, 'x402', takeDeposit),
});
