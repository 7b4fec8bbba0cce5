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

for (const [title, [html, ...has]] of Object.entries(cases)) {
  test(title, async () => {
    const markdown = await written.markdownOf(`<title>T</title><main><p>Some text before.</p>${html}</main>`);
    for (const words of has) expect(unaligned(markdown)).toContain(words);
  });
}
