import { ids } from '../_page/signing-state';
import './copy-values';
import './whole-rows';

/** The script of the console. Its pages work without it, except where a wallet signs. */

if (document.getElementById(ids.form)) void import('./signing');
