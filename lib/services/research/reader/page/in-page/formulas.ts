import { textOf } from './dom';

const names: Readonly<Record<string, string>> = {
  '∑': '\\sum',
  '∏': '\\prod',
  '∫': '\\int',
  '∞': '\\infty',
  '√': '\\surd',
  '±': '\\pm',
  '×': '\\times',
  '÷': '\\div',
  '·': '\\cdot',
  '⋅': '\\cdot',
  '≤': '\\le',
  '≥': '\\ge',
  '≠': '\\ne',
  '≈': '\\approx',
  '∈': '\\in',
  '∉': '\\notin',
  '⊂': '\\subset',
  '∪': '\\cup',
  '∩': '\\cap',
  '→': '\\to',
  '⇒': '\\Rightarrow',
  '∂': '\\partial',
  '∇': '\\nabla',
  '∀': '\\forall',
  '∃': '\\exists',
  '…': '\\ldots',
  '⋯': '\\cdots',
  '−': '-',
  '′': "'",
  '∮': '\\oint',
  '∝': '\\propto',
  '≡': '\\equiv',
  '∼': '\\sim',
  '≪': '\\ll',
  '≫': '\\gg',
  '⊆': '\\subseteq',
  '∖': '\\setminus',
  '∅': '\\emptyset',
  '∧': '\\wedge',
  '∨': '\\vee',
  '¬': '\\neg',
  '∘': '\\circ',
  '⊕': '\\oplus',
  '⊗': '\\otimes',
  '⟨': '\\langle',
  '⟩': '\\rangle',
  '‖': '\\|',
  '⌊': '\\lfloor',
  '⌋': '\\rfloor',
  '⌈': '\\lceil',
  '⌉': '\\rceil',
  '←': '\\leftarrow',
  '↔': '\\leftrightarrow',
  '⇔': '\\Leftrightarrow',
  '↦': '\\mapsto',
  ℝ: '\\mathbb{R}',
  ℕ: '\\mathbb{N}',
  ℤ: '\\mathbb{Z}',
  ℚ: '\\mathbb{Q}',
  ℂ: '\\mathbb{C}',
  ℓ: '\\ell',
  ℏ: '\\hbar',
  '\\': '\\backslash',
  '^': '\\wedge',
  α: '\\alpha',
  β: '\\beta',
  γ: '\\gamma',
  δ: '\\delta',
  ε: '\\epsilon',
  ζ: '\\zeta',
  η: '\\eta',
  ι: '\\iota',
  κ: '\\kappa',
  ϵ: '\\epsilon',
  ϕ: '\\phi',
  ϑ: '\\vartheta',
  ς: '\\varsigma',
  υ: '\\upsilon',
  θ: '\\theta',
  λ: '\\lambda',
  μ: '\\mu',
  ν: '\\nu',
  ξ: '\\xi',
  π: '\\pi',
  ρ: '\\rho',
  σ: '\\sigma',
  τ: '\\tau',
  φ: '\\phi',
  χ: '\\chi',
  ψ: '\\psi',
  ω: '\\omega',
  Γ: '\\Gamma',
  Δ: '\\Delta',
  Θ: '\\Theta',
  Λ: '\\Lambda',
  Π: '\\Pi',
  Σ: '\\Sigma',
  Φ: '\\Phi',
  Ψ: '\\Psi',
  Ω: '\\Omega',
  '\u2061': '',
  '\u2062': '',
  '\u2063': '',
  '\u2064': '',
};

/** Accents over one character, and over several. */
const accents: Readonly<Record<string, readonly [one: string, several: string]>> = {
  '¯': ['\\bar', '\\overline'],
  '‾': ['\\overline', '\\overline'],
  '―': ['\\overline', '\\overline'],
  _: ['\\overline', '\\overline'],
  '^': ['\\hat', '\\widehat'],
  ˆ: ['\\hat', '\\widehat'],
  '~': ['\\tilde', '\\widetilde'],
  '˜': ['\\tilde', '\\widetilde'],
  '→': ['\\vec', '\\overrightarrow'],
  '⃗': ['\\vec', '\\overrightarrow'],
  '←': ['\\overleftarrow', '\\overleftarrow'],
  '˙': ['\\dot', '\\dot'],
  '.': ['\\dot', '\\dot'],
  '¨': ['\\ddot', '\\ddot'],
  '˘': ['\\breve', '\\breve'],
  ˇ: ['\\check', '\\check'],
  '⏞': ['\\overbrace', '\\overbrace'],
};
const underlines: Readonly<Record<string, string>> = {
  _: '\\underline',
  '¯': '\\underline',
  '‾': '\\underline',
  '̲': '\\underline',
  '⏟': '\\underbrace',
};
const variants: Readonly<Record<string, string>> = {
  normal: '\\mathrm',
  bold: '\\mathbf',
  'bold-italic': '\\boldsymbol',
  'double-struck': '\\mathbb',
  script: '\\mathcal',
  'bold-script': '\\mathcal',
  fraktur: '\\mathfrak',
  'sans-serif': '\\mathsf',
  monospace: '\\mathtt',
};
const enclosures: readonly (readonly [RegExp, string])[] = [
  [/radical/, '\\sqrt'],
  [/box|circle/, '\\boxed'],
  [/updiagonalstrike/, '\\cancel'],
  [/downdiagonalstrike/, '\\bcancel'],
  [/strike/, '\\sout'],
  [/top|actuarial/, '\\overline'],
  [/bottom/, '\\underline'],
];

/** Writes presentation MathML (https://www.w3.org/TR/MathML3/chapter3.html) as TeX. */
export function texOf(math: Element): string {
  return math.children.length === 0 ? written(textOf(math)) : together(all(math));
}

const all = (element: Element) => [...element.children].map(write);
const group = (tex: string) => `{${tex}}`;
const at = (element: Element, index: number) => {
  const child = element.children[index];
  return child ? write(child) : '';
};

/** Parts beside each other. Numbers are kept apart, as TeX would join them. */
function together(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .reduce((before, part) => `${before}${/\d$/.test(before) && /^\d/.test(part) ? ' \\, ' : ' '}${part}`, '')
    .replace(/ +/g, ' ')
    .trim();
}

/** Characters that mean something else in TeX. */
const written = (text: string) => text.replace(/[{}%$#&_]/g, '\\$&');
/** A letter or a number, of the mathematical alphabets too. */
const plain = (text: string) => text.replace(/[\u{1d400}-\u{1d7ff}]/gu, (letter) => letter.normalize('NFKC'));

/** A base that scripts can follow. */
const base = (tex: string) => (/^(\\[A-Za-z]+|.)$/.test(tex) ? tex : group(tex));
/** Whether limits stand below and above it, as of a sum. */
const takesLimits = (tex: string) =>
  /^\\(sum|prod|o?int|bigcup|bigcap|overbrace|underbrace|(mathrm\{(lim|max|min|sup|inf|arg|det|gcd|Pr).*))|^[⋃⋂⨁⨂∐∬∭]/.test(
    tex,
  );

function scripts(of: string, sub: string, sup: string): string {
  return `${of}${sub === '' ? '' : `_${group(sub)}`}${sup === '' ? '' : `^${group(sup)}`}`;
}

function identifier(element: Element): string {
  const text = plain(textOf(element));
  const variant = variants[element.getAttribute('mathvariant') ?? ''];
  const name = names[text] ?? written(text);
  if (variant) return `${variant}{${name}}`;
  return names[text] === undefined && [...text].length > 1 ? `\\mathrm{${name}}` : name;
}

function over(element: Element): string {
  const [of, mark] = [at(element, 0), textOf(element.children[1] ?? element)];
  const [one, several] = accents[mark] ?? [];
  if (one && several) return `${[...of].length === 1 || /^\\[a-z]+$/i.test(of) ? one : several}{${of}}`;
  const above = at(element, 1);
  return takesLimits(of) ? scripts(of, '', above) : `\\overset{${above}}{${of}}`;
}

function under(element: Element): string {
  const [of, mark] = [at(element, 0), textOf(element.children[1] ?? element)];
  const line = underlines[mark];
  if (line) return `${line}{${of}}`;
  const below = at(element, 1);
  return takesLimits(of) ? scripts(of, below, '') : `\\underset{${below}}{${of}}`;
}

/** A base with pairs of scripts after it, and before it after `mprescripts`. */
function multiscripts(element: Element): string {
  const children = [...element.children];
  const middle = children.findIndex(({ localName }) => localName === 'mprescripts');
  const pairs = (list: readonly Element[]) =>
    Array.from({ length: Math.ceil(list.length / 2) }, (_, pair) => list.slice(2 * pair, 2 * pair + 2)).map(
      ([sub, sup]) => scripts('{}', sub ? write(sub) : '', sup ? write(sup) : ''),
    );
  const after = pairs(children.slice(1, middle < 0 ? undefined : middle));
  const before = middle < 0 ? [] : pairs(children.slice(middle + 1));
  const [first = '', ...others] = after;
  return [...before, base(at(element, 0)) + first.replace(/^\{\}/, ''), ...others].join('');
}

function fenced(element: Element): string {
  const fence = (name: string, usual: string) => {
    const mark = (element.getAttribute(name) ?? usual).trim();
    return mark === '' ? '.' : (names[mark] ?? written(mark));
  };
  const marks = [...(element.getAttribute('separators') ?? ',').replace(/\s/g, '')];
  const parts = all(element).map((part, index) => {
    const mark = index === 0 ? '' : (marks[Math.min(index, marks.length) - 1] ?? '');
    return `${mark}${mark === '' || mark === ',' ? ' ' : ''}${part}`;
  });
  return `\\left${fence('open', '(')}${parts.join('').trim()}\\right${fence('close', ')')}`;
}

function table(element: Element): string {
  const rows = [...element.children].map((row) => {
    const cells = [...row.children].map(texOf);
    // The label comes first in the source, and is shown last.
    if (row.localName === 'mlabeledtr') cells.push(cells.shift() ?? '');
    return cells.join(' & ');
  });
  return `\\begin{matrix} ${rows.join(' \\\\ ')} \\end{matrix}`;
}

/** Rows of elementary arithmetic. */
function stack(rows: readonly Element[]): string {
  const lines = rows
    .flatMap((row) => (/^msgroup$/.test(row.localName) ? [...row.children] : [row]))
    .map((row) => (row.localName === 'msline' ? '\\hline' : `${write(row)} \\\\`));
  return `\\begin{array}{r} ${lines.join(' ')} \\end{array}`;
}

function longDivision(element: Element): string {
  const [divisor, quotient, ...rest] = [...element.children];
  return `${divisor ? write(divisor) : ''} \\, ) \\, ${stack([...(quotient ? [quotient] : []), ...rest])}`;
}

function write(element: Element): string {
  const text = textOf(element);
  const row = () => texOf(element);
  switch (element.localName) {
    case 'mi':
      return identifier(element);
    case 'mn': {
      const variant = variants[element.getAttribute('mathvariant') ?? 'normal'];
      return variant === '\\mathrm' || variant === undefined ? plain(text) : `${variant}{${plain(text)}}`;
    }
    case 'mo':
      return names[text] ?? written(plain(text));
    case 'mtext':
      return text === '' ? '' : `\\text{${written(text)}}`;
    case 'ms':
      return `\\text{${element.getAttribute('lquote') ?? '"'}${written(text)}${element.getAttribute('rquote') ?? '"'}}`;
    case 'mglyph':
      return `\\text{${written(element.getAttribute('alt') ?? '')}}`;
    case 'mspace':
      return element.getAttribute('linebreak') === 'newline' ? '\\\\' : '';
    case 'msup':
      return scripts(base(at(element, 0)), '', at(element, 1));
    case 'msub':
      return scripts(base(at(element, 0)), at(element, 1), '');
    case 'msubsup':
      return scripts(base(at(element, 0)), at(element, 1), at(element, 2));
    case 'munderover': {
      const of = at(element, 0);
      return takesLimits(of)
        ? scripts(of, at(element, 1), at(element, 2))
        : `\\underset{${at(element, 1)}}{\\overset{${at(element, 2)}}{${of}}}`;
    }
    case 'munder':
      return under(element);
    case 'mover':
      return over(element);
    case 'mmultiscripts':
      return multiscripts(element);
    case 'mfrac': {
      const isBinomial = /^0/.test(element.getAttribute('linethickness') ?? '');
      return `\\${isBinomial ? 'binom' : 'frac'}{${at(element, 0)}}{${at(element, 1)}}`;
    }
    case 'msqrt':
      return `\\sqrt{${row()}}`;
    case 'mroot':
      return `\\sqrt[${at(element, 1)}]{${at(element, 0)}}`;
    case 'mfenced':
      return fenced(element);
    case 'menclose': {
      const notation = element.getAttribute('notation') ?? 'longdiv';
      const command = enclosures.find(([called]) => called.test(notation))?.[1];
      return command ? `${command}{${row()}}` : row();
    }
    case 'mtable':
      return table(element);
    case 'mstack':
      return stack([...element.children]);
    case 'mlongdiv':
      return longDivision(element);
    case 'maction':
      return at(element, Math.max(0, Number(element.getAttribute('selection') ?? 1) - 1));
    case 'mphantom':
    case 'none':
    case 'mprescripts':
    case 'maligngroup':
    case 'malignmark':
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'semantics':
      return at(element, 0);
    default:
      return row();
  }
}
