import { checkCss, mayReferInCss } from './css';
import { type Context, checkFragment, checkLink, checkSource, checkSrcset } from './references';

/**
 * The rules for one element, the same for HTML, inline SVG, MathML and SVG in data: URLs. They ignore namespaces: an
 * element is checked as the most dangerous element with its local name.
 */

export interface Attribute {
  /** In lower case, with its prefix if it has one. */
  readonly name: string;
  readonly value: string;
}

/** Elements that run code or load another document. */
const forbiddenElements: ReadonlySet<string> = new Set([
  'applet',
  'base',
  'bgsound',
  'browser',
  'controlledframe',
  'embed',
  'fencedframe',
  'frame',
  'frameset',
  'handler',
  'iframe',
  'link',
  'listener',
  'object',
  'portal',
  'script',
  'webview',
]);

/** The headers that a `meta` may set: none that redirects, fetches or resolves a name. */
const harmlessHttpEquiv: ReadonlySet<string> = new Set([
  'cache-control',
  'content-language',
  'content-security-policy',
  'content-style-type',
  'content-type',
  'expires',
  'imagetoolbar',
  'pragma',
  'x-ua-compatible',
]);

type AttributeRule = (value: string, context: Context, element: string) => void;

const never =
  (rule: string): AttributeRule =>
  (_, { path, findings }) =>
    findings.add(path, rule);
const imageSource =
  (name: string): AttributeRule =>
  (value, context) =>
    checkSource(value, name, 'image', context);

const attributeRules: ReadonlyMap<string, AttributeRule> = new Map<string, AttributeRule>([
  ['action', never('action is not allowed: forms cannot be submitted')],
  ['formaction', never('formaction is not allowed: forms cannot be submitted')],
  ['ping', never('ping is not allowed')],
  ['attributionsrc', never('attributionsrc is not allowed')],
  ['manifest', never('manifest is not allowed')],
  ['srcdoc', never('srcdoc is not allowed')],
  ['codebase', never('codebase is not allowed')],
  ['archive', never('archive is not allowed')],
  ['classid', never('classid is not allowed')],
  ['xml:base', never('xml:base is not allowed')],
  ['src', imageSource('src')],
  ['poster', imageSource('poster')],
  ['background', imageSource('background')],
  ['lowsrc', imageSource('lowsrc')],
  ['dynsrc', imageSource('dynsrc')],
  ['icon', imageSource('icon')],
  ['altimg', imageSource('altimg')],
  ['srcset', checkSrcset],
  ['imagesrcset', checkSrcset],
  ['href', checkHref],
  ['cite', (value, context) => checkLink(value, 'cite', context)],
  ['longdesc', (value, context) => checkLink(value, 'longdesc', context)],
  ['usemap', (value, context) => checkFragment(value, 'usemap', context)],
  ['style', checkCss],
]);

/** Attributes for people to read, where `url(…)` is only text. */
const text = /^(alt|aria-.*|class|content|data-.*|id|label|name|placeholder|summary|title|value)$/;

function checkHref(value: string, context: Context, element: string): void {
  if (element === 'a' || element === 'area') checkLink(value, 'href', context);
  else if (element === 'image' || element === 'feimage') {
    checkSource(value, 'href', 'image', context, 'allowed');
  } else checkFragment(value, 'href', context);
}

const withoutPrefix = (name: string) => name.slice(name.lastIndexOf(':') + 1);

/**
 * Checks an element with its attributes.
 * @param name its local name in lower case
 */
export function checkElement(name: string, attributes: readonly Attribute[], context: Context): void {
  const { path, findings } = context;
  if (forbiddenElements.has(name)) findings.add(path, `${name} is not allowed`);
  for (const attribute of attributes) checkAttribute(name, attribute, context);
  if (name === 'meta') checkMeta(attributes, context);
  if (/^(animate.*|set)$/.test(name)) checkAnimation(attributes, context);
}

function checkAttribute(element: string, attribute: Attribute, context: Context): void {
  const { name, value } = attribute;
  const local = withoutPrefix(name);
  const rule = attributeRules.get(name) ?? attributeRules.get(local);
  if (/^on/.test(local)) context.findings.add(context.path, 'event handlers are not allowed');
  else if (rule) rule(value, context, element);
  // Presentation attributes of SVG, and any others that browsers may parse as CSS.
  else if (mayReferInCss(value) && !text.test(local)) checkCss(value, context);
}

function checkMeta(attributes: readonly Attribute[], { path, findings }: Context): void {
  const header = attributes.find(({ name }) => name === 'http-equiv');
  if (header && !harmlessHttpEquiv.has(header.value.trim().toLowerCase())) {
    findings.add(path, 'this meta http-equiv is not allowed');
  }
}

/** Nothing moves on paper, so the only use of animating a reference would be to load something. */
function checkAnimation(attributes: readonly Attribute[], { path, findings }: Context): void {
  const target = attributes.find(({ name }) => name === 'attributename');
  const animated = withoutPrefix(target?.value.trim().toLowerCase() ?? '');
  if (attributeRules.has(animated) || /^on/.test(animated)) {
    findings.add(path, 'references cannot be animated');
  }
}
