import { ar } from './ar';
import { de } from './de';
import { en } from './en';
import { es } from './es';
import { fr } from './fr';
import { he } from './he';
import { hi } from './hi';
import { id } from './id';
import { it } from './it';
import { ja } from './ja';
import { ko } from './ko';
import { more } from './more';
import { nl } from './nl';
import { pl } from './pl';
import { pt } from './pt';
import { ru } from './ru';
import { sv } from './sv';
import { tr } from './tr';
import { uk } from './uk';
import { vi } from './vi';
import type { WordList } from './word-list';
import { zh } from './zh';

export const languages: readonly WordList[] = [
  ...[en, de, fr, es, pt, it, nl, pl, sv, tr, ru, uk, ar, he, hi, zh, ja, ko, id, vi],
  ...more,
];
