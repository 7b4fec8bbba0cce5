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
import type { UnpaidSeller } from './seller';

/** All cases that need no money, in the order in which they run. */
export const freeCases: readonly SellerCase<UnpaidSeller>[] = [
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
