import { sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { openWrittenPages } from './written-pages';

/** What the Markdown of some HTML must contain; spaces that only align cells do not count. */
const cases: Readonly<Record<string, readonly [html: string, ...has: string[]]>> = {
  'a header of two rows keeps every label over its column': [
    '<table><thead><tr><th colspan="3">A</th><th rowspan="2">B</th></tr><tr><th>a</th><th>b</th><th>c</th></tr></thead><tbody><tr><td>1</td><td>2</td><td>3</td><td>4</td></tr></tbody></table>',
    '| A | | | B |\n| --- | --- | --- | --- |\n| a | b | c | B |\n| 1 | 2 | 3 | 4 |',
  ],
  'a cell that spans columns before one that spans rows leaves the next row in its columns': [
    '<table><tr><th>a</th><th>b</th><th>c</th></tr><tr><td colspan="2">wide</td><td rowspan="2">tall</td></tr><tr><td>1</td><td>2</td></tr></table>',
    '| wide | | tall |\n| 1 | 2 | tall |',
  ],
  'a cell with rowspan 0 runs to the end of its section': [
    '<table><tr><th>a</th><th>b</th></tr><tr><td rowspan="0">all</td><td>1</td></tr><tr><td>2</td></tr><tr><td>3</td></tr></table>',
    '| all | 1 |\n| all | 2 |\n| all | 3 |',
  ],
  'the foot of a table comes last': [
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tfoot><tr><td>sum</td><td>3</td></tr></tfoot><tbody><tr><td>x</td><td>1</td></tr></tbody></table>',
    '| x | 1 |\n| sum | 3 |',
  ],
  'MathML without TeX is written as TeX': [
    '<p>Roots <math><msqrt><mn>16</mn></msqrt></math>, <math><msub><mi>x</mi><mn>2</mn></msub></math>, <math><mfrac><mn>1</mn><mi>n</mi></mfrac></math>.</p>',
    '$\\sqrt{16}$',
    '$x_{2}$',
    '$\\frac{1}{n}$',
  ],
  'a matrix keeps its entries apart': [
    '<p><math><mfenced><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable></mfenced></math></p>',
    '\\begin{matrix} 1 & 2 \\end{matrix}',
  ],
  'powers, limits and named functions are TeX': [
    '<p><math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msup><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>b</mi><mo>)</mo></mrow><mn>2</mn></msup><mi>sin</mi></math></p>',
    '\\sum_{i}^{n}',
    '{( a + b )}^{2}',
    '\\mathrm{sin}',
  ],
  ...Object.fromEntries(
    Object.entries({
      '<mn>1</mn><mn>2</mn>': '1 \\, 2',
      '<mn>2</mn><mo>&InvisibleTimes;</mo><mn>3</mn>': '2 \\, 3',
      '<mover><mi>x</mi><mo>¯</mo></mover>': '\\bar{x}',
      '<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>→</mo></mover>': '\\overrightarrow{A B}',
      '<mover><mo>=</mo><mi>d</mi></mover>': '\\overset{d}{=}',
      '<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>': '\\mathrm{lim}_{x \\to 0}',
      '<munder><mi>x</mi><mo>_</mo></munder>': '\\underline{x}',
      '<munderover><mi>x</mi><mn>1</mn><mn>2</mn></munderover>': '\\underset{1}{\\overset{2}{x}}',
      '<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>': 'x_{1}^{2}',
      '<msup><mn>12</mn><mn>3</mn></msup>': '{12}^{3}',
      '<mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><mn>1</mn><mn>4</mn></mmultiscripts>':
        '{}_{1}^{4}C_{6}',
      '<mroot><mn>8</mn><mn>3</mn></mroot>': '\\sqrt[3]{8}',
      '<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>': '\\binom{n}{k}',
      '<mfenced open="[" close="" separators="|;"><mi>a</mi><mi>b</mi><mi>c</mi></mfenced>':
        '\\left[a|b;c\\right.',
      '<mfenced open="{" close="}"><mn>1</mn><mn>2</mn></mfenced>': '\\left\\{1, 2\\right\\}',
      '<menclose notation="box"><mi>x</mi></menclose>': '\\boxed{x}',
      '<mi mathvariant="double-struck">R</mi><mi mathvariant="bold">v</mi>': '\\mathbb{R} \\mathbf{v}',
      '<mi>𝑥</mi><mo>&lt;</mo><mn>𝟐</mn>': 'x < 2',
      '<mtext>if 5% </mtext><ms>s</ms>': '\\text{if 5\\%} \\text{"s"}',
      '<mstyle><mpadded><mi>a</mi></mpadded><mphantom><mn>9</mn></mphantom><mspace width="1em"/><merror><mi>b</mi></merror></mstyle>':
        'a b',
      '<maction selection="2"><mn>1</mn><mn>2</mn></maction>': '2',
      '<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd><mi>a</mi></mtd></mlabeledtr></mtable>':
        '\\begin{matrix} a & \\text{(1)} \\end{matrix}',
      '<mstack><mn>12</mn><msrow><mo>+</mo><mn>34</mn></msrow><msline/><mn>46</mn></mstack>':
        '\\begin{array}{r} 12 \\\\ + 34 \\\\ \\hline 46 \\\\ \\end{array}',
      '<mlongdiv><mn>3</mn><mn>12</mn><mn>36</mn></mlongdiv>':
        '3 \\, ) \\, \\begin{array}{r} 12 \\\\ 36 \\\\ \\end{array}',
      '<semantics><mi>x</mi><annotation-xml encoding="MathML-Content"><ci>x</ci></annotation-xml></semantics>':
        'x',
      '<mrow><mi>a</mi><semantics><mi>b</mi><annotation encoding="application/x-tex">b</annotation></semantics></mrow>':
        'a b',
    }).map(([math, tex]) => [
      `${math} is written as TeX`,
      [`<p>See <math>${math}</math>.</p>`, `See $${tex}$.`],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      'MathJax 2 with its source':
        '<span class="MathJax_Preview">x2</span><span class="MathJax" data-mathml="<math><mn>9</mn></math>"><span class="math">x2</span><span class="MJX_Assistive_MathML"><math><mn>9</mn></math></span></span><script type="math/tex">x^{2}</script>',
      'MathJax 2 as common HTML':
        '<span class="mjx-chtml"><span>x2</span></span><script type="math/tex">x^{2}</script>',
      'MathJax 2 with MathML as its source':
        '<span class="MathJax_SVG">x2</span><script type="math/mml"><math><msup><mi>x</mi><mn>2</mn></msup></math></script>',
      'MathJax 2 without its source':
        '<span class="MathJax" data-mathml="<math><msup><mi>x</mi><mn>2</mn></msup></math>"><span>x2</span></span>',
      'MathJax 3':
        '<mjx-container class="MathJax" jax="CHTML"><mjx-math aria-hidden="true"><mjx-mi>x</mjx-mi><mjx-mn>2</mjx-mn></mjx-math><mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container>',
      'MathJax 4':
        '<mjx-container class="MathJax" jax="SVG" aria-label="x squared"><svg><g data-mml-node="math" data-latex="x^{2}"><text>x2</text></g></svg></mjx-container>',
      KaTeX:
        '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">x^{2}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x2</span></span>',
    }).map(([drawn, html]) => [
      `a formula of ${drawn} is there once`,
      [`<p>See ${html}.</p>`, 'See $x^{2}$.'],
    ]),
  ),
  'a line break leaves a heading within a link or a cell whole': [
    '<h3><a href="/x">Two<br>lines</a></h3><table><tr><th>a</th><th>b</th></tr><tr><td><h4>Three<br>four</h4></td><td>5</td></tr></table>',
    '### [Two lines](https://page.example.com/x)',
    '| **Three four** | 5 |',
  ],
  'quotations within quotations have other marks': ['<p><q>He said <q>yes</q>.</q></p>', '“He said ‘yes’.”'],
  'lists keep their numbers in lists, with letters and from a start': [
    '<ol start="5"><li>five<ol reversed start="9"><li>nine</li><li>eight</li></ol></li><li value="12">twelve</li></ol><ol type="a"><li>first</li><li>second</li></ol>',
    '5.  five',
    '9.  nine',
    '8.  eight',
    '12.  twelve',
    'a.  first',
    'b.  second',
  ],
  'ruby readings with and without parentheses are read once': [
    '<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby></p><p><ruby><rb>東</rb><rtc><rt>tou</rt></rtc></ruby></p>',
    '漢(kan)字(ji)',
    '東(tou)',
  ],
  'a data table within a cell of a data table is lines of that cell': [
    '<table><thead><tr><th>Lamp</th><th>Sizes</th></tr></thead><tbody><tr><td>Big</td><td><table><tr><th>h</th><th>w</th></tr><tr><td>3</td><td>4</td></tr></table></td></tr></tbody></table>',
    '| Lamp | Sizes |\n| --- | --- |\n| Big | h, w<br>3, 4 |',
  ],
  'a table that lays out tables is not a table': [
    '<table><tr><td><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></td><td><p>Beside it</p></td></tr></table>',
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
    'Beside it',
  ],
  'a foot before the body of a table comes last': [
    '<table><thead><tr><th>a</th></tr></thead><tfoot><tr><td>sum</td><td>3</td></tr></tfoot><tr><td>x</td><td>1</td></tr></table>',
    '| x | 1 |\n| sum | 3 |',
  ],
  'recordings of every kind leave links': [
    '<video poster="/p.jpg"><source src="/v.webm"><track src="/t.vtt"></video><audio data-src="/late.mp3"></audio><p>See <video src="/in.mp4" title="How"></video></p><object type="video/mp4" data="/o.mp4"></object><embed type="audio/mpeg" src="/e.mp3">',
    '[Video](https://page.example.com/v.webm)',
    '[Audio](https://page.example.com/late.mp3)',
    '[How](https://page.example.com/in.mp4)',
    '[Video](https://page.example.com/o.mp4)',
    '[Audio](https://page.example.com/e.mp3)',
  ],
  'items of a numbered code list are its lines': [
    '<pre class="prettyprint lang-js"><ol class="linenums"><li class="L0"><span>let a;</span></li><li class="L1"><span>a = 1;</span></li></ol></pre>',
    '```js\nlet a;\na = 1;\n```',
  ],
  'rows of a numbered code table are its lines': [
    '<pre><code class="hljs python"><table class="hljs-ln"><tr><td class="hljs-ln-numbers" data-line-number="1"></td><td class="hljs-ln-code">a = 1</td></tr><tr><td class="hljs-ln-numbers"></td><td class="hljs-ln-code">b = 2</td></tr></table></code></pre>',
    '```python\na = 1\nb = 2\n```',
  ],
  'block spans of code are its lines': [
    '<pre class="sourceCode ruby"><code><span style="display:block">a = 1</span><span style="display:block">b = 2</span></code></pre>',
    '```ruby\na = 1\nb = 2\n```',
  ],
  'a table of a syntax highlighter is code without line numbers': [
    '<div class="syntaxhighlighter java"><table><tr><td class="gutter"><div class="line number1">1</div><div class="line number2">2</div></td><td class="code"><div class="container"><div class="line number1">int a;</div><div class="line number2">a = 1;</div></div></td></tr></table></div>',
    '```java\nint a;\na = 1;\n```',
  ],
  'the language of code is read from its lang attribute': [
    '<pre lang="ts"><code>const a = 1;</code></pre>',
    '```ts\nconst a = 1;\n```',
  ],
  'a line break leaves a heading whole': ['<h2>Two<br>lines</h2><p>x</p>', '## Two lines'],
  'quotations within a sentence keep their quotation marks': ['<p>He said <q>yes</q>.</p>', 'He said “yes”.'],
  'lists keep the numbers that they show': [
    '<ol><li value="3">three</li><li>four</li></ol><ol reversed><li>two</li><li>one</li></ol>',
    '3.  three\n4.  four',
    '2.  two\n1.  one',
  ],
  'ruby readings stand in parentheses': ['<p><ruby>漢<rt>kan</rt></ruby>字</p>', '漢(kan)字'],
};

const written = openWrittenPages();
test.afterAll(() => written.close());

const unaligned = (markdown: string) =>
  markdown
    .split('\n')
    .map((line) => (line.startsWith('|') ? line.replace(/ +/g, ' ') : line))
    .join('\n');

for (const [index, [title, [html, ...has]]] of Object.entries(cases).entries()) {
  test(title, sample(index % 4 === 0), async () => {
    const markdown = await written.markdownOf(`<title>T</title><main><p>Some text before.</p>${html}</main>`);
    for (const words of has) expect(unaligned(markdown)).toContain(words);
  });
}
