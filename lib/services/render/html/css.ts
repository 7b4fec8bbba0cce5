import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { ident, url } from 'css-tree/utils';
import { AddressFunction, addressWord, checkAddress, takesAddress } from './css-addresses';
import { AttrType } from './css-attr';
import type { Context } from './references';

/** Checks the arguments of one function, which has its own rules. */
interface Arguments {
  /** Checks the next token. Returns true after the last one of the function. */
  take(type: number, token: string): boolean;
}

/**
 * Checks every reference in a style sheet or a declaration list, including those in custom properties, in unknown rules
 * and behind escapes. It works on the tokens of the CSS Syntax standard, without recursion, so that nested text takes no
 * more time or stack.
 *
 * Values for `var()` and similar substitutions are checked where they are defined. That is enough because functions that
 * take addresses may contain no substitution, so a substituted text never becomes an address.
 */
export function checkCss(text: string, context: Context): void {
  const { path, findings } = context;
  let inside: Arguments | null = null;
  tokenize(text, (type: number, start: number, end: number) => {
    if (type === tokenTypes.WhiteSpace || type === tokenTypes.Comment) return;
    if (inside) {
      if (inside.take(type, text.slice(start, end))) inside = null;
      return;
    }
    switch (type) {
      case tokenTypes.AtKeyword:
        if (ident.decode(text.slice(start + 1, end)).toLowerCase() === 'import') {
          findings.add(path, 'CSS @import is not allowed');
        }
        break;
      case tokenTypes.Url:
        checkAddress(url.decode(text.slice(start, end)), context);
        break;
      case tokenTypes.BadUrl:
        findings.add(path, 'CSS url() is malformed');
        break;
      case tokenTypes.Function: {
        const name = ident.decode(text.slice(start, end - 1)).toLowerCase();
        if (takesAddress(name)) inside = new AddressFunction(name, context);
        else if (name === 'attr') inside = new AttrType(context);
        break;
      }
    }
  });
}

/** Whether `checkCss` could find anything in a value. It skips the attributes that need no check. */
export function mayReferInCss(value: string): boolean {
  return value.includes('(') && (value.includes('\\') || addressWord.test(value) || /attr/i.test(value));
}
