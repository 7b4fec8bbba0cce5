import { all, lengthOf, linkShare, textOf } from './dom';

/**
 * Removes sections of the main part that are about something else than the page, as their headings say: other pages, other
 * people's reviews, invitations.
 * @param isList whether the page is a list of others, of which only the reviews of customers are removed
 */
export function removeOtherSections(main: Element, isList: boolean): void {
  const headings = 'h1, h2, h3, h4, h5, h6';
  const reviewsMin = 300;
  const wholeLength = lengthOf(main);
  const noun =
    '(posts?|articles?|stories|story|topics?|threads?|content|links?|products?|items?|resources|reading|reads|services|searches|news|videos?|questions|pages|categories|guides?|insights?|blogs?|blog posts?|reviews|discussions?|events?|announcements?|updates?|from .*|on .*|in .*|about .*)';
  const others = new RegExp(
    `^(${[
      `(our |see |view |explore |browse )?(related|similar|recommended|suggested)( ${noun})*`,
      '(related|similar|recommended|suggested) (?!to ).{1,30}',
      `(more|explore more|discover more|see more|read more|learn more|view more)( ${noun})*`,
      'more (like this|to (read|explore|discover|love)|ways to .*|from .*|on .*|in .*|by .*)',
      `(the )?(latest|recent|newest|trending|popular|featured|top|hot|other|most (read|popular|viewed|recent))( (& |and )?${noun})+`,
      '(trending|most (read|popular|viewed)|trending now|popular now|whats? new|what.s new|latest)',
      'you (may|might|could|.ll)( also)? (like|love|enjoy|need|be interested in).*',
      '(people|guests|customers|others|shoppers|visitors)( who .*)? (also|bought|viewed|ultimately).*',
      '.*customers (who )?(also )?(bought|viewed).*',
      '(frequently|often|commonly) (bought|purchased) (together|with).*',
      '(goes well|pairs well|works great|perfect) with.*|complete (the|your) (look|set|.{1,20})|shop the look|get the look|wear it with',
      '(your )?(recently|last) viewed.*|recent(ly)? searches|compare (similar|with similar|options|products).*|browse similar.*',
      '(read|up|watch|see) (this )?next|next (up|article|post|story)|previous (article|post|story)|keep (reading|exploring)|continue reading|further exploration|dive deeper',
      'trackbacks?.*|pingbacks?.*|reader interactions|leave a (reply|comment).*|(add|post|write) (a|your) (reply|comment|review)|join the (discussion|conversation).*|your (answer|reply)',
      '(share|follow) (this|us|on|via|with|now)\\b.{0,40}|stay (in the loop|connected|informed|in touch|up to date|updated|tuned).{0,40}|(sign up|subscribe|newsletter|join our|join the (newsletter|list|community)|get the latest|never miss|don.t miss).{0,60}',
      '(about|meet) the (author|writer)s?|written by|(author|company|site) (info|information|bio)|filed under|tags|tagged( with| in)?|categories|archives|forum statistics|(members|users|who.s|currently) .{0,15}(online|active users)|share this.*|trending .*',
      'as seen (in|on).{0,30}|republish.*|(create an )?account or sign in.*|you must be .*logged in.*|advertisement',
    ].join('|')})[:.…!]*$`,
    'i',
  );
  /** Clear enough for most of the page. */
  const isNext =
    /^((read|up|watch|see) (this )?next|related (posts|articles|stories)|you (may|might) also like)$/i;
  const reviews =
    /^(((verified|real|customer|user|guest|product|buyer)s? )*(ratings|reviews)( (and|&) (reviews|ratings))?( from (our |real |verified )*(buyers|clients|customers|guests|shoppers|users))?|reviews (for|of) this .{1,30}|(guest )?ratings? (and|&) reviews?|customer reviews.*|\(?\d[\d,.]*\)? (customer )?(reviews?|ratings?)|avis (des )?clients?.*|kundenbewertungen.*|opiniones de clientes.*|recensioni dei clienti.*)$/i;
  const ofCustomers = /customer|buyer|verified|guest|clients?|clientes|clienti|kunden/i;

  /** What belongs to a heading: its section element, or it and its siblings up to the next heading of its rank. */
  function sectionOf(heading: Element, shareMax: number): Element[] {
    let box = heading;
    const own = textOf(heading);
    for (let up = heading.parentElement; up && up !== main && main.contains(up); up = up.parentElement) {
      const text = textOf(up);
      if (!text.startsWith(own) || text.length > shareMax * wholeLength) break;
      if (up.querySelector('h1') && up.querySelector('h1') !== heading) break;
      box = up;
    }
    if (lengthOf(box) > own.length + 20) return [box];
    const rank = /^H\d$/.test(heading.nodeName) ? Number(heading.nodeName[1]) : 7;
    const found: Element[] = [box];
    let length = 0;
    for (let next = box.nextElementSibling; next; next = next.nextElementSibling) {
      const inner = /^H\d$/.test(next.nodeName) ? next : next.querySelector(headings);
      if (inner && Number(inner.nodeName[1]) <= rank) break;
      length += lengthOf(next);
      found.push(next);
    }
    return length > shareMax * wholeLength ? [] : found;
  }

  const times = new Map<string, number>();
  // Read once: most of them are wrappers, whose texts are long.
  const candidates = all(`${headings}, strong, b, p, span, div, summary`, main)
    .filter((element) => element.childElementCount <= 6 && (element.textContent ?? '').length < 2_000)
    .map((heading) => ({ heading, said: textOf(heading) }))
    .filter(({ said }) => said.length <= 100);
  for (const { heading, said } of candidates) {
    const [first] = heading.children;
    if (first === undefined || textOf(first) !== said) times.set(said, (times.get(said) ?? 0) + 1);
  }
  for (const { heading, said } of candidates) {
    // A heading that comes again and again is part of the items of a list.
    if ((times.get(said) ?? 0) > 2 || !heading.isConnected) continue;
    const text = said.replace(/[\u200b*]/g, '');
    if (text.length < 3) continue;
    if (heading.closest('table, pre, blockquote, li, dt, dd')) continue;
    const isHeading = /^H[2-6]$/.test(heading.nodeName);
    const isReviews = reviews.test(text) && (!isList || ofCustomers.test(text));
    if (!isReviews && (isList || !others.test(text))) continue;
    const section = sectionOf(heading, isReviews ? 0.8 : isNext.test(text) ? 0.7 : 0.5);
    const length = section.reduce((sum, element) => sum + lengthOf(element), 0);
    // A few reviews belong to a product; a stream of them has pages of its own.
    if (isReviews && length < reviewsMin) continue;
    const links = section.reduce((sum, element) => sum + all('a[href]', element).length, 0);
    const isTeaser =
      links >= 2 || section.some((element) => element.querySelector('form, input, img') !== null);
    if (!isReviews && !isTeaser) continue;
    // Without a heading element, only what consists of links.
    if (!isHeading && !(section[0] && section.length === 1 && linkShare(section[0]) > 0.4)) continue;
    for (const element of section) element.remove();
  }
}
