import type { SellerCase } from '../case';
import { answer402Cases } from './answer-402';
import { browserCases } from './browsers';
import { mppChallengeCases } from './challenge-mpp';
import { x402ChallengeCases } from './challenge-x402';
import { documentCases } from './discovery-documents';
import { openApiCases } from './discovery-openapi';
import { x402ExtensionCases } from './extensions-x402';
import { httpMessageCases } from './http-messages';
import { refusedCredentialCases } from './refused-credentials';
import { refusedPaymentCases } from './refused-payments';
import { requestCases } from './requests';
import { Silence, type UnpaidSeller } from './seller';

const cases = [
  ...answer402Cases,
  ...x402ChallengeCases,
  ...x402ExtensionCases,
  ...mppChallengeCases,
  ...refusedPaymentCases,
  ...refusedCredentialCases,
  ...requestCases,
  ...httpMessageCases,
  ...browserCases,
  ...openApiCases,
  ...documentCases,
];

/** All cases that need no money, in the order in which they run. A seller that is silent where it has to answer fails. */
export const freeCases: readonly SellerCase<UnpaidSeller>[] = cases.map(({ check, ...rest }) => ({
  ...rest,
  check: (seller) =>
    check(seller).catch((error: unknown) => {
      if (error instanceof Silence) return { result: 'fail' as const, detail: error.message };
      throw error;
    }),
}));
