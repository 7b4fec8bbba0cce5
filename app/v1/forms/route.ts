import { forms } from '@/lib/catalog';
import { createForm } from '@/lib/forms/create';
import { paidRoute } from '@/lib/http/paid-route';

export const POST = paidRoute(forms.create, 'x402', createForm);
