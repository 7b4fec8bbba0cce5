import { methods } from '@/app/_routes/methods';
import { billing } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { takeDeposit } from '@/lib/services/accounts/deposit';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(billing.deposit, 'x402', takeDeposit),
});
