import { test } from '../support/without-browser';
import { openWrittenPages, type WrittenPage } from './written-pages';

const names = ['Brass', 'Steel', 'Glass', 'Paper', 'Stone'];
const page = (inside: string, kind = 'website') =>
  `<title>T</title><meta property="og:type" content="${kind}"><main><h1>Lamps</h1>${inside}</main>`;
const prose = (about: string) =>
  `<p>${`The ${about} lamp was made in the northern workshop long ago. `.repeat(8)}</p>`;
const card = (name: string, inside = '') =>
  `<li class="card"><a href="/${name}"><img src="/${name}.png" alt=""><h3>${name} lamp of the south</h3></a>${inside}</li>`;

const pages: readonly WrittenPage[] = [
  {
    title: 'the title of an item is read once though the link of its image has it, too',
    html: page(
      `<ul>${names.map((name) => `<li class="card"><a href="/${name}"><img src="/1.png" alt=""><span>${name} lamp of the south</span></a><h3><a href="/${name}">${name} lamp of the south</a></h3><p>For a ${name} house</p></li>`).join('')}</ul>`,
    ),
    has: ['### [Brass lamp of the south]', 'For a Stone house'],
    hasNot: ['\nBrass lamp of the south', ')Brass lamp of the south'],
  },
  {
    title: 'a fact that several items share is read with each of them',
    html: page(`<ul>${names.map((name) => card(name, '<p>Ships in two days</p>')).join('')}</ul>`),
    has: ['Paper lamp of the south](https://page.example.com/Paper)\n    \n    Ships in two days'],
  },
  {
    title: 'commands that all items of a list have are not read, and what only some have is',
    html: page(
      `<ul>${names.map((name, at) => card(name, `<label>Compare</label><p><a href="/${name}">Show it</a></p>${at === 1 ? '<a href="/m">By the masters</a>' : ''}`)).join('')}</ul>`,
    ),
    has: ['Brass lamp of the south', 'By the masters'],
    hasNot: ['Compare', 'Show it'],
  },
  {
    title: 'controls are not read that only some items of a list have',
    html: page(
      `<p>33 results</p><ul>${names.map((name, at) => card(name, `<p>${at < 2 ? 'Quick view' : `Of ${name}`}</p>`)).join('')}</ul>`,
    ),
    has: ['Brass lamp of the south', 'Of Stone'],
    hasNot: ['Quick view', '33 results'],
  },
  {
    title: 'boxes named as recent or popular are read with a list of pages',
    html: page(
      `<div class="recent"><p>New from the workshop</p></div><ul>${names.map((name) => card(name)).join('')}</ul>`,
    ),
    has: ['New from the workshop'],
  },
  {
    title: 'priced items of other pages are not read with a product',
    html: page(
      `<p>$ 40</p>${prose('brass').repeat(3)}<ul>${names.map((name) => `<li class="tile"><img src="/1.png" alt=""><div>${name} shade</div><p>$ 12</p><a href="/${name}">See</a></li>`).join('')}</ul>`,
      'product',
    ),
    has: ['$ 40', 'The brass lamp'],
    hasNot: ['Glass shade', '$ 12'],
  },
  {
    title: 'the fields for an order are not read with a product',
    html: page(
      `${prose('brass').repeat(3)}<form><p>Choose a color</p><label>Red</label></form><div><label>Quantity</label><b>In stock</b></div>`,
      'product',
    ),
    has: ['The brass lamp', 'In stock'],
    hasNot: ['Choose a color', 'Quantity'],
  },
  {
    title: 'a command is read with its item that is its only link',
    html: page(
      `<ul>${names.map((name) => `<li class="card"><img src="/1.png" alt=""><h3>${name} lamp of the south</h3><a href="/${name}">Find out more</a></li>`).join('')}</ul>`,
    ),
    has: ['[Find out more](https://page.example.com/Brass)'],
  },
  {
    title: 'commands of the same name that lead to different pages are read with their item',
    html: page(
      `<ul>${names.map((name) => `<li class="pair"><p>${name} lamp</p><a href="/${name}/1">Find out more</a><a href="/${name}/2">Find out more</a></li>`).join('')}</ul>${prose('brass').repeat(3)}`,
    ),
    has: [
      '[Find out more](https://page.example.com/Brass/1)',
      '[Find out more](https://page.example.com/Brass/2)',
    ],
  },
  {
    title: 'labels are read with a page that is no product',
    html: page(`${prose('brass').repeat(3)}<div><label>Quantity</label></div>`),
    has: ['Quantity'],
  },
  {
    title: 'text for screen readers only is not read under any of its names, and a price is',
    html: page(
      `${prose('brass')}<p><span class="wt-screen-reader-only">From the seller</span> <span class="u-visually-hidden">Now 12 dollars</span></p>`,
    ),
    has: ['Now 12 dollars'],
    hasNot: ['From the seller'],
  },
  {
    title: 'the place of an image among others is not a rating',
    html: page(`<div aria-label="Image 2 of 5"></div><div aria-label="4 of 5"></div>${prose('brass')}`),
    has: ['Rating: 4 of 5'],
    hasNot: ['Image 2 of 5'],
  },
];

const written = openWrittenPages();
test.afterAll(() => written.close());

for (const one of pages) test(one.title, () => written.expectRead(one));
