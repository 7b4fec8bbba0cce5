import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { ident, url } from 'css-tree/utils';
import { AddressFunction, addressWord, checkAddress, takesAddress } from './css-addresses';
import type { Context } from './references';

/** The types of `attr()` whose values cannot be addresses. Other types could be (CSS Values 5, 7.7). */
const safeTypes: ReadonlySet<string> = new Set([
  'angle',
  'color',
  'custom-ident',
  'flex',
  'frequency',
  'ident',
  'integer',
  'length',
  'length-percentage',
  'number',
  'percentage',
  'raw-string',
  'resolution',
  'string',
  'time',
  'transform-function',
  'transform-list',
]);

const unit =
  /^(r?(em|ex|ch|cap|ic|lh)|[sld]?v(w|h|i|b|min|max)|cq(w|h|i|b|min|max)|cm|mm|q|in|pt|pc|px|deg|grad|rad|turn|m?s|k?hz|dp(i|cm|px)|x|fr)$/;

const knownDelimiters: ReadonlySet<string> = new Set(['%', '|', '<', '>', '+', '#']);

/**
 * Checks the start of an `attr()` up to the comma: the attribute's name and type. Attributes such as `title` and `data-…`
 * are not checked as CSS, so `attr()` must not turn them into CSS.
 */
class AttrType {
  readonly #context: Context;
  #isInType = false;
  #isNamed = false;
  #isOfSyntax = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Checks the next token other than white space and comments. Returns true after the last token of the start. */
  take(type: number, token: string): boolean {
    switch (type) {
      case tokenTypes.Comma:
        return true;
      case tokenTypes.RightParenthesis:
        if (!this.#isInType) return true;
        this.#isInType = false;
        return false;
      case tokenTypes.Function:
        this.#isInType = ident.decode(token.slice(0, -1)).toLowerCase() === 'type';
        return this.#isInType ? false : this.#refuse();
      case tokenTypes.Ident:
        return this.#takeIdent(ident.decode(token).toLowerCase());
      case tokenTypes.Delim:
        this.#isOfSyntax = token === '<';
        // Before the type, a bar separates the namespace from the name.
        if (token === '|' && !this.#isInType) this.#isNamed = false;
        return knownDelimiters.has(token) ? false : this.#refuse();
      default:
        return this.#refuse();
    }
  }

  #takeIdent(word: string): boolean {
    const isType = this.#isInType ? this.#isOfSyntax : this.#isNamed;
    this.#isNamed = true;
    return !isType || safeTypes.has(word) || (!this.#isInType && unit.test(word)) ? false : this.#refuse();
  }

  #refuse(): true {
    this.#context.findings.add(
      this.#context.path,
      'CSS attr() must have a plain type, such as <number> or <color>',
    );
    return true;
  }
}

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
        findings.add(
          path,
          'CSS url() is malformed: put the address in quotation marks, and write those in it as %22 or %27',
        );
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
