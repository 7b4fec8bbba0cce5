import { sample } from '../support/tiers';
import { test } from '../support/without-browser';
import { openWrittenPages, type WrittenPage } from './written-pages';

const prose = (about: string) =>
  `<p>${`The ${about} was built on the northern cape long ago. `.repeat(6)}</p>`;
const parts = ['Granite', 'Lamps', 'Keepers', 'Storms']
  .map((name) => `<h2 id="${name}">${name}</h2>${prose(`tower of ${name}`)}`)
  .join('');
const article = (inside: string) =>
  `<title>T</title><meta property="og:type" content="article"><main><h1>Towers</h1>${inside}</main>`;
const product = (inside: string) =>
  `<title>T</title><meta property="og:type" content="product"><main><h1>A lamp</h1>${prose('lamp').repeat(3)}${inside}</main>`;
const cards = ['Foghorns', 'Harbors', 'Buoys']
  .map((name) => `<div><a href="/${name}"><h3>${name} of the south</h3></a><p>A tale of ${name}.</p></div>`)
  .join('');
const links = '<ul><li><a href="/h">Harbors of note</a></li><li><a href="/b">Buoys of note</a></li></ul>';
const contents = (of: readonly string[]) =>
  `<div><p>In this article</p><ul>${of.map((name) => `<li><a href="#${name}">${name}</a></li>`).join('')}</ul></div>`;
const review = 'This lamp has burned in our kitchen every night. ';

const pages: readonly WrittenPage[] = [
  {
    title: 'a table of contents is not read with an article, whose headings are',
    html: article(`${contents(['Granite', 'Lamps', 'Keepers', 'Storms'])}${parts}`),
    has: ['## Granite', '## Storms'],
    hasNot: ['In this article', '#Granite'],
  },
  {
    title: 'a list of links into a page is read that says more than its headings',
    html: article(`${contents(['First', 'Second', 'Third'])}${parts}`),
    has: ['In this article', '[Second](https://page.example.com/#Second)'],
  },
  ...Object.entries({
    'it is declared in Open Graph': article(''),
    'it is declared in JSON-LD':
      '<title>T</title><script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":["NewsArticle"]}]}</script><main><h1>Towers</h1></main>',
    'it is declared in microdata':
      '<title>T</title><main itemscope itemtype="https://schema.org/BlogPosting"><h1>Towers</h1></main>',
  }).map(([declared, html]) => ({
    title: `cards and lists of other pages below an article are not read if ${declared}`,
    html: html.replace(
      '</main>',
      `${parts}<div><h2>From our desk</h2><div>${cards}</div></div><h3>In brief</h3>${links}</main>`,
    ),
    has: ['tower of Storms'],
    hasNot: ['From our desk', 'Foghorns', 'In brief', 'Harbors of note'],
  })),
  {
    title: 'links below an article are read that are its sources or belong to its last sentence',
    html: article(`${parts}${links}<h2>Sources</h2><ul><li><a href="/o">The harbor office</a></li></ul>`),
    has: ['Harbors of note', 'Sources', 'The harbor office'],
  },
  {
    title: 'links below the text of a page that is not an article are read',
    html: article(`${parts}<h3>Forms</h3>${links}`).replace('article', 'website'),
    has: ['Forms', 'Harbors of note'],
  },
  {
    title: 'most of a page is read though it leads elsewhere',
    html: article(`${parts}<div>${cards.repeat(12)}</div>`),
    has: ['Foghorns', 'Buoys'],
  },
  {
    title: 'what is said below an article about its writer is not read, and the name above is',
    html: `<meta name="author" content="Ada North">${article(`<p>By Ada North</p>${parts}<div><p>Ada North has kept lighthouses since she was nine.</p></div>`)}`,
    has: ['By Ada North', 'tower of Storms'],
    hasNot: ['since she was nine'],
  },
  {
    title: 'notices around an article and lines below it on who somebody is are not read',
    html: article(
      `<p>This post may contain affiliate links, for which we earn a commission at no cost.</p>${parts}
      <p>Ben South is a professor of towers at the southern school, and an expert on lamps.</p><p>The content of this blog is for informational purposes only.</p>`,
    ),
    has: ['tower of Granite', 'tower of Storms'],
    hasNot: ['affiliate', 'professor of towers', 'informational'],
  },
  {
    title: 'who somebody is and what links earn is read within an article',
    html: article(
      `${prose('tower')}<p>Ben South is a professor of towers at the southern school, and an expert on lamps.</p><p>We found that this site can earn a commission with each of its links.</p>${parts}`,
    ),
    has: ['professor of towers', 'earn a commission'],
  },
  {
    title: 'what an article says in its text about its writer is read',
    html: `<meta name="author" content="Ada North">${article(`<p>Ada North has kept lighthouses since she was nine.</p>${parts}`)}`,
    has: ['since she was nine'],
  },
  {
    title: 'who made an image, rights and questions about the page are not read, and the image is',
    html: article(
      `${prose('tower')}<figure><img src="/1.png" alt="A tower"><figcaption>Photo by Ben South</figcaption></figure>${parts}
      <p>Lena East / Getty Images</p><p>Copyright © 2026 Cape News. All rights reserved.</p><div>Was this article helpful?</div>`,
    ),
    has: ['![A tower](https://page.example.com/1.png)'],
    hasNot: ['Ben South', 'Getty', 'Cape News', 'helpful'],
  },
  {
    title: 'sentences are read that name who made an image or what a license allows',
    html: article(
      `${parts}<p>The photo by Ben South shows the tower in 1920.</p><p>Credits: 3</p><p>The copyright © of the plans has ended.</p>`,
    ),
    has: ['The photo by Ben South', 'Credits: 3', 'The copyright © of the plans'],
  },
  {
    title: 'links that only call to do something are not read with an article',
    html: article(
      `${prose('tower')}<p><a href="/x">Read more</a></p><div><a href="/s">Buy it at Lamp Shop</a></div>${parts}<p>You can <a href="/y">read more</a> there.</p>`,
    ),
    has: ['You can [read more](https://page.example.com/y) there.'],
    hasNot: ['Read more', 'Lamp Shop'],
  },
  {
    title: 'links to other pages between the paragraphs of an article are not read',
    html: article(
      `${prose('tower')}<p>Also read: <a href="/f">Foghorns of the south</a></p>${parts}<p>Lesen Sie auch: <a href="/h">Die Häfen im Süden der Insel</a></p>${prose('last tower')}<p>See also <a href="/m">the manual</a> of the keepers, which says more about all of this.</p>`,
    ),
    has: ['[the manual]'],
    hasNot: ['Also read', 'Foghorns', 'Lesen Sie auch', 'Häfen'],
  },
  {
    title: 'the way to a page is not read that ends with its title',
    html: article('')
      .replace('<h1>', '<p><a href="/">Home</a> &gt; <a href="/t">Our stories</a> &gt; Towers</p><h1>')
      .replace('</main>', `${parts}</main>`),
    has: ['# Towers'],
    hasNot: ['Our stories'],
  },
  {
    title: 'what an article is filed under is not read',
    html: article(
      `${parts}<p>Posted in <a href="/t">Towers</a> and tagged with Capes</p><div>Tags: granite, lamps</div>`,
    ),
    has: ['tower of Storms'],
    hasNot: ['Posted in', 'Tags: granite'],
  },
  {
    title: 'links that only call to do something are read with a page that is not an article',
    html: article(`${parts}<p><a href="/x">Read more</a></p>`).replace('article', 'website'),
    has: ['[Read more]'],
  },
  {
    title: 'cards of other products are not read with a product',
    html: product(`<section><h2>From the workshop</h2><div>${cards}</div></section>`),
    has: ['The lamp was built'],
    hasNot: ['From the workshop', 'Foghorns'],
  },
  {
    title: 'cards are read that are most of a page of products',
    html: product(`<div>${cards.repeat(20)}</div>`),
    has: ['Foghorns'],
  },
  {
    title: 'reviews of a product are not read, and its rating is',
    html: product(
      `<p>4.6 out of 5</p><section><h2>Customer reviews</h2><img src="/r.png" alt="R"><p>${review.repeat(8)}</p></section>`,
    ),
    has: ['4.6 out of 5'],
    hasNot: ['This lamp has burned'],
  },
  {
    title: 'reviews of a product are not read whose heading counts them',
    html: product(
      `<section><h2>Reviews for this item (76)</h2><img src="/r.png" alt="R"><p>${review.repeat(8)}</p></section>`,
    ),
    has: ['The lamp was built'],
    hasNot: ['This lamp has burned'],
  },
  {
    title: 'a short review is read with a product',
    html: product(`<section><h2>Customer reviews</h2><img src="/r.png" alt="R"><p>${review}</p></section>`),
    has: ['This lamp has burned'],
  },
];

const written = openWrittenPages();
test.afterAll(() => written.close());

for (const [index, page] of pages.entries())
  test(page.title, sample(index % 4 === 0), () => written.expectRead(page));
