import type { Attack } from './attack';
import { onChannels } from './channels';
import { payments } from './payments';
import { replays } from './replays';
import { requests } from './requests';
import { settlement } from './settlement';

/** Every known attack, by number, and the tests that show what the product does about it. */
export const attacks: readonly Attack[] = [
  ...replays,
  ...payments,
  ...settlement,
  ...requests,
  ...onChannels,
].toSorted((one, other) => one.id.localeCompare(other.id));
