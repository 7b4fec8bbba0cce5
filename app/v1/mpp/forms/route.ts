import { methods } from '@/app/_routes/methods';
import { forms } from '@/lib/catalog';
import { createForm } from '@/lib/forms/create';
import { paidRoute } from '@/lib/http/paid-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(forms.create, 'mpp', createForm),
});
