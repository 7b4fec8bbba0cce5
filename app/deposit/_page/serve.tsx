import type { ReactElement } from 'react';
import { z } from 'zod';
import { renderPage } from '@/app/_page/render';
import { currentApp } from '@/lib/app/current';
import { billing } from '@/lib/catalog';
import { ApiError } from '@/lib/errors/api-error';
import { readBytes } from '@/lib/http/body';
import { pageAssets } from '@/lib/http/page-assets';
import { type PageAnswer, type PageRequest, pageRoute } from '@/lib/http/page-route';
import { unsignedPayment } from '@/lib/http/unsigned-payment';
import { countTransactionOf } from '@/lib/services/accounts/deposit';
import { depositUrl, takesDeposits } from '@/lib/services/accounts/identity';
import { DepositPage, MessagePage } from './pages';
import type { DepositNetwork } from './state';

/** Serves the pages under /deposit. */

async function html(status: number, page: ReactElement): Promise<PageAnswer> {
  return { status, html: await renderPage(page) };
}

async function messagePage({ nonce }: PageRequest, status: number, title: string, text: string) {
  const frame = { nonce, assets: await pageAssets('deposit') };
  return html(status, <MessagePage frame={frame} title={title} text={text} />);
}

const failed = (pageRequest: PageRequest, status: number) =>
  messagePage(pageRequest, status, 'Something went wrong', 'Nothing was paid. Try again in a moment.');

function offeredNetworks(): DepositNetwork[] {
  return currentApp()
    .payments.networks.offered()
    .map(({ network: { name, caip2, family, label, explorer } }) => ({
      name,
      caip2,
      family,
      label,
      explorer,
    }));
}

/** `GET /deposit/{id}` */
export const showDeposit = pageRoute(
  currentApp,
  async (pageRequest) => {
    const { id } = pageRequest.params;
    if (typeof id !== 'string' || !(await takesDeposits(currentApp(), id))) {
      return messagePage(
        pageRequest,
        404,
        'Account not found',
        'Check the link, or ask your agent for a new one.',
      );
    }
    const { min, max } = billing.depositLimits;
    const frame = { nonce: pageRequest.nonce, assets: await pageAssets('deposit') };
    const state = { accountId: id, networks: offeredNetworks(), min, max };
    return html(200, <DepositPage frame={frame} state={state} url={depositUrl(currentApp(), id)} />);
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
    const parsed = transactionRequest.safeParse(parseJson(await readBytes(request)));
    if (!parsed.success) throw new ApiError('invalid_input');
    await countTransactionOf(currentApp(), address, currentApp().clock.date());
    const { payer, amount } = parsed.data;
    return { status: 200, json: { transaction: await unsignedPayment(currentApp(), payer, amount) } };
  },
  async (_, status) => ({ status, json: { error: { status } } }),
);

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
}
