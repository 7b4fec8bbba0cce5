import type { ReactElement } from 'react';
import { z } from 'zod';
import { renderPage } from '@/app/_page/render';
import { payableNetwork } from '@/app/_wallets/payable';
import { currentApp } from '@/lib/app/current';
import { billing } from '@/lib/catalog';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { readBytes } from '@/lib/http/body';
import { holdingsOf } from '@/lib/http/deposit-holdings';
import { pageAssets } from '@/lib/http/page-assets';
import { type PageAnswer, type PageRequest, pageRoute } from '@/lib/http/page-route';
import { unsignedPayment } from '@/lib/http/unsigned-payment';
import { balanceOf } from '@/lib/ledger/account-book';
import { toPrice } from '@/lib/payments/money';
import { parseJson } from '@/lib/platform/json';
import { countForPage } from '@/lib/services/accounts/deposit';
import { depositUrl, takesDeposits } from '@/lib/services/accounts/identity';
import type { DepositNetwork } from './deposit-state';
import type { FrameProps } from './frame';
import { DepositPage, MessagePage } from './pages';

/** Serves the pages under /deposit. */

async function html(status: number, page: ReactElement): Promise<PageAnswer> {
  return { status, html: await renderPage(page) };
}

async function frameFor({ nonce }: PageRequest): Promise<FrameProps> {
  const { host } = new URL(currentApp().settings.PUBLIC_URL);
  return { nonce, host, assets: await pageAssets('deposit') };
}

async function messagePage(
  pageRequest: PageRequest,
  status: number,
  words: { readonly title: string; readonly text: string; readonly requestId?: string },
) {
  return html(status, <MessagePage frame={await frameFor(pageRequest)} {...words} />);
}

/** It cannot know whether its reader has paid, so it does not say that nothing was paid. */
const failed = (pageRequest: PageRequest, status: number) =>
  messagePage(pageRequest, status, {
    title: 'Something went wrong',
    text: 'This page could not be loaded. Try again in a few minutes. If you have already confirmed a payment, you will not pay twice.',
    requestId: pageRequest.requestId,
  });

function offeredNetworks(): DepositNetwork[] {
  return currentApp()
    .payments.networks.offered()
    .map((offer) => ({ ...payableNetwork(offer), payTo: offer.payTo, asset: offer.asset }));
}

/** `GET /deposit/{id}` */
export const showDeposit = pageRoute(
  currentApp,
  async (pageRequest) => {
    const { id } = pageRequest.params;
    if (typeof id !== 'string' || !(await takesDeposits(currentApp(), id))) {
      return messagePage(pageRequest, 404, {
        title: 'Account not found',
        text: 'Check the link, or ask your agent for a new one.',
      });
    }
    const { min, max } = billing.depositLimits;
    const balance = toPrice(await balanceOf(currentApp(), id));
    const state = { accountId: id, balance, networks: offeredNetworks(), min, max };
    const url = depositUrl(currentApp(), id);
    return html(200, <DepositPage frame={await frameFor(pageRequest)} state={state} url={url} />);
  },
  failed,
);

const transactionRequest = z.strictObject({
  payer: z.string().max(64),
  amount: billing.deposit.body.shape.amount,
});

/** `POST /deposit/{id}/solana`: the transaction for a wallet to sign, for the page's own script. */
export const makeTransaction = pageRoute(
  currentApp,
  async ({ request, address, params: { id } }) => {
    if (typeof id !== 'string' || !(await takesDeposits(currentApp(), id)))
      throw new ApiError('account_not_found');
    const parsed = transactionRequest.safeParse(parseJson(Buffer.from(await readBytes(request)).toString()));
    if (!parsed.success) throw new ApiError('invalid_input');
    await countForPage(currentApp(), 'transactions', address, currentApp().clock.date());
    const { payer, amount } = parsed.data;
    return { status: 200, json: { transaction: await unsignedPayment(currentApp(), payer, amount) } };
  },
  async (_, status) => ({ status, json: { error: { status } } }),
);

const holdingsRequest = z.strictObject({ wallet: z.string().max(64) });

/** `POST /deposit/{id}/holdings`: what a wallet holds on each network, and the account's balance, for the page's own script. */
export const showHoldings = pageRoute(
  currentApp,
  async ({ request, address, params: { id } }) => {
    if (typeof id !== 'string' || !(await takesDeposits(currentApp(), id)))
      throw new ApiError('account_not_found');
    const parsed = holdingsRequest.safeParse(parseJson(Buffer.from(await readBytes(request)).toString()));
    if (!parsed.success) throw new ApiError('invalid_input');
    await countForPage(currentApp(), 'holdings', address, currentApp().clock.date());
    const holdings = await holdingsOf(currentApp(), parsed.data.wallet);
    return { status: 200, json: { balance: toPrice(await balanceOf(currentApp(), id)), holdings } };
  },
  async (_, status) => ({ status, json: { error: { status } } }),
);
