import { all, lengthOf, textOf } from './dom';
import { removeSaidTwice } from './items';

/** Attributes with the number of a post. */
const identifiers = ['id', 'data-content', 'data-post-id', 'data-pid'];
/** A name with one number. */
const numbered = /^\D*[a-z]\D*\d+\D*$/i;
/** What tells who wrote a post and when. */
const byline =
  'time, [datetime], [itemprop~="author"], [rel~="author"], [class*="author" i], [class*="user" i], [class*="member" i], [class*="date" i]';
/** Labels and details of members are short. */
const shortMax = 60;
/** A shorter quotation shows what a post answers. */
const quoteMin = 400;

/**
 * Removes from a thread what is said beside each post or said twice: labels and commands, numbers, details of members, and
 * long quotations of other posts of the page. Names and dates stay.
 * @returns whether it is a thread
 */
export function removePostDetails(main: Element): boolean {
  const posts = findPosts(main);
  removeLongQuotes(posts);
  if (posts.length < 3) return false;
  const names = new Set(posts.map(nameIn));
  for (const post of posts) removeSaidTwice(post);
  removeMemberCards(posts, names);
  removeLabels(posts, names);
  for (const element of posts.flatMap(shortPartsOf)) {
    const isPortrait = element.matches('[class*="avatar" i]') && textOf(element).length === 1;
    if (isPortrait || (!element.closest('p, time, li li') && /^[#+]?\d[\d.,]*[km]?$/i.test(textOf(element))))
      element.remove();
  }
  return true;
}

/** Finds the posts of a thread: boxes that differ in a number of their identifier only, and have most of the text. */
function findPosts(main: Element): Element[] {
  const groups = new Map<string, Element[]>();
  const boxes = 'div, li, article, section, table, tbody, tr';
  for (const element of all(boxes, main)) {
    const name = identifiers.find((attribute) => numbered.test(element.getAttribute(attribute) ?? ''));
    if (name === undefined) continue;
    const pattern = `${element.nodeName} ${name} ${element.getAttribute(name)?.replace(/\d+/g, '#')}`;
    const group = groups.get(pattern) ?? [];
    // The boxes come in document order, so an outer one comes first.
    if (!group.at(-1)?.contains(element)) group.push(element);
    groups.set(pattern, group);
  }
  const sum = (group: readonly Element[]) => group.reduce((length, element) => length + lengthOf(element), 0);
  const [largest] = [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({ group, length: sum(group) }))
    .sort((a, b) => b.length - a.length);
  if (!largest || largest.length < 0.5 * lengthOf(main)) return [];
  // Items whose headings lead elsewhere are a list of pages, and items without a byline are parts of a text.
  const leads = ':is(h1, h2, h3) a[href], a[href] :is(h1, h2, h3)';
  const isPost = (element: Element) =>
    element.querySelector(byline) !== null && all(leads, element).every((lead) => isSubject(textOf(lead)));
  return largest.group.filter(isPost).length > 0.5 * largest.group.length ? largest.group : [];
}

/** Whether a text is the subject of the thread, which each post may have as its heading. */
function isSubject(text: string): boolean {
  const subject = text.replace(/^re:\s*/i, '');
  return subject.length >= 8 && document.title.includes(subject);
}

/** The author's name: what a post says first with an element of its own. Single letters stand for portraits. */
function nameIn(post: Element): string {
  const marked = '[itemprop~="author"], [rel~="author"], a[href], h1, h2, h3, h4, h5, strong, b';
  const isName = (text: string) => text.length > 1 && !isSubject(text);
  return textOf(all(marked, post).find((element) => isName(textOf(element))) ?? null);
}

function shortPartsOf(post: Element): Element[] {
  return all('*', post).filter((element) => {
    const { length } = textOf(element);
    return length > 0 && length <= shortMax && !element.closest('pre, code, blockquote');
  });
}

/** Removes what most posts say alike. */
function removeLabels(posts: readonly Element[], names: ReadonlySet<string>): void {
  const parts = posts.map(shortPartsOf);
  const times = new Map<string, number>();
  for (const text of parts.flatMap((some) => [...new Set(some.map(textOf))]))
    times.set(text, (times.get(text) ?? 0) + 1);
  const timesMin = Math.max(3, 0.5 * posts.length);
  for (const element of parts.flat()) {
    const text = textOf(element);
    if (names.has(text) || element.closest('time, p') || element.querySelector('time')) continue;
    if ((times.get(text) ?? 0) >= timesMin) element.remove();
  }
}

/** Removes rank, badges and statistics of members, which forums keep in boxes of these names. */
function removeMemberCards(posts: readonly Element[], names: ReadonlySet<string>): void {
  const named =
    /(user|member|author|poster|profile)[-_]?(extras?|details?|stats?|info|titles?|banners?|rank|badges?|fields?)|(custom|post)[-_]?fields?/i;
  const dated = 'time, [datetime], a[href*="#"], [class*="date"], [class*="time"]';
  const written = 'p, blockquote, [itemprop~="text"]';
  for (const [post, element] of posts.flatMap((post) => all('*', post).map((one) => [post, one] as const))) {
    if (!element.isConnected || !named.test(element.getAttribute('class') ?? '')) continue;
    if (lengthOf(element) > 300 || element.matches(`a, ${dated}`)) continue;
    if (element.querySelector(`${dated}, ${written}`) !== null) continue;
    const inner = all('a[href], h3, h4, h5, strong, b, span', element);
    const isNamed = all('a[href], h3, h4, h5, strong, b, span', post).some(
      (one) => names.has(textOf(one)) && !element.contains(one),
    );
    const name =
      inner.find((one) => names.has(textOf(one))) ??
      (isNamed ? undefined : inner.find((one) => one.matches('a[href]') && /\p{L}/u.test(textOf(one))));
    if (name) element.replaceChildren(name);
    else element.remove();
  }
}

/** Removes long quotations of posts that are on the page themselves. */
function removeLongQuotes(posts: readonly Element[]): void {
  const flat = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const written = posts.map((post) => {
    const quotes = all('blockquote', post).filter((quote) => !quote.parentElement?.closest('blockquote'));
    return { quotes, own: flat(withoutQuotes(post)) };
  });
  for (const [at, { quotes }] of written.entries()) {
    for (const quote of quotes) {
      if (lengthOf(quote) < quoteMin) continue;
      const text = flat(textOf(quote));
      // The middle, because the ends may have an attribution.
      const middle = text.slice(text.length / 2 - 20, text.length / 2 + 20);
      if (written.some(({ own }, other) => other !== at && own.includes(middle))) quote.remove();
    }
  }
}

function withoutQuotes(post: Element): string {
  const copy = post.cloneNode(true) as Element;
  for (const quote of all('blockquote', copy)) quote.remove();
  return textOf(copy);
}
