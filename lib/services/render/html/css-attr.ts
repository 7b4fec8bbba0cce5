import { tokenTypes } from 'css-tree/tokenizer';
import { ident } from 'css-tree/utils';
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
export class AttrType {
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
