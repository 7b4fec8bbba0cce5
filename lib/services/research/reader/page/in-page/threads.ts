import { all, textOf } from './dom';

/**
 * Removes what a thread says about its members beside each post: how many posts they have written, since when, their rank
 * and badges; and the commands of posts. Names and dates stay.
 */
export function removeMemberDetails(main: Element): void {
  const detail =
    /^((posts?|messages?|joined|join date|registered|member since|reaction score|solutions?|trophy points|likes|likes received|location|threads|karma|reputation|rank|thanks|first name|name|age|gender|country)\b:?\s?.{0,50}|[\d.,k]+ (posts|messages|topics)\b.{0,30}|[\d.,k]*( ?\d+ (gold|silver|bronze) badges?)+)$/i;
  const certain =
    /^(posts?|messages?|joined|join date|registered|member since|reaction score)\b:?\s?\S|(posts|messages) · joined|(gold|silver|bronze) badges?$/i;
  const command =
    /^(#\d+( of \d+)?|\d*\s*(reply|quote|report|like|share)( (reply|quote|report|like|share|save))*|thread starter|discussion starter|sort(ed)? by.{0,40}|offline|online|reactions:.{0,40}|likes? reactions:.{0,40}|wrote( on)?( last edited by)?|top|new|follow|improve this (question|answer)|start asking to get answers|explore related questions|see similar questions with these tags\.?|find the answer to your question by asking\.?|ask question|reset to default|show \d+ more comments?|you must (to|log in or register to|be logged in).{0,40}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+00:00)$/i;
  const wordsOf = (element: Element) =>
    element.nodeName === 'DL' ? [...element.children].map(textOf).join(' ') : textOf(element);
  const small = all('dl, dt, dd, li, div, p, span, small, em, h3, h4, h5, h6, a', main)
    .filter(
      (element) =>
        element.closest('blockquote, pre, table, article p') === null || element.closest('td dl') !== null,
    )
    .map((element) => ({ element, text: wordsOf(element) }))
    .filter(({ text }) => text.length > 1 && text.length < 90);
  if (small.filter(({ text }) => certain.test(text)).length < 3) return;
  for (const { element, text } of small) {
    if (!element.isConnected) continue;
    const isTitle = /user-?title|userrank|user-?rank|poster-?rank|profile-rank/i.test(element.className);
    if (isTitle || command.test(text) || (detail.test(text) && element.querySelector('p, h1, h2') === null))
      element.remove();
  }
}
