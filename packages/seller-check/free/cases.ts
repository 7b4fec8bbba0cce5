import type { SellerCase } from '../case';
import { answer402Cases } from './answer-402';
import { mppChallengeCases } from './challenge-mpp';
import { x402ChallengeCases } from './challenge-x402';
import type { UnpaidSeller } from './seller';

/** All cases that need no money, in the order in which they run. */
export const freeCases: readonly SellerCase<UnpaidSeller>[] = [
  ...answer402Cases,
  ...x402ChallengeCases,
  ...mppChallengeCases,
];
