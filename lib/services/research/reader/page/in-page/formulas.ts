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
  '¯': '\\bar',
  '^': '\\hat',
  '→⃗': '\\vec',
  α: '\\alpha',
  β: '\\beta',
  γ: '\\gamma',
  δ: '\\delta',
  ε: '\\epsilon',
  ζ: '\\zeta',
  η: '\\eta',
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

/** Writes presentation MathML (https://www.w3.org/TR/mathml-core/) as TeX. */
export function texOf(math: Element): string {
  return [...math.children].map(write).join(' ').replace(/ +/g, ' ').trim();
}

const group = (tex: string) => `{${tex}}`;
const at = (element: Element, index: number) => {
  const child = element.children[index];
  return child ? write(child) : '';
};
/** A base that scripts can follow. */
const base = (element: Element) => {
  const tex = at(element, 0);
  return /^(\\?[A-Za-z]+|.)$/.test(tex) ? tex : group(tex);
};

function write(element: Element): string {
  const text = textOf(element);
  switch (element.localName) {
    case 'mi':
      return names[text] ?? (text.length > 1 ? `\\mathrm{${text}}` : text);
    case 'mn':
      return text;
    case 'mo':
      return names[text] ?? (/^[{}%$#&_]$/.test(text) ? `\\${text}` : text);
    case 'mtext':
    case 'ms':
      return `\\text{${text}}`;
    case 'mspace':
      return ' ';
    case 'msup':
      return `${base(element)}^${group(at(element, 1))}`;
    case 'msub':
      return `${base(element)}_${group(at(element, 1))}`;
    case 'msubsup':
    case 'munderover':
      return `${base(element)}_${group(at(element, 1))}^${group(at(element, 2))}`;
    case 'munder':
      return `${base(element)}_${group(at(element, 1))}`;
    case 'mover': {
      const over = at(element, 1);
      return /^\\(bar|hat|vec)$/.test(over)
        ? `${over}{${at(element, 0)}}`
        : `${base(element)}^${group(over)}`;
    }
    case 'mmultiscripts':
      return `${base(element)}_${group(at(element, 1))}^${group(at(element, 2))}`;
    case 'mfrac': {
      const isBinomial = element.getAttribute('linethickness') === '0';
      return `\\${isBinomial ? 'binom' : 'frac'}{${at(element, 0)}}{${at(element, 1)}}`;
    }
    case 'msqrt':
      return `\\sqrt{${texOf(element)}}`;
    case 'mroot':
      return `\\sqrt[${at(element, 1)}]{${at(element, 0)}}`;
    case 'mfenced': {
      const [open, close] = [element.getAttribute('open') ?? '(', element.getAttribute('close') ?? ')'];
      return `\\left${open}${[...element.children].map(write).join(', ')}\\right${close}`;
    }
    case 'mtable': {
      const rows = [...element.children].map((row) => [...row.children].map(texOf).join(' & '));
      return `\\begin{matrix} ${rows.join(' \\\\ ')} \\end{matrix}`;
    }
    case 'mphantom':
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'semantics':
      return at(element, 0);
    default:
      return element.children.length > 0 ? texOf(element) : text;
  }
}
