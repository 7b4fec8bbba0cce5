import { sample } from '../support/tiers';
import { test } from '../support/without-browser';
import { openWrittenPages, type WrittenPage } from './written-pages';

const prose = (about: string) =>
  `<p>${`The ${about} was built on the northern cape long ago. `.repeat(6)}</p>`;
const long = [1, 2, 3, 4, 5].map((n) => prose(`tower number ${n}`)).join('');
const teasers = ['Foghorns', 'Harbors', 'Buoys']
  .map((name) => `<div><a href="/${name}"><h3>${name} of the south</h3></a><p>A tale of ${name}.</p></div>`)
  .join('');

const pages: readonly WrittenPage[] = [
  {
    title: 'a declarative shadow tree is read with its slots filled',
    html: `<title>T</title><x-card><template shadowrootmode="open"><h2>Shadow heading</h2><slot name="a"></slot><p>after the slot</p></template><p slot="a">slotted text</p></x-card>`,
    has: ['## Shadow heading\n\nslotted text\n\nafter the slot'],
  },
  {
    title: 'the frame of the same site is read in its place',
    html: '<title>T</title><h1>Outer</h1><iframe src="/framed" width="800" height="600"></iframe>',
    has: ['# Outer', 'Words in a frame'],
  },
  {
    title: 'a page of nothing but a frame of another site leads to it',
    html: '<title>T</title><iframe src="https://elsewhere.example.net/app" title="The app"></iframe>',
    has: ['[The app](https://elsewhere.example.net/app)'],
  },
  {
    title: 'a frameset leads to its frames',
    html: '<title>T</title><frameset cols="50%,50%"><frame src="https://elsewhere.example.net/one" name="One"></frameset>',
    has: ['[One](https://elsewhere.example.net/one)'],
  },
  {
    title: 'panels of tabs and accordions are read though they are closed',
    html: `<title>T</title><style>.panel{display:none}</style><main>${long}<div role="tablist"><button role="tab" aria-controls="p1">One</button></div>
      <div role="tabpanel" id="p1" hidden>in a hidden tab</div>
      <h3><button aria-expanded="false" aria-controls="r1">Two</button></h3><div id="r1" data-state="closed" hidden>in a closed section</div>
      <div hidden="until-found">found by searching</div>
      <h3><button aria-controls="s1">Three</button></h3><div class="panel" id="s1">shown by a class</div></main>`,
    has: ['in a hidden tab', 'in a closed section', 'found by searching', 'shown by a class'],
  },
  {
    title: 'text that a style sheet hides is not read',
    html: `<title>T</title><style>.x{display:none}.v{visibility:hidden}.z{height:0;overflow:hidden}.o{position:absolute;left:-9999px}</style>
      <main>${long}<p class="x">never shown</p><p class="v">invisible</p><p class="z">without height</p><p class="o">off the screen</p></main>`,
    has: ['tower number 5'],
    hasNot: ['never shown', 'invisible', 'without height', 'off the screen'],
  },
  {
    title: 'links to mail, telephones and places keep their addresses',
    html: '<title>T</title><main><a href="mailto:a@b.example">mail</a> <a href="tel:+4930">call</a> <a href="geo:52,13">go</a></main>',
    has: ['[mail](mailto:a@b.example)', '[call](tel:+4930)', '[go](geo:52,13)'],
  },
  {
    title: 'images that load later are shown with their real addresses',
    html: `<title>T</title><main><p>Images</p><img alt="one" src="data:image/gif;base64,R0" data-lazy-src="/1.png"><img alt="two" srcset="/2s.png 1x, /2.png 2x">
      <picture><source srcset="/3.png 800w"><img alt="three"></picture><img alt="four" src="/blank.gif"><noscript><img alt="four" src="/4.png"></noscript></main>`,
    has: ['/1.png)', '/2.png)', '/3.png)', '/4.png)'],
    hasNot: ['blank.gif', 'data:'],
  },
  {
    title: 'recordings leave links',
    html: '<title>T</title><main><p>Listen</p><audio src="/a.mp3" title="The horn"></audio><video><source src="/v.mp4"></video></main>',
    has: ['[The horn](https://page.example.com/a.mp3)', '[Video](https://page.example.com/v.mp4)'],
  },
  {
    title: 'what a page has for browsers without scripts is read where scripts show nothing',
    html: `<title>T</title><div id="app"></div><noscript>${long}</noscript>`,
    has: ['tower number 1', 'tower number 5'],
  },
  {
    title: 'a page without any text is described by what it says about itself',
    html: '<title>A telescope for beginners</title><meta name="description" content="Which one to buy first?"><div></div>',
    has: ['# A telescope for beginners\n\nWhich one to buy first?'],
  },
  {
    title: 'a text that is there once for each width of the screen is read once',
    html: `<title>T</title><main>${long}<div>${prose('mill')}</div><div>${prose('mill')}</div></main>`,
    has: ['The mill'],
    hasNot: [`${prose('mill').slice(3, -5)}\n\n${prose('mill').slice(3, -5)}`],
  },
  {
    title: 'sections that announce other pages are not read with an article',
    html: `<title>T</title><main><h1>Towers</h1>${long}<section><h2>You may also like</h2>${teasers}</section></main>`,
    has: ['tower number 5'],
    hasNot: ['You may also like', 'Foghorns'],
  },
  {
    title: 'links above the title of a page are not read, and who wrote it and when is',
    html: `<title>T</title><main><div><a href="/a">Wishlist</a> <a href="/b">Stores</a></div><div><a href="/n" rel="author">Ada North</a> <time>May 2026</time></div><p>Read <a href="/m">the manual</a> first.</p><h1>Towers</h1>${long}</main>`,
    has: ['Ada North', 'May 2026', 'the manual', '# Towers'],
    hasNot: ['Wishlist', 'Stores'],
  },
  {
    title: 'controls that narrow or sort a list are not read with it',
    html: `<title>T</title><main><h1>Lamps</h1><div class="product-filters"><h3>Color</h3><ul><li><label><input type="checkbox"> Brass finish</label></li></ul></div>
      <div class="facetGroup"><ul><li><span>Steel finish</span> <span>(12)</span></li><li><span>Glass</span> <span>(8)</span></li><li><span>Paper</span> <span>(3)</span></li></ul></div>
      <div class="filter"><p>A filter of paper cleans the oil.</p></div>${teasers}</main>`,
    has: ['A filter of paper', 'Foghorns', 'Buoys'],
    hasNot: ['Brass finish', 'Steel finish'],
  },
  {
    title: 'a list of other pages is read whole',
    html: `<title>T</title><main><h1>Latest stories</h1><section><h2>Popular stories</h2>${teasers}</section></main>`,
    has: ['Popular stories', 'Foghorns', 'Buoys'],
  },
  {
    title: 'posts of a thread are read with their authors and without the statistics of these',
    html: `<title>T</title><main><h1>Which oil?</h1>${[1, 2, 3]
      .map(
        (n) =>
          `<div class="post"><h4>Member ${n}</h4><dl><dt>Joined</dt><dd>Jan 5, 2010</dd></dl><dl><dt>Posts</dt><dd>1,2${n}4</dd></dl><div>${prose(`oil of tower ${n}`)}</div></div>`,
      )
      .join('')}</main>`,
    has: ['Member 1', 'Member 3', 'oil of tower 2'],
    hasNot: ['Joined', '1,214'],
  },
  {
    title: 'comments of readers below an article are not read, however many there are',
    html: `<title>T</title><main><h1>Towers</h1>${long}<ol class="comment-list">${[1, 2, 3, 4, 5, 6, 7]
      .map((n) => `<li class="comment"><b>Reader ${n}</b>${prose(`opinion of reader ${n}`)}</li>`)
      .join('')}</ol></main>`,
    has: ['tower number 5'],
    hasNot: ['opinion of reader'],
  },
  {
    title: 'comments are read where they are the page',
    html: `<title>T</title><main><h1>What do you think?</h1><ol class="comment-list"><li class="comment">${prose('first opinion')}</li></ol></main>`,
    has: ['first opinion'],
  },
  {
    title: 'comments are read that are longer than the text they comment on',
    html: `<title>T</title><h1>Towers</h1>${prose('tower')}${prose('last tower')}<div id="comments"><ul>${[
      1, 2,
    ]
      .map((n) => `<li><b>Reader ${n}</b>${prose(`opinion of reader ${n}`)}</li>`)
      .join('')}</ul></div>`,
    has: ['Reader 1', 'opinion of reader 2'],
  },
  {
    title: 'who wrote an article is not read below it',
    html: `<title>T</title><main><h1>Towers</h1><p>By Ada North</p>${long}<div class="author-box"><h3>Ada North</h3><p>Ada has kept lighthouses since she was nine.</p></div></main>`,
    has: ['By Ada North', 'tower number 5'],
    hasNot: ['since she was nine'],
  },
  {
    title: 'signatures of members are not read',
    html: `<title>T</title><main><h1>Which oil?</h1>${long}<div class="signature">Sent from my lamp</div></main>`,
    has: ['tower number 5'],
    hasNot: ['Sent from my lamp'],
  },
  {
    title: 'templates that no script has filled in are not read',
    html: `<title>T</title><main><h1>Lamp</h1>${long}<p>{{product.price.total}}</p><pre>{{ kept.in.code }}</pre></main>`,
    has: ['{{ kept.in.code }}'],
    hasNot: ['product.price.total'],
  },
  {
    title: 'text for screen readers is read only where it stands for what they are told to skip',
    html: `<title>T</title><main><h1>Lamp</h1>${long}<a href="/x">More<span class="sr-only"> opens a window</span></a>
      <p><del aria-hidden="true">$30</del><span class="screen-reader-text">Original price was $30.</span></p></main>`,
    has: ['Original price was $30.'],
    hasNot: ['opens a window'],
  },
  ...[
    ...[
      'ad-listing',
      'modal-verbs',
      'consent-age',
      'newsletter-archive',
      'popup-store',
      'feedback',
      'related',
      'promo',
    ],
    ...[
      'sidebar',
      'cookies',
      'breadcrumbs',
      'social',
      'toolbar',
      'footer',
      'comments',
      'sponsored',
      'author-box',
      'signature',
    ],
  ].map((name) => ({
    title: `a part of the main content is read although its class is ${name}`,
    html: `<title>T</title><main><article><h1>Towers</h1>${long}<div class="${name}"><h2>A part of it</h2><p>The keepers wrote this down.</p></div>
      <p class="${name}">A short paragraph.</p>${prose('last tower')}</article></main>`,
    has: ['The keepers wrote this down', 'A short paragraph', 'last tower'],
  })),
  {
    title: 'boxes of the main content are not read whose class and content say that they are something else',
    html: `<title>T</title><main><article><h1>Towers</h1>${long}<div class="newsletter"><p>Subscribe to our newsletter</p><form><input type="email"></form></div>
      <div class="ad"><p>Advertisement</p><iframe></iframe></div><div class="social-share"><a href="/f">Facebook</a> <a href="/t">Twitter</a></div>
      <div class="breadcrumbs"><a href="/">Home</a> › <a href="/t">All towers</a></div><div class="related"><a href="/x">Another tower of theirs</a></div>
      <div class="cookie-notice">We use cookies to improve this site.</div>${prose('last tower')}</article></main>`,
    has: ['last tower'],
    hasNot: ['Subscribe', 'Advertisement', 'Facebook', 'All towers', 'Another tower', 'We use cookies'],
  },
  ...Object.entries({
    'a shadow tree within a slot of another': [
      '<x-a><template shadowrootmode="open"><main><slot></slot></main></template><x-b><template shadowrootmode="open"><p>Inner <slot name="n"></slot></p></template><b slot="n">named</b></x-b></x-a>',
      'Inner **named**',
    ],
    "a slot's own content where nothing is put into it": [
      '<x-a><template shadowrootmode="open"><p><slot>usual words</slot></p></template></x-a>',
      'usual words',
    ],
    'a shadow tree with delegated focus in a table': [
      '<table><tr><th>a</th><th>b</th></tr><tr><td><x-a><template shadowrootmode="open" shadowrootdelegatesfocus><span>cell words</span></template></x-a></td><td>2</td></tr></table>',
      '| cell words | 2 |',
    ],
  }).map(([shown, [html = '', has = '']]) => ({
    title: `${shown} is read`,
    html: `<title>T</title>${html}`,
    has: [has],
  })),
  ...[
    'id="onetrust-consent-sdk"',
    'id="CybotCookiebotDialog"',
    'id="sp_message_container_123"',
    'id="didomi-host"',
    'id="usercentrics-root"',
  ].map((attribute) => ({
    title: `a consent dialog with ${attribute} is not read with a page that has no main element`,
    html: `<title>T</title><h1>Towers</h1>${long}<div ${attribute}><h2>We value your privacy</h2>${prose('partner list').repeat(8)}</div>`,
    has: ['tower number 5'],
    hasNot: ['We value your privacy', 'partner list'],
  })),
];

const written = openWrittenPages({ '/framed': '<p>Words in a frame</p>' });
test.afterAll(() => written.close());

for (const [index, page] of pages.entries())
  test(page.title, sample(index % 4 === 0), () => written.expectRead(page));
