import { all, lengthOf, removeNamed, textOf } from './dom';
import { endOfProse } from './lists';

/** What a site says of all its articles: who pays for links, and what its texts must not be taken for. */
const notice =
  /\b(affiliate (links?|commissions?|partners?)|earn (an? )?(small |affiliate |modest )*commissions?|may (be compensated|receive (an? )?(small )?(commission|compensation))|for (general )?(informational|educational|information)( (and|or) (educational|informational))? purposes( only)?|(does|do|should|is|are) not (intended )?(to )?(constitute|be (construed|considered|relied upon|taken) as|provide)( \w+){0,4} advice|(accuracy|availability) of .{0,20}transcripts?)\b/i;
const ofThisPage =
  /\b(this|our|these) (\w+ )?(site|website|page|post|article|blog|guide|content|information|links?|video|newsletter|material|transcripts?)\b|\b(we|i) may\b|\btranscripts?\b|\bsome articles\b|\b(links?) (on|in) \w+/i;
/** Who somebody is, as the end of an article says. */
const bio =
  /^\W*(about (the author:? ?)?)?(dr\.? |prof\.? )?\p{Lu}[\p{L}'’.-]+( \p{Lu}[\p{L}'’.-]*){1,3},?( \p{Lu}\p{L}*,?)? (is|was|has been|writes|works|leads|serves)\b/u;
const profession =
  /\b(author|writer|writes|blogger|journalist|editor|reporter|correspondent|contributor|columnist|photographer|(co-?)?founder|ceo|president|professor|lecturer|scientist|researcher|fellow|attorney|lawyer|partner|associate|manager|director|consultant|specialist|physician|doctor|nutritionist|expert|engineer|developer|analyst|coach|strategist|marketer|teacher|educator|freelance)\b/i;

/** Removes from an article the notices before and below its text, and who its writers are, below it. */
export function removeNotices(main: Element): void {
  const prose = endOfProse(main, []);
  if (!prose || prose.length < 1_000) return;
  const lines = all('p, div, section, aside, footer, em, li, small', main).filter((element) => {
    if (element.querySelector('h1, p, div, ul, ol, table, pre') !== null) return false;
    const length = lengthOf(element);
    return length > 40 && length < 900;
  });
  const [first] = all('p', main).filter((one) => lengthOf(one) >= 200 && !notice.test(textOf(one)));
  const isAfter = (element: Element, other: Element) =>
    (other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  for (const element of lines) {
    if (!element.isConnected || element.closest('table, pre, blockquote')) continue;
    const text = textOf(element);
    const isBelow = isAfter(element, prose.end);
    const isAround = isBelow || first === undefined || !isAfter(element, first);
    const isNotice = isAround && notice.test(text) && ofThisPage.test(text);
    const isBio = isBelow && profession.test(text.split(bio).at(-1) ?? '') && bio.test(text);
    if (isNotice || isBio) element.remove();
  }
}

/** Small print, not boxes about law. */
const smallPrint = {
  words: ['disclaimer', 'disclosure', 'fineprint', 'fine-print', 'legal'],
  name: /(^|[^a-z])(disclaimers?|disclosures?|fine-?print)([^a-z]|$)|(^|[\s_-])legal([\s_-]?(text|copy|notices?|notes?|info|print))?(\s|$)/i,
  shareMax: 0.3,
};

/** Removes small print: what a site must say. */
export function removeSmallPrint(main: Element): void {
  removeNamed(main, smallPrint);
}
