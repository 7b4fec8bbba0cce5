import { tokenTypes } from 'css-tree/tokenizer';
import { ident, string, url } from 'css-tree/utils';
import { type Context, checkSource } from './references';

/** The functions whose only argument is an address. */
const onlyAddress: ReadonlySet<string> = new Set(['src', 'url']);

/** The functions allowed next to addresses: those that describe them, and images that are drawn rather than loaded. */
const knownFunctions = new RegExp(
  [
    'type',
    'calc|min|max|clamp',
    'rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|device-cmyk|light-dark|contrast-color',
    '(-(webkit|moz|o|ms)-)?(repeating-)?(linear|radial|conic)-gradient',
    '-webkit-gradient|from|to|color-stop',
  ]
    .map((names) => `^(${names})$`)
    .join('|'),
);
const knownDelimiters: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);

/** A word in the name of every function that takes addresses: `image-set()`, `cross-fade()`, `-moz-image-rect()`. */
export const addressWord = /url|uri|src|image|fade|element|paint/i;

/**
 * Whether a string inside a function of this name is, or could be, an address. Custom functions begin with two hyphens;
 * their definitions are checked instead.
 * @param name with escapes decoded
 */
export function takesAddress(name: string): boolean {
  return !name.startsWith('--') && addressWord.test(name);
}

/** Checks an address in CSS. */
export function checkAddress(address: string, context: Context): void {
  checkSource(address, 'CSS url()', 'image or font', context, 'allowed');
}

/**
 * Checks the arguments of a function that takes addresses. Only known tokens are allowed: any other could insert text
 * where an address is expected (`var()`, `env()`, `attr()`, `if()`, custom functions, and future additions to CSS).
 */
export class AddressFunction {
  readonly #context: Context;
  readonly #open: string[] = [];
  /** The only type of token that may come next; null if several may. */
  #next: number | null = null;

  constructor(name: string, context: Context) {
    this.#context = context;
    this.#enter(name);
  }

  /** Checks the next token other than white space and comments. Returns true after the last one. */
  take(type: number, token: string): boolean {
    if (type === tokenTypes.BadString)
      return this.#refuse('CSS strings end at line breaks: write those in an address as %0A');
    if (this.#next !== null && type !== this.#next) return this.#refuse('CSS url() must be given as it is');
    switch (type) {
      case tokenTypes.String:
        if (this.#open.at(-1) !== 'type') checkAddress(string.decode(token), this.#context);
        if (this.#next !== null) this.#next = tokenTypes.RightParenthesis;
        return false;
      case tokenTypes.Url:
        checkAddress(url.decode(token), this.#context);
        return false;
      case tokenTypes.Function:
        return this.#enter(ident.decode(token.slice(0, -1)).toLowerCase());
      case tokenTypes.RightParenthesis:
        this.#next = null;
        this.#open.pop();
        return this.#open.length === 0;
      case tokenTypes.Ident:
      case tokenTypes.Hash:
      case tokenTypes.Number:
      case tokenTypes.Percentage:
      case tokenTypes.Dimension:
      case tokenTypes.Comma:
        return false;
      case tokenTypes.Delim:
        return knownDelimiters.has(token) ? false : this.#refuseUnknown();
      default:
        return this.#refuseUnknown();
    }
  }

  #enter(name: string): boolean {
    if (!takesAddress(name) && !knownFunctions.test(name)) return this.#refuseUnknown();
    this.#open.push(name);
    if (onlyAddress.has(name)) this.#next = tokenTypes.String;
    return false;
  }

  #refuseUnknown(): true {
    return this.#refuse(
      'CSS functions that load images take addresses, sizes, colors and gradients written out, no var() or the like',
    );
  }

  #refuse(rule: string): true {
    this.#context.findings.add(this.#context.path, rule);
    return true;
  }
}
