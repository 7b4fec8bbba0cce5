import { setImmediate } from 'node:timers/promises';
import { type DefaultTreeAdapterMap, defaultTreeAdapter, Parser, type Token, type TreeAdapter } from 'parse5';
import type { Accessibility } from './accessibility';
import { checkCss } from './css';
import { checkElement } from './elements';
import type { Findings } from './findings';
import type { Context } from './references';

/** Chromium itself stops at 512. The limit also bounds the work for each tag. */
const elementDepthMax = 256;
/** A megabyte of unclosed formatting tags can stand for millions of elements. */
const elementsMax = 150_000;

/** The check yields to other work after each piece of this length. */
const chunkLength = 32_768;

/** The elements allowed in `select`. Newer browsers allow more than the parser, and the two must agree. */
const inSelect: ReadonlySet<string> = new Set(['option', 'optgroup', 'hr']);

/**
 * A tree that keeps only what the parser itself needs: the parent of each element, and no children. Every step then costs
 * the same, even for a hostile document.
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
 * Parses a document as a browser does and checks every tag as it comes, including those that the parser leaves out of the
 * tree: a newer browser might not.
 */
class CheckingParser extends Parser<DefaultTreeAdapterMap> {
  #findings!: Findings;
  #accessibility: Accessibility | null = null;
  /** The text of the `style` element that is open; null outside of one. */
  #css: { text: string; context: Context } | null = null;
  #isInForm = false;
  #isInSelect = false;

  static async check(
    text: string,
    findings: Findings,
    options: { scripting: boolean; positions: boolean },
    accessibility: Accessibility | null,
  ): Promise<void> {
    const parser = new CheckingParser({
      scriptingEnabled: options.scripting,
      sourceCodeLocationInfo: options.positions,
      treeAdapter: boundedTree(findings),
    });
    parser.#findings = findings;
    parser.#accessibility = accessibility;
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
    this.#accessibility?.addStartTag(name, attrs);
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
    this.#accessibility?.addEndTag(token.tagName);
    super.onEndTag(token);
  }

  override onComment(token: Token.CommentToken): void {
    if (this.#css) this.#findings.add(this.#css.context.path, 'style must contain nothing but text');
    super.onComment(token);
  }

  override onCharacter(token: Token.CharacterToken): void {
    if (this.#css) this.#css.text += token.chars;
    else if (this.#accessibility) {
      const element = this.openElements.current;
      this.#accessibility.addText(token.chars, element && 'tagName' in element ? element : null);
    }
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

  /** Forms may be displayed, but not submitted. */
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
 * Checks a whole document. A document with `noscript` is parsed twice: its content is text to a browser that runs
 * scripts, and elements to one that does not, and both must pass.
 * @param positions whether findings have line and column, which takes more time
 * @param accessibility gets what the browser will show
 */
export async function checkHtml(
  text: string,
  findings: Findings,
  positions: boolean,
  accessibility: Accessibility | null,
): Promise<void> {
  // A byte order mark names the encoding and is not part of the document.
  const document = text.startsWith('\ufeff') ? text.slice(1) : text;
  await CheckingParser.check(document, findings, { scripting: false, positions }, accessibility);
  if (/<noscript/i.test(document))
    await CheckingParser.check(document, findings, { scripting: true, positions }, null);
}
