import { setImmediate } from 'node:timers/promises';
import { type DefaultTreeAdapterMap, defaultTreeAdapter, Parser, type Token, type TreeAdapter } from 'parse5';
import { checkCss } from './css';
import { checkElement } from './elements';
import type { Findings } from './findings';
import type { Context } from './references';

/** Chromium itself stops at 512. Bounds what every tag has to look through. */
const elementDepthMax = 256;
/** A megabyte of unclosed formatting tags can stand for millions of elements. */
const elementsMax = 150_000;

/** Between two pieces of this length others get their turn. */
const chunkLength = 32_768;

/** What `select` takes: newer browsers than the parser's standard let more in, and the two must agree. */
const inSelect: ReadonlySet<string> = new Set(['option', 'optgroup', 'hr']);

/**
 * Keeps of a document what the parser's own decisions need, and lets the rest go: who is whose parent, no children. That
 * makes every step cost the same, however hostile the document.
 */
function boundedTree(findings: Findings): TreeAdapter<DefaultTreeAdapterMap> {
  let elements = 0;
  let depth = 0;
  const keepParent = (
    parent: DefaultTreeAdapterMap['parentNode'],
    node: DefaultTreeAdapterMap['childNode'],
  ) => {
    node.parentNode = parent;
  };
  return {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      elements += 1;
      if (elements > elementsMax) findings.stop('html', `at most ${elementsMax} elements`);
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
    appendChild: keepParent,
    insertBefore: keepParent,
    insertText() {},
    insertTextBefore() {},
    setDocumentType() {},
    getFirstChild: () => null,
    detachNode(node) {
      node.parentNode = null;
    },
    getChildNodes: () => [],
    getNodeSourceCodeLocation: () => null,
    setNodeSourceCodeLocation() {},
    updateNodeSourceCodeLocation() {},
    onItemPush() {
      depth += 1;
      if (depth > elementDepthMax) findings.stop('html', `at most ${elementDepthMax} elements deep`);
    },
    onItemPop() {
      depth -= 1;
    },
  };
}

/**
 * Reads a document as a browser does and judges every tag as it comes, whether or not it finds a place in the tree: a
 * browser that is newer than the standard the parser follows may find one for it.
 */
class CheckingParser extends Parser<DefaultTreeAdapterMap> {
  #findings!: Findings;
  /** The text of the `style` element that is open; null outside of one. */
  #css: { text: string; context: Context } | null = null;
  #isInForm = false;
  #isInSelect = false;

  static async check(
    text: string,
    findings: Findings,
    options: { scripting: boolean; places: boolean },
  ): Promise<void> {
    const parser = new CheckingParser({
      scriptingEnabled: options.scripting,
      sourceCodeLocationInfo: options.places,
      treeAdapter: boundedTree(findings),
    });
    parser.#findings = findings;
    for (let at = 0; at === 0 || at < text.length; at += chunkLength) {
      if (at > 0) await setImmediate();
      parser.tokenizer.write(text.slice(at, at + chunkLength), at + chunkLength >= text.length);
    }
    parser.#endStyle();
  }

  override onStartTag(token: Token.TagToken): void {
    const { tagName: name, attrs } = token;
    const path = `html:${token.location?.startLine ?? 0}:${token.location?.startCol ?? 0}`;
    const context: Context = { path, depth: 0, findings: this.#findings };
    if (this.#css) this.#findings.add(path, 'style must contain nothing but text');
    checkElement(name, attrs, context);
    this.#checkForm(name, attrs, path);
    if (this.#isInSelect && !inSelect.has(name)) this.#findings.add(path, 'select takes options only');
    if (name === 'select') this.#isInSelect = true;
    if (name === 'style') this.#css = { text: '', context };
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    if (token.tagName === 'style') this.#endStyle();
    if (token.tagName === 'form') this.#isInForm = false;
    if (token.tagName === 'select') this.#isInSelect = false;
    super.onEndTag(token);
  }

  override onComment(token: Token.CommentToken): void {
    if (this.#css) this.#findings.add(this.#css.context.path, 'style must contain nothing but text');
    super.onComment(token);
  }

  override onCharacter(token: Token.CharacterToken): void {
    if (this.#css) this.#css.text += token.chars;
    super.onCharacter(token);
  }

  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    if (this.#css) this.#css.text += token.chars;
    super.onWhitespaceCharacter(token);
  }

  #endStyle(): void {
    if (this.#css) checkCss(this.#css.text, this.#css.context);
    this.#css = null;
  }

  /** A form may be shown, not sent. */
  #checkForm(name: string, attrs: readonly Token.Attribute[], path: string): void {
    if (name === 'form') this.#isInForm = true;
    const attribute = (wanted: string) =>
      attrs
        .find((attr) => attr.name === wanted)
        ?.value.trim()
        .toLowerCase();
    const type = attribute('type');
    const submits =
      (name === 'button' && type !== 'button' && type !== 'reset') ||
      (name === 'input' && (type === 'submit' || type === 'image'));
    if (submits && (this.#isInForm || attribute('form') !== undefined)) {
      this.#findings.add(path, 'forms cannot submit: no submit button');
    }
  }
}

/**
 * Judges a whole document. With `noscript` in it, it is read twice: what a `noscript` holds is text to a browser that
 * runs scripts and elements to one that does not, and neither reading may hide anything.
 * @param places whether findings name line and column, which takes more time
 */
export async function checkHtml(text: string, findings: Findings, places: boolean): Promise<void> {
  // A byte order mark is not part of the document: it says how the bytes are to be read.
  const document = text.startsWith('\ufeff') ? text.slice(1) : text;
  await CheckingParser.check(document, findings, { scripting: false, places });
  if (/<noscript/i.test(document))
    await CheckingParser.check(document, findings, { scripting: true, places });
}
