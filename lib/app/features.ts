import type { Feature } from './feature';
import { channels } from './open-channels';

/** The optional features. Nothing else names them but their own files. */
export const features: readonly Feature[] = [channels];
