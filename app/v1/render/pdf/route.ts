import { render } from '@/lib/catalog';
import { notFoundRoute } from '@/lib/http/free-route';
import { paidRoute } from '@/lib/http/paid-route';
import { renderPdf } from '@/lib/render/pdf';

/** SPEC 4.4: GET and HEAD find nothing here. */
export { notFoundRoute as GET };
export const POST = paidRoute(render.pdf, 'x402', renderPdf);
