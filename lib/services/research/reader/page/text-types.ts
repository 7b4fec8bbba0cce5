/** The languages of fenced code, by how media types and file names call them. */
const languages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    asm: 'asm',
    bash: 'sh bash zsh shellscript',
    bibtex: 'bib bibtex',
    c: 'c h csrc chdr',
    cpp: 'cpp hpp cc cxx c++ c++src c++hdr',
    csharp: 'cs csharp',
    css: 'css',
    csv: 'csv comma-separated-values',
    dart: 'dart',
    diff: 'diff patch',
    dockerfile: 'dockerfile',
    elixir: 'ex exs elixir',
    go: 'go golang',
    graphql: 'graphql gql',
    groovy: 'groovy gradle',
    haskell: 'hs haskell',
    ics: 'ics calendar vcalendar ical',
    ini: 'ini cfg conf properties java-properties env',
    java: 'java java-source',
    javascript: 'js mjs cjs jsx javascript ecmascript jscript',
    json: 'json json5 jsonl ndjson jsonlines json-lines json-seq geojson webmanifest ipynb',
    julia: 'jl julia',
    kotlin: 'kt kts kotlin',
    latex: 'tex latex sty',
    ldif: 'ldif',
    less: 'less',
    lua: 'lua',
    m3u: 'm3u m3u8 mpegurl apple.mpegurl',
    makefile: 'makefile',
    nt: 'nt n-triples n-quads nq',
    objectivec: 'm objcsrc',
    perl: 'pl pm perl',
    ofx: 'ofx qif',
    php: 'php httpd-php',
    po: 'po pot gettext-translation',
    powershell: 'ps1 powershell',
    protobuf: 'proto protobuf',
    python: 'py pyi python script.python',
    r: 'r rsrc',
    ruby: 'rb ruby',
    rust: 'rs rust rustsrc',
    scala: 'scala',
    scss: 'scss sass',
    sparql: 'rq sparql-query',
    sql: 'sql',
    srt: 'srt subrip',
    swift: 'swift',
    toml: 'toml',
    tsv: 'tsv tab tab-separated-values',
    turtle: 'ttl turtle n3 trig',
    typescript: 'ts tsx mts cts typescript',
    vcf: 'vcf vcard directory',
    vtt: 'vtt webvtt',
    xml: 'xml xsd xsl xslt rss atom kml gpx plist opml',
    yaml: 'yml yaml openapi',
  }).flatMap(([language, called]) => called.split(' ').map((name) => [name, language] as const)),
);
/** Names of files whose text is not code. */
const prose = /^(md|markdown|mdx|txt|text|rst|adoc|asciidoc|org|log|nfo|readme|license)$/;

/** How a text is written as Markdown: fenced as code of a language, or as it is. */
export interface TextType {
  readonly language: string | null;
  /** Whether browsers show it; they save the rest. */
  readonly isShown: boolean;
}

/**
 * Whether a response is text other than HTML, by its media type, or by its file's name where the type says nothing.
 * @param disposition the header Content-Disposition, which may have the name
 */
export function textTypeOf(
  contentType: string,
  url: string,
  disposition: string | undefined,
): TextType | null {
  const mimeType = (contentType.toLowerCase().split(';')[0] ?? '').trim();
  const [kind, subtype = ''] = mimeType.split('/');
  const name = /filename\*?=(?:utf-8'')?"?([^";]*)/i.exec(disposition ?? '')?.[1] ?? new URL(url).pathname;
  const ending = /(?<![^./])[^./]*$/.exec(name.trim().toLowerCase())?.[0] ?? '';
  const byName = languages.get(ending);
  if (mimeType === '' || /^(octet-stream|force-download|x-download|download|unknown)$/.test(subtype))
    return byName || prose.test(ending) ? { language: byName ?? null, isShown: false } : null;
  if (/^(html|xhtml\+xml|rtf)$/.test(subtype) || !/^(text|application)$/.test(kind ?? '')) return null;
  const plainName = /\+(json|xml|yaml)$/.exec(subtype)?.[1] ?? subtype.replace(/^(x-|vnd\.|prs\.)+/, '');
  const byType = languages.get(plainName);
  if (byType === undefined && kind !== 'text') return null;
  const isShown =
    !/^\s*attachment/i.test(disposition ?? '') &&
    (byType === undefined || /^(css|javascript|json|(.+\+)?(json|xml))$/.test(plainName));
  return { language: byType ?? byName ?? null, isShown };
}
