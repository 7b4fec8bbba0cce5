import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { ident, url } from 'css-tree/utils';
import { AddressFunction, addressWord, checkAddress, takesAddress } from './css-addresses';
import { AttrType } from './css-attr';
import type { Context } from './references';

/** The arguments of one function that are read apart from the rest. */
interface Arguments {
  /** Judges the next token; answers whether the rest of the text is read as usual again. */
  take(type: number, token: string): boolean;
}

/**
 * Every reference in a style sheet or a declaration list, wherever it stands: in custom properties, in rules that no
 * browser knows, behind escapes. Works on the tokens of the CSS Syntax standard, without recursion, so that time and
 * stack do not depend on how the text is nested.
 *
 * What `var()` and its like put somewhere is judged where it is written. That is enough as long as no text can become an
 * address by the place that it is put in, so functions that take addresses take no substitution.
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

/** Whether a value may hold what `checkCss` objects to, so that attributes without any need not be read. */
export function mayReferInCss(value: string): boolean {
  return value.includes('(') && (value.includes('\\') || addressWord.test(value) || /attr/i.test(value));
}
