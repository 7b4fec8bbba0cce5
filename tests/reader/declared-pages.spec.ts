import { sample } from '../support/tiers';
import { test } from '../support/without-browser';
import { openWrittenPages, type WrittenPage } from './written-pages';

const prose = (about: string) =>
  `<p>${`The ${about} was built on the northern cape long ago. `.repeat(6)}</p>`;
const parts = ['Granite', 'Lamps', 'Keepers', 'Storms']
  .map((name) => `<h2 id="${name}">${name}</h2>${prose(`tower of ${name}`)}`)
  .join('');
const article = (inside: string) => `<title>T</title><main><h1>Towers</h1>${inside}</main>`;
const product = (inside: string, declaration = '<meta property="og:type" content="product">') =>
  `<title>T</title>${declaration}<main><h1>A lamp</h1>${prose('lamp').repeat(3)}${inside}</main>`;
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
  {
    title: 'cards and lists of other pages below the text of a page are not read',
    html: article(`${parts}<div><h2>From our desk</h2><div>${cards}</div></div><h3>In brief</h3>${links}`),
    has: ['tower of Storms'],
    hasNot: ['From our desk', 'Foghorns', 'In brief', 'Harbors of note'],
  },
  {
    title: 'links below an article are read that are its sources or belong to its last sentence',
    html: article(`${parts}${links}<h2>Sources</h2><ul><li><a href="/o">The harbor office</a></li></ul>`),
    has: ['Harbors of note', 'Sources', 'The harbor office'],
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
    title: 'links that stand alone with a few words are not read',
    html: article(
      `<div class="hero"><a href="/s"><span>Start for free</span></a></div>${parts}<a href="/p"><img src="/2.png" alt="Plans"> Our plans</a>
      <ul><li><a href="/g">Granite of the south</a></li></ul><h2><a href="/h">Harbors</a></h2><p><a href="/b">Lamp, $ 12</a></p>
      <p class="byline"><a href="/a">Ada North</a></p><p>They are <span><a href="/l">lit at night</a></span> by keepers.</p>${prose('last tower')}`,
    ),
    has: [
      ...['[Granite of the south]', '## [Harbors]', '[Lamp, $ 12]', '[Ada North]', '[lit at night]'],
      '![Plans](https://page.example.com/2.png)',
    ],
    hasNot: ['Start for free', 'Our plans'],
  },
  {
    title: 'links that stand alone with a few words are read if they are much of a page',
    html: article(
      `<p>Lights of the coast:</p>${['Granite', 'Storms', 'Lamps'].map((name) => `<div><a href="/${name}">${name} of the cape</a></div>`).join('')}`,
    ),
    has: ['[Granite of the cape]', '[Lamps of the cape]'],
  },
  {
    title: 'a line that says again what the line before it says is read once',
    html: article(
      `<div>Open at night</div><div><span>Open at night</span></div>${parts}<div>Open at night</div>`,
    ),
    has: ['Open at night\n\n##', 'Open at night'],
    hasNot: ['Open at night\n\nOpen at night'],
  },
  {
    title: 'boxes named as controls or hints are not read, unless they tell a price or are in a sentence',
    html: article(
      `<div class="sliderNavigation"><p>Slide 1 of 4</p></div><p>A <span class="tooltip">lens<span class="tooltip-text">, of glass,</span></span> turns.</p>
      <div><span>Oil</span><div class="tooltip-text">It burns slowly</div></div><div class="item-actions"><p>$ 12</p></div>${parts}`,
    ),
    has: ['A lens, of glass, turns.', 'Oil', '$ 12'],
    hasNot: ['Slide 1', 'It burns slowly'],
  },
  {
    title: 'controls of shops and lists are not read, and such words in a heading, a sentence or a list are',
    html: article(
      `<div>Showing 1–24 of 123 results</div><p>Please select a size</p><div><span>Quick view</span></div>${parts}
      <h2>Sort by</h2><p>Press <b>Compare</b> to see two towers.</p><ol><li>Create an account</li><li>Close</li></ol>`,
    ),
    has: ['## Sort by', 'Press **Compare** to', 'Create an account', 'Close'],
    hasNot: ['Showing', 'Please select', 'Quick view'],
  },
  {
    title: 'what the software of a forum says around posts is not read',
    html: article(
      `<p>Not open for further replies.</p>${parts}<div>Posted (edited)</div><div>Create an account or sign in to comment</div><div>3 replies from keepers</div>`,
    ),
    has: ['3 replies from keepers'],
    hasNot: ['further replies', '(edited)', 'Create an account'],
  },
  {
    title:
      'forms, and boxes named as such or as the foot of a page, are not read; a table, a price or a date in them is',
    html: article(
      `${parts}<form><p>Where shall we call you?</p></form><div class="callbackForm"><p>We call tomorrow</p></div><div class="buy-form"><p>One lamp: $ 40</p></div><form><table><tr><td>Oil</td></tr></table></form>
      <div class="page-footer"><p>Built by the coast guard</p></div><div class="post-footer"><p>Painted in <time>May 2026</time></p></div>`,
    ),
    has: ['tower of Storms', 'Oil', 'One lamp: $ 40', 'Painted in May 2026'],
    hasNot: ['Where shall we', 'We call tomorrow', 'coast guard'],
  },
  {
    title: 'short bars that stay in view are not read, and long ones are',
    html: article(
      `<div class="sticky"><p>Granite and lamps</p></div><div class="sticky"><p>${'All of the coast is lit. '.repeat(9)}</p></div>${parts}`,
    ),
    has: ['All of the coast is lit'],
    hasNot: ['Granite and lamps'],
  },
  {
    title: 'boxes below a text that are named as other pages are not read',
    html: article(`${parts}<div class="related-stories"><p>A harbor was closed</p></div>`),
    has: ['tower of Storms'],
    hasNot: ['A harbor was closed'],
  },
  {
    title: 'boxes named as links are not read below a text, and above its end they are',
    html: article(
      `<div class="key-links"><p>Oil and lamps</p></div>${parts}<div class="footLinks"><p>Careers at the coast guard</p></div>`,
    ),
    has: ['Oil and lamps'],
    hasNot: ['Careers at'],
  },
  {
    title: 'what every page of a government says about its address is not read',
    html: article(
      `<div><p>Official websites use .gov</p><p>Secure .gov websites use HTTPS, which a lock shows.</p></div>${parts}<p>Official websites of keepers use lamps.</p>`,
    ),
    has: ['Official websites of keepers'],
    hasNot: ['use .gov', 'HTTPS'],
  },
  {
    title: 'links that look like buttons are not read whatever their words, unless they tell a price',
    html: article(
      `<p><a class="btn" href="/s">Find out which of the towers suits you best today</a> <a class="btn" href="/t">Talk to a keeper</a></p>
      <ul><li><a class="ctaButton" href="/o">See how oil is brought up to the lamps</a></li></ul><p><a class="btn" href="/b">Buy a lamp for $ 12</a></p>${parts}`,
    ),
    has: ['Buy a lamp for $ 12'],
    hasNot: ['suits you best', 'Talk to a keeper', 'See how oil'],
  },
  {
    title: 'links that look like buttons are read if they are much of a page',
    html: article(
      `<p>Lights of the coast:</p>${['Granite', 'Storms', 'Lamps'].map((name) => `<a class="btn" href="/${name}">The tower of ${name} on the northern cape</a>`).join('')}`,
    ),
    has: ['The tower of Granite', 'The tower of Lamps'],
  },
  {
    title: 'small print is not read, and boxes about law are',
    html: article(
      `${parts}<div class="page-disclaimer"><p>Rates may change, and terms apply.</p></div><div class="legal-services"><p>We advise on wills.</p></div>`,
    ),
    has: ['tower of Storms', 'We advise on wills'],
    hasNot: ['Rates may change'],
  },
  {
    title: 'small print is read with a product, whose price it may explain',
    html: product('<div class="disclaimer"><p>Prices are without duties.</p></div>'),
    has: ['Prices are without duties'],
  },
  ...Object.entries({
    'it is declared in Open Graph': undefined,
    'it is declared in JSON-LD':
      '<script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":["Product"]}]}</script>',
    'it is declared in microdata': '<meta itemscope itemtype="https://schema.org/Product">',
  }).map(([declared, declaration]) => ({
    title: `the choices of a product and boxes named as recommendations are not read if ${declared}`,
    html: product(
      '<div class="product-variants"><p>Also in red</p></div><div id="relatedItems"><p>A foghorn of the south</p></div>',
      declaration,
    ),
    has: ['The lamp was built'],
    hasNot: ['Also in red', 'A foghorn'],
  })),
  {
    title: 'what holds for all products of a shop is not read with one, nor its comparison with others',
    html: product(
      '<div class="shipping-info"><p>Sent within two days</p></div><div id="payment"><p>By card or cash</p></div><div class="productComparison"><p>A brighter lamp</p></div><p>Shipping of oil is not possible.</p>',
    ),
    has: ['The lamp was built', 'Shipping of oil'],
    hasNot: ['Sent within', 'By card', 'A brighter lamp'],
  },
  {
    title: 'reviews of customers are not read with a list of products',
    html: `<title>T</title><main><h1>Lamps</h1><div>${cards.repeat(12)}</div><section><h2>Real reviews from real customers</h2><img src="/r.png" alt="R"><p>${review.repeat(8)}</p></section></main>`,
    has: ['Foghorns of the south'],
    hasNot: ['This lamp has burned'],
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
