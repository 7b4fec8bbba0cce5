import { test } from '../support/without-browser';
import { openWrittenPages, type WrittenPage } from './written-pages';

const sentences = (about: string, times = 6) =>
  `I have tried the ${about} for a year and would buy it again at once. `.repeat(times);
const authors = ['Ada North', 'Ben South', 'Cleo West', 'Dan East'];

/** A thread in the markup that forums use, with what its posts contain. */
const threadOf = (bodies: readonly string[]) =>
  `<title>T</title><main><h1>Which lamp?</h1>${bodies
    .map(
      (
        body,
        at,
      ) => `<article id="post-${at + 1}"><div class="message-user"><h4><a href="/m/${at}">${authors[at]}</a></h4>
      <h5 class="user-title">Keeper of rank ${at}</h5><div class="user-extras"><span>Town ${at}</span></div><span>1,2${at}4</span></div>
      <div><time>May ${at + 1}, 2026</time><div>${body}</div><ul><li><span>Give thanks</span></li></ul></div></article>`,
    )
    .join('')}</main>`;

const bodies = ['brass lamp', 'steel lamp', 'glass lamp', 'paper lamp'].map((about) => sentences(about));

const threads: readonly WrittenPage[] = [
  {
    title: 'posts are read with author and date, without labels, numbers and details of members',
    html: threadOf(bodies.map((body) => `<p>${body}</p>`)),
    has: ['Ada North', 'Dan East', 'May 1, 2026', 'brass lamp', 'paper lamp'],
    hasNot: ['Give thanks', '1,204', 'Keeper of rank', 'Town 2'],
  },
  {
    title: 'a long quotation of a post of the same page is read once',
    html: threadOf([
      `<p>${bodies[0]}</p>`,
      `<blockquote>Ada North said: ${bodies[0]}</blockquote><p>I agree with that.</p>`,
      `<blockquote>${sentences('oil lamp of another page', 8)}</blockquote><p>So I read elsewhere.</p>`,
      `<blockquote>Ada North said: ${sentences('brass lamp', 1)}</blockquote><p>For me as well.</p>`,
    ]),
    has: ['I agree with that', 'oil lamp of another page', '> Ada North said: I have tried the brass lamp'],
    hasNot: [`> Ada North said: ${sentences('brass lamp', 2).trim()}`],
  },
  {
    title:
      'posts that have the subject as their heading are read without it, portraits and where members live',
    html: `<title>Which lamp is best? - Forum</title><main>${authors
      .map(
        (author, at) =>
          `<div id="p${at}"><a class="avatar" href="/m/${at}">${author[0]}</a><h3><a href="/p/${at}">Re: Which lamp is best?</a></h3>
          <div class="author">by <strong>${author}</strong></div><div class="user-extras"><a href="/map/${at}">Town ${at}</a></div>
          <div class="narrow"><a href="#${at}">Posted May ${at + 1}, 2026</a></div><div class="wide">Posted May ${at + 1}, 2026</div><div>${bodies[at]}</div></div>`,
      )
      .join('')}</main>`,
    has: ['Ada North', 'Dan East', 'Posted May 1, 2026', 'brass lamp', 'paper lamp'],
    hasNot: ['Re: Which lamp', '[A]', 'Town 2', '2026Posted', 'Posted May 1, 2026\n\nPosted'],
  },
  {
    title: 'a list of articles keeps what its items have in common',
    html: `<title>T</title><main><h1>Stories</h1>${authors
      .map(
        (author, at) =>
          `<article id="post-${at}"><h2><a href="/s/${at}">A tale of ${author}</a></h2><span>By the editors</span><p>${sentences(author, 2)}</p></article>`,
      )
      .join('')}</main>`,
    has: ['A tale of Ada North', 'By the editors'],
    hasNot: [],
  },
];

const written = openWrittenPages();
test.afterAll(() => written.close());

for (const page of threads) test(page.title, () => written.expectRead(page));
