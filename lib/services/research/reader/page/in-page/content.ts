import { Readability } from '@mozilla/readability';
import { removeLinksAbove } from './above';
import { removeBeside } from './beside';
import { cleanPage } from './clean';
import { removeContentsLists } from './contents-list';
import { copyPage } from './copy';
import { lengthOf, short } from './dom';
import { removeLinksBelow, removeOrderFields, removeOtherProducts } from './elsewhere';
import { removeControls, removeFilters } from './filters';
import { removeItemDetails } from './items';
import { removeLines } from './lines';
import { isListOfPages } from './lists';
import { removeButtons, removeLoneLinks } from './lone-links';
import { showMedia } from './media';
import { removeNotices, removeSmallPrint } from './notices';
import { removePostDetails } from './posts';
import { removeEchoes, removeRepeats } from './repeats';
import { removeOtherSections } from './sections';
import { isProduct } from './structured-data';
import { removeMemberDetails } from './threads';
import { removeWritersBelow } from './writers';

/** What is read of a page. */
export interface Content {
  readonly element: Element;
  readonly title?: string;
}

/** A copy of the page with its media. */
function copy(): Document {
  const copied = copyPage(document);
  showMedia(copied);
  return copied;
}

/** The main content of the shown page or all of its content, and its title if that is outside of it. */
export function findContent(onlyMainContent: boolean): Content {
  const page = copy();
  const heading = short(page.querySelector('h1')?.textContent);
  if (onlyMainContent) {
    removeBeside(page);
    removeFilters(page);
  }
  cleanPage(page, !onlyMainContent);
  const body = page.body ?? page.documentElement;
  if (!onlyMainContent) return { element: body, title: undefined };
  if (short(body.textContent) === undefined && body.querySelector('img') === null) return everything();
  const { element, title } = mainPart(page, body);
  removeMemberDetails(element);
  const isThread = removePostDetails(element);
  removeLinksAbove(element);
  const isList = isListOfPages(element);
  removeItemDetails(element, isList);
  if (!isList) {
    removeRepeats(element);
    removeEchoes(element);
  }
  removeOtherSections(element, isList);
  removeControls(element, isList);
  if (!isList) {
    if (isProduct(document)) {
      removeOtherProducts(element);
      removeOrderFields(element);
    } else {
      removeSmallPrint(element);
      removeContentsLists(element);
      removeLinksBelow(element);
      removeWritersBelow(element);
      removeNotices(element);
    }
  }
  removeLines(element, isList);
  if (!isList) removeButtons(element);
  if (!isList && !isThread) removeLoneLinks(element);
  return { element, title: element.querySelector('h1') === null ? (heading ?? title) : undefined };
}

/** For a page that consists only of what is usually not content, such as a site map or a login. */
function everything(): Content {
  const page = copy();
  cleanPage(page, true);
  return { element: page.body ?? page.documentElement, title: undefined };
}

/** The element that the page marks as its content, or that contains it. */
function mainPart(page: Document, body: Element): Content {
  const [main] = body.querySelectorAll('main, [role="main"]');
  const region = main && lengthOf(main) >= 0.3 * lengthOf(body) ? main : body;
  const articles = [...region.querySelectorAll('article, [role="article"]')].filter(
    (article) => !article.parentElement?.closest('article, [role="article"]'),
  );
  const [article] = articles;
  if (article && articles.length === 1 && lengthOf(article) >= 0.7 * lengthOf(region))
    return { element: article };
  return region === body ? carryingPart(page, body) : { element: region };
}

/** If nothing is marked: the smallest element that contains all of Readability's article. */
function carryingPart(page: Document, body: Element): Content {
  const elements = [...body.querySelectorAll('*')];
  const mark = 'data-reader-at';
  for (const [at, element] of elements.entries()) element.setAttribute(mark, String(at));
  const article = readArticle(Node.prototype.cloneNode.call(page, true) as Document);
  for (const element of elements) element.removeAttribute(mark);
  const content = article?.content instanceof Element ? article.content : null;
  const taken = [...(content?.querySelectorAll(`[${mark}]`) ?? [])].flatMap(
    (element) => elements[Number(element.getAttribute(mark))] ?? [],
  );
  const [first, last] = [taken[0], taken.at(-1)];
  if (!article || !first || !last) return { element: body };
  const range = page.createRange();
  range.setStartBefore(first);
  range.setEndAfter(last);
  const common = range.commonAncestorContainer;
  const element = outsideTables(common instanceof Element && body.contains(common) ? common : body, body);
  return lengthOf(element) >= 0.4 * lengthOf(body)
    ? { element, title: short(article.title) }
    : { element: body };
}

/** A part of a layout table is not a table, so the whole table is taken. */
function outsideTables(element: Element, body: Element): Element {
  let outside = element;
  for (let table = outside.closest('table'); table; table = outside.closest('table')) {
    outside = table.parentElement ?? body;
  }
  return outside;
}

function readArticle(page: Document) {
  try {
    const options = {
      keepClasses: true,
      charThreshold: 200,
      maxElemsToParse: 60_000,
      serializer: (node: Node) => node,
    };
    return new Readability(page, options).parse();
  } catch {
    return null;
  }
}
