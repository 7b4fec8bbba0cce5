import { methods } from '@/app/_routes/methods';
import { render } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { renderPdf } from '@/lib/services/render/pdf';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods(
  { POST: paidRoute(render.pdf, 'x402', renderPdf) },
  { hidden: ['GET', 'HEAD'] },
);
