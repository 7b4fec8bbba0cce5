import { takeDeposit } from '@/lib/accounts/deposit';
import { billing } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';

export const POST = paidRoute(billing.deposit, 'x402', takeDeposit);
