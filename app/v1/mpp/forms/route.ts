import { methods } from '@/app/_routes/methods';
import { forms } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { createForm } from '@/lib/services/forms/create';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(forms.create, 'mpp', createForm),
});
