import { test } from '../support/without-browser';
import { openWrittenPages, type WrittenPage } from './written-pages';

const prose = (about: string) =>
  `<p>${`The ${about} was built on the northern cape long ago. `.repeat(6)}</p>`;
const long = [1, 2, 3, 4].map((n) => prose(`tower number ${n}`)).join('');

/** Text that a person sees, or sees after a click, although the page hides it at first. */
const pages: readonly WrittenPage[] = [
  {
    title: 'a page that is invisible until its scripts run is read',
    html: `<title>T</title><div style="visibility:hidden"><h1>Towers</h1>${long}</div>`,
    has: ['Towers', 'tower number 4'],
  },
  {
    title: 'a page of custom elements that wait for their definitions is read',
    html: `<title>T</title><style>x-part:not(:defined){visibility:hidden}</style><x-part><h1>Towers</h1></x-part><x-part>${long}</x-part>`,
    has: ['Towers', 'tower number 4'],
  },
  {
    title: 'an invisible part of a visible page is not read',
    html: `<title>T</title><main><h1>Towers</h1>${long}<div style="visibility:hidden">${prose('secret')}</div></main>`,
    has: ['tower number 4'],
    hasNot: ['secret'],
  },
  {
    title: 'the closed section of an accordion is read though it is invisible and has no height',
    html: `<title>T</title><main><h1>Towers</h1>${long}<button aria-controls="s1">More</button>
        <div id="s1" role="region" style="overflow:hidden;height:0;visibility:hidden">${prose('mill')}</div></main>`,
    has: ['The mill'],
  },
  ...Object.entries({
    'its heading': '<div><h3>The mill</h3></div>',
    'an element that keys reach': '<div tabindex="0">More</div>',
  }).map(([what, before]) => ({
    title: `text that is closed below ${what} is read`,
    html: `<title>T</title><main><h1>Towers</h1>${long}${before}<div style="display:none">${prose('wheel')}</div></main>`,
    has: ['The wheel'],
  })),
  {
    title: 'a closed menu is not read though it has a heading',
    html: `<title>T</title><main><h1>Towers</h1>${long}<h3>Products</h3><ul style="display:none"><li><a href="/b">Buoys of note</a></li></ul></main>`,
    has: ['tower number 4'],
    hasNot: ['Buoys of note'],
  },
  {
    title: 'a panel of tabs is read though assistive technology skips it while it is closed',
    html: `<title>T</title><main><h1>Towers</h1>${long}<div role="tabpanel" aria-hidden="true">in a closed tab</div></main>`,
    has: ['in a closed tab'],
  },
  {
    title: 'text that assistive technology skips is read where a person sees it and nothing else says it',
    html: `<title>T</title><main><h1>Towers</h1><p><a href="/x" aria-hidden="true" tabindex="-1">What became of the last keeper of the northern tower, and why.</a></p>${long}
        <div aria-hidden="true">${prose('tower number 1')}</div></main>`,
    has: ['the last keeper'],
  },
  {
    title: 'a part of a specification is read though its heading is a word that recommendations have',
    html: `<title>T</title><main><h1>Game</h1>${long}<div><h2>Minimum</h2><ul><li>Memory: 2 GB</li></ul></div><div><h2>Recommended</h2><ul><li>Memory: 16 GB</li></ul></div></main>`,
    has: ['Memory: 16 GB'],
  },
  {
    title: 'most of a page is read though the class of its boxes has a word of advertisements',
    html: `<title>T</title><body><h1>Services</h1>${['Audit', 'Tax', 'Advice', 'Law', 'Risk']
      .map((name) => `<div class="promo"><a href="/${name}"><h3>${name}</h3>${prose(name)}</a></div>`)
      .join('')}</body>`,
    has: ['Audit was built', 'Risk was built'],
  },
  {
    title: 'a page of images without words is described by what it says about itself',
    html: '<title>Towers</title><meta name="description" content="Forty towers of the northern cape"><main><img src="/1.png" alt=""><a href="/x"><img src="/2.png" alt=""></a></main>',
    has: ['# Towers', 'Forty towers of the northern cape', '/1.png'],
  },
];

const written = openWrittenPages();
test.afterAll(() => written.close());

for (const page of pages) test(page.title, () => written.expectRead(page));
