import { ident, string, tokenize, tokenTypes, url } from 'css-tree';
import { type Context, checkSource } from './references';

/** The functions in which a string is an address. */
const addressFunctions: ReadonlySet<string> = new Set([
  'cross-fade',
  'image',
  'image-set',
  'src',
  'url',
  '-webkit-cross-fade',
  '-webkit-image-set',
]);
/** Those that take nothing but an address: anything else in them (`var()`) could become one. */
const onlyAddress: ReadonlySet<string> = new Set(['src', 'url']);

/**
 * Every reference in a style sheet or a declaration list, wherever it stands: in custom properties, in rules that no
 * browser knows, behind escapes. Works on the tokens of the CSS Syntax standard, without recursion, so that time and
 * stack do not depend on how the text is nested.
 */
export function checkCss(text: string, context: Context): void {
  const { path, findings } = context;
  const open: string[] = [];
  let mustBeString = false;
  tokenize(text, (type: number, start: number, end: number) => {
    if (type === tokenTypes.WhiteSpace || type === tokenTypes.Comment) return;
    if (mustBeString && type !== tokenTypes.String) findings.add(path, 'CSS url() must be given as it is');
    mustBeString = false;
    switch (type) {
      case tokenTypes.AtKeyword:
        if (ident.decode(text.slice(start + 1, end)).toLowerCase() === 'import') {
          findings.add(path, 'CSS @import is not allowed');
        }
        break;
      case tokenTypes.Url:
        checkReference(url.decode(text.slice(start, end)), context);
        break;
      case tokenTypes.BadUrl:
        findings.add(path, 'CSS url() is malformed');
        break;
      case tokenTypes.Function: {
        const name = ident.decode(text.slice(start, end - 1)).toLowerCase();
        mustBeString = onlyAddress.has(name);
        open.push(name);
        break;
      }
      case tokenTypes.LeftParenthesis:
        open.push('');
        break;
      case tokenTypes.RightParenthesis:
        open.pop();
        break;
      case tokenTypes.String:
        if (addressFunctions.has(open.at(-1) ?? '')) {
          checkReference(string.decode(text.slice(start, end)), context);
        }
        break;
    }
  });
  if (mustBeString) findings.add(path, 'CSS url() must be given as it is');
}

function checkReference(address: string, context: Context): void {
  checkSource(address, 'CSS url()', 'image or font', context, 'allowed');
}
