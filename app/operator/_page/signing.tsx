import { currentApp } from '@/lib/app/current';
import type { PageAnswer } from '@/lib/http/page-route';
import { type SigningStep, signingStep } from '@/lib/operator/console/refund-orders';
import { parseJson } from '@/lib/platform/json';
import { type ConsoleRequest, consoleAction, consolePage, seeOther, showPage } from './console-route';
import { formatUsdc } from './parts';
import { SigningPage } from './signing-page';
import type { SigningState } from './signing-state';

/** Serves the page where the treasury's wallet signs a refund. */

/** `GET /operator/calls/{id}/refund/wallet`. Without an open refund from a wallet, leads to the page that can begin one. */
export const showSigning = consolePage(async (context): Promise<PageAnswer> => {
  const options = await currentApp().console.findRefundOptions(context.id);
  const state = options?.open?.method === 'wallet' ? signingState(options.open) : null;
  if (!options?.open || !state) return seeOther(`/operator/calls/${encodeURIComponent(context.id)}/refund`);
  const page = <SigningPage refund={options.open} state={state} formToken={context.formToken} />;
  return showPage(context, 'Sign a refund', page);
}, 'full');

function signingState(refund: {
  readonly id: string;
  readonly paidCallId: string;
  readonly network: string;
  readonly amountAtomic: bigint;
}): SigningState | null {
  const offer = currentApp()
    .payments.networks.all()
    .find(({ network }) => network.name === refund.network);
  if (!offer) return null;
  const { network, payTo } = offer;
  return {
    refundId: refund.id,
    callId: refund.paidCallId,
    network: network.name,
    label: network.label,
    family: network.family,
    chainId: network.family === 'evm' ? network.chainId : 0,
    from: payTo,
    amount: formatUsdc(refund.amountAtomic),
  };
}

/** `POST /operator/calls/{id}/refund/wallet`: a step of the page's own script. */
export const takeStep = consoleAction('full', async (action): Promise<PageAnswer> => {
  const parsed = signingStep.safeParse(parseJson(action.fields.get('step') ?? ''));
  if (!parsed.success)
    return { status: 400, json: { problem: 'The wallet’s answer is not valid. Nothing was sent.' } };
  const isOfCall = await isRefundOf(action, parsed.data);
  if (!isOfCall) return { status: 404, json: { problem: 'There is no such refund of this call.' } };
  const answer = await currentApp().console.takeSigningStep(action.operator, parsed.data);
  return { status: 'problem' in answer ? 409 : 200, json: answer };
});

async function isRefundOf(action: ConsoleRequest, { refundId }: SigningStep): Promise<boolean> {
  const refunds = await currentApp().console.refundsOf(action.id);
  return refunds.some(({ id }) => id === refundId);
}
