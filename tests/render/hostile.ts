/**
 * Documents that must be refused, and must cause no requests even when they are rendered. `{tcp}` stands for an address with
 * a listener, `{dns}` for a host whose look-up would be noticed.
 */

const svg = (inner: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`;
const inData = (document: string) => `<img src="data:image/svg+xml,${encodeURIComponent(document)}">`;
const inBase64 = (document: string, type = 'image/svg+xml') =>
  `<img src="data:${type};base64,${Buffer.from(document).toString('base64')}">`;
const styled = (css: string) => `<style>${css}</style><p>text`;

export const hostile: Readonly<Record<string, string>> = {
  // Script
  'a script': '<script>document.title = 1</script>',
  'a script from elsewhere': '<script src="{tcp}/a.js"></script>',
  'a module': '<script type="module">import "{tcp}/a.js"</script>',
  'an import map': '<script type="importmap">{"imports":{"a":"{tcp}/a.js"}}</script>',
  'speculation rules': '<script type="speculationrules">{"prefetch":[{"urls":["{tcp}/a"]}]}</script>',
  'a script in capitals': '<SCRIPT>1</SCRIPT>',
  'a script never closed': '<p>text<script>1',
  'a script in a template': '<template><script src="{tcp}/a.js"></script></template>',
  'a script in a noscript in the head': '<head><noscript><script src="{tcp}/a.js"></script></noscript>',
  'a script in an SVG': svg('<script href="{tcp}/a.js"/>'),
  'a script in MathML':
    '<math><annotation-xml encoding="text/html"><script>1</script></annotation-xml></math>',
  'a script in a foreignObject': svg('<foreignObject><script>1</script></foreignObject>'),
  'an event handler': '<p onclick="1">text',
  'an event handler on load': '<body onload="1">',
  'an event handler in capitals': '<img src="data:image/png,x" ONERROR="1">',
  'an event handler after a slash': '<svg/onload=1>',
  'an event handler in an SVG animation': svg('<animate onbegin="1" attributeName="x"/>'),
  'an event handler without quotes': '<details ontoggle=1 open>',
  'a javascript link': '<a href="javascript:1">text</a>',
  'a javascript link with a tab': '<a href="java&#9;script:1">text</a>',
  'a javascript link with entities': '<a href="&#x6A;avascript:1">text</a>',
  'a javascript link with a leading control': '<a href="&#1;javascript:1">text</a>',
  'a vbscript link': '<a href="vbscript:1">text</a>',
  'a data link': '<a href="data:text/html,text">text</a>',
  'a file link': '<a href="file:///etc/passwd">text</a>',
  'a relative link': '<a href="/invoices">text</a>',
  'a protocol-relative link': '<a href="//{dns}/">text</a>',
  'a javascript link in an SVG': svg('<a xlink:href="javascript:1"><text y="9">text</text></a>'),
  'a link made by an animation': svg(
    '<a><animate attributeName="href" values="javascript:1"/><text>x</text></a>',
  ),
  'a link set in MathML': '<math><mi href="{tcp}/m">x</mi></math>',
  // Other documents
  'an iframe': '<iframe src="{tcp}/a"></iframe>',
  'an iframe with srcdoc': '<iframe srcdoc="<img src={tcp}/a>"></iframe>',
  'an iframe of a data document': '<iframe src="data:text/html,<img src={tcp}/a>"></iframe>',
  'a frameset': '<frameset><frame src="{tcp}/a"></frameset>',
  'an object': '<object data="{tcp}/a"></object>',
  'an object of a data document': '<object data="data:image/svg+xml,<svg/>"></object>',
  'an object by its parameters': '<object><param name="movie" value="{tcp}/a"></object>',
  'an embed': '<embed src="{tcp}/a">',
  'an applet': '<applet code="a" codebase="{tcp}/"></applet>',
  'a portal': '<portal src="{tcp}/a"></portal>',
  'a fenced frame': '<fencedframe></fencedframe>',
  'a refresh': '<meta http-equiv="refresh" content="0;url={tcp}/a">',
  'a refresh in odd letters': '<meta content="0;{tcp}/a" HTTP-EQUIV=" ReFresh ">',
  'a refresh in the body': '<body><meta http-equiv=refresh content="0;{tcp}/a">',
  'a refresh in a noscript': '<noscript><meta http-equiv="refresh" content="0;{tcp}/a"></noscript>',
  'a switch for name look-ups':
    '<meta http-equiv="x-dns-prefetch-control" content="on"><a href="http://{dns}">x</a>',
  'a base': '<base href="{tcp}/"><img src="a.png">',
  'a base for links': '<base target="_blank">',
  'a manifest': '<html manifest="{tcp}/a">',
  // Links that load something
  'a style sheet': '<link rel="stylesheet" href="{tcp}/a.css">',
  'a style sheet of a data: URL': '<link rel="stylesheet" href="data:text/css,p{color:red}">',
  'a preload': '<link rel="preload" as="image" href="{tcp}/a">',
  'a prefetch': '<link rel="prefetch" href="{tcp}/a">',
  'a preconnect': '<link rel="preconnect" href="{tcp}">',
  'a preconnect by name': '<link rel="preconnect" href="http://{dns}">',
  'a name look-up': '<link rel="dns-prefetch" href="//{dns}">',
  'an icon': '<link rel="icon" href="{tcp}/a.ico">',
  'a link in the body': '<body><p>text</p><link rel="stylesheet" href="{tcp}/a.css">',
  'a link with imagesrcset': '<link rel="preload" as="image" imagesrcset="{tcp}/a 1x">',
  'a modulepreload': '<link rel="modulepreload" href="{tcp}/a.js">',
  // Images and media
  'an image': '<img src="{tcp}/a.png">',
  'an image without a host': '<img src="a.png">',
  'an image of the document itself': '<img src="#a">',
  'an image by protocol alone': '<img src="//{dns}/a.png">',
  'an image over FTP': '<img src="ftp://{dns}/a.png">',
  'an image from the disk': '<img src="file:///etc/hostname">',
  'an image from the browser': '<img src="chrome://theme/IDR_LOGO">',
  'an image of a blob': '<img src="blob:https://document.invalid/1">',
  'an image with line breaks': '<img src="ht\ntp://{dns}/a.png">',
  'an image with backslashes': '<img src="\\\\{dns}\\a.png">',
  'an image of a data document': '<img src="data:text/html,text">',
  'an image with an unknown type': '<img src="data:application/xml,<a/>">',
  'an image called image': '<image src="{tcp}/a.png">',
  'an srcset': '<img srcset="{tcp}/a.png 1x">',
  'an srcset behind a data: URL': '<img srcset="data:image/png;base64,AAAA 1x, {tcp}/a.png 2x">',
  'an srcset behind parentheses': '<img srcset="data:image/png,x (,) 1x, {tcp}/a.png 2x">',
  'an srcset of a source': '<picture><source srcset="{tcp}/a.png"><img src="data:image/png,x"></picture>',
  'a video': '<video src="{tcp}/a.mp4"></video>',
  'a poster': '<video poster="{tcp}/a.png"></video>',
  'an audio source': '<audio autoplay><source src="{tcp}/a.mp3"></audio>',
  'a track': '<video><track src="{tcp}/a.vtt" default></video>',
  'a background': '<body background="{tcp}/a.png">',
  'a background of a second body': '<body><p>text<body background="{tcp}/a.png">',
  'a background of a cell': '<table background="{tcp}/a.png"><tr><td background="{tcp}/b.png">x</table>',
  'an image button': '<input type="image" src="{tcp}/a.png">',
  'an attribution source': '<img src="data:image/png,x" attributionsrc="{tcp}/a">',
  'a map elsewhere': '<img src="data:image/png,x" usemap="{tcp}/#m">',
  'a ping': '<a href="https://example.com" ping="{tcp}/a">x</a>',
  'an image in a template': '<template><img src="{tcp}/a.png"></template>',
  'an image in a shadow root':
    '<div><template shadowrootmode="open"><img src="{tcp}/a.png"></template></div>',
  'an image in a noscript': '<noscript><img src="{tcp}/a.png"></noscript>',
  'an image behind a noscript in an attribute': '<noscript><p title="</noscript><img src={tcp}/a.png>">',
  'an image in a select': '<select><button><img src="{tcp}/a.png"></button><option>x</select>',
  'a style in a select': '<select><style>@import "{tcp}/a.css";</style><option>x</select>',
  'an image behind a wrong comment': '<!--> <img src="{tcp}/a.png"> -->',
  'an image behind a comment with a bang': '<!-- --!><img src="{tcp}/a.png">',
  'an image behind a textarea in a title': '<title><textarea></title><img src="{tcp}/a.png"></textarea>',
  'an image behind CDATA': '<![CDATA[><img src="{tcp}/a.png">]]>',
  'an image behind CDATA in an SVG': '<svg><![CDATA[</svg>]]></svg><img src="{tcp}/a.png">',
  'an image in a mangled table': '<table><tr><img src="{tcp}/a.png"><td>x',
  'an image behind a style in MathML':
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src={tcp}/a&gt;" src="{tcp}/b">',
  'an image after the end': '</html><img src="{tcp}/a.png">',
  // Forms
  'a form that is sent': '<form action="{tcp}/a"><input name="a"></form>',
  'a form with a button': '<form><button>Send</button></form>',
  'a button for a form elsewhere': '<form id="f"></form><button form="f">Send</button>',
  'a button with an address': '<button formaction="{tcp}/a">Send</button>',
  // Style
  'an import': styled('@import "{tcp}/a.css";'),
  'an import by url()': styled('@import url({tcp}/a.css);'),
  'an import of data': styled('@import "data:text/css,p{background:url({tcp}/a)}";'),
  'an import with escapes': styled('@\\69mport "{tcp}/a.css";'),
  'an import in capitals with a layer': styled('@IMPORT/**/"{tcp}/a.css" layer(a);'),
  'a background in a style': styled('p { background: url({tcp}/a.png) }'),
  'a background in quotes': styled('p { background: url( "{tcp}/a.png" ) }'),
  'a background with an escaped name': styled('p { background: u\\72 l({tcp}/a.png) }'),
  'a background with an escaped address': styled('p { background: url(\\68ttp://{dns}/a.png) }'),
  'a background in an attribute': '<p style="background:url({tcp}/a.png)">text',
  'a background with entities': '<p style="background:u&#x72;l({tcp}/a.png)">text',
  'a background in a custom property': styled(':root { --a: url({tcp}/a.png) } p { background: var(--a) }'),
  'a background by var in url': styled(':root { --a: "{tcp}/a.png" } p { background: src(var(--a)) }'),
  // Text that is used where an address is expected
  'an image-set of a custom property': styled(
    ':root { --a: "{tcp}/a.png" } p { background: image-set(var(--a) 1x) }',
  ),
  'an image-set with a prefix of a custom property': styled(
    ':root { --a: "{tcp}/a.png" } p { background: -webkit-image-set(var(--a) 1x) }',
  ),
  'an image-set of a fallback': styled('p { background: image-set(var(--none, "{tcp}/a.png") 1x) }'),
  'an image-set of an environment variable': styled(
    'p { background: image-set(env(none, "{tcp}/a.png") 1x) }',
  ),
  'an image-set of an attribute':
    '<style>p { background: image-set(attr(data-a) 1x) }</style><p data-a="{tcp}/a.png">text',
  'an image-set of an attribute as a string':
    '<style>p { background: image-set(attr(data-a type(<string>)) 1x) }</style><p data-a="{tcp}/a.png">text',
  'an image-set of a condition': styled(
    'p { background: image-set(if(media(print): "{tcp}/a.png"; else: "{tcp}/b.png") 1x) }',
  ),
  'an image-set of a function of its own': styled(
    '@function --f() { result: "{tcp}/a.png" } p { background: image-set(--f() 1x) }',
  ),
  'an image-set in a function of its own': styled(
    '@function --f(--a) { result: image-set(var(--a) 1x) } p { background: --f("{tcp}/a.png") }',
  ),
  'an image-set of a registered property': styled(
    '@property --a { syntax: "<string>"; inherits: false; initial-value: "{tcp}/a.png" } p { background: image-set(var(--a) 1x) }',
  ),
  'an image-set of an inherited value': styled(
    'body { --a: "{tcp}/a.png" } p { background: image-set(inherit(--a) 1x) }',
  ),
  'an image-set of a random item': styled(
    'p { background: image-set(random-item(auto, "{tcp}/a.png", "{tcp}/b.png") 1x) }',
  ),
  'an image-set of a string in parentheses': styled('p { background: image-set(("{tcp}/a.png") 1x) }'),
  'an image-set of a custom property in parentheses': styled(
    ':root { --a: "{tcp}/a.png" } p { background: image-set((var(--a)) 1x) }',
  ),
  'an image-set in an image-set of a custom property': styled(
    ':root { --a: "{tcp}/a.png" } p { background: image-set(image-set(var(--a) 1x) 1x) }',
  ),
  'an image-set of a function that nobody knows': styled(
    'p { background: image-set(first-valid("{tcp}/a.png") 1x) }',
  ),
  'an image-set behind mismatched brackets': styled(
    'p { background: image-set(linear-gradient([ ) ) red ] ), var(--a, "{tcp}/a.png") 1x) }',
  ),
  'an image-set with an escaped name of a custom property': styled(
    ':root { --a: "{tcp}/a.png" } p { background: im\\61ge-set(v\\61r(--a) 1x) }',
  ),
  'an image-set with comments of a custom property': styled(
    ':root { --a: "{tcp}/a.png" } p { background: image-set(/**/var(/**/--a/**/)/**/1x) }',
  ),
  'an image-set in a custom property of a custom property': styled(
    ':root { --a: "{tcp}/a.png"; --b: image-set(var(--a) 1x) } p { background: var(--b) }',
  ),
  'an image-set of a custom property in an attribute':
    '<p style=\'--a:"{tcp}/a.png";background:image-set(var(--a) 1x)\'>text',
  'an image-set of a custom property in a keyframe': styled(
    '@keyframes k { from { background: image-set(var(--a) 1x) } } p { --a: "{tcp}/a.png"; animation: k 1s paused }',
  ),
  'an image-set of a custom property in nested rules': styled(
    '@layer l { @scope (body) { @container style(--c: 1) { & p { content: image-set(var(--a) 1x) } } } } body { --a: "{tcp}/a.png"; --c: 1 }',
  ),
  'an image-set of a custom property as a cursor': styled(
    'p { --a: "{tcp}/a.cur"; cursor: image-set(var(--a) 1x), auto }',
  ),
  'an image-set of a custom property in an SVG attribute': svg(
    `<rect style='--a:"{tcp}/a.png"' mask="image-set(var(--a) 1x)" width="9" height="9"/>`,
  ),
  'an image-set never closed': '<style>p { background: image-set("{tcp}/a.png',
  'an image-set of a broken string': styled('p { background: image-set("{tcp}/a.png\n" 1x) }'),
  'a cross-fade of a custom property': styled(
    ':root { --a: "{tcp}/a.png" } p { background: cross-fade(var(--a), red) }',
  ),
  'a cross-fade with a prefix of a string in an image': styled(
    'p { background: -webkit-cross-fade(image(var(--a, "{tcp}/a.png")), red, 50%) }',
  ),
  'an image of a string': styled('p { background: image("{tcp}/a.png") }'),
  'an image of a custom property': styled(':root { --a: "{tcp}/a.png" } p { background: image(var(--a)) }'),
  'an image rectangle': styled('p { background: -moz-image-rect("{tcp}/a.png", 0, 9, 9, 0) }'),
  'an element of a custom property': styled('p { background: element(var(--a, "{tcp}/a.svg#a")) }'),
  'a paint worklet with an address': styled('p { background: paint(a, "{tcp}/a.png") }'),
  'a src with an escaped name': styled('p { background: s\\72 c("{tcp}/a.png") }'),
  'a src of an attribute': '<style>p { background: src(attr(data-a)) }</style><p data-a="{tcp}/a.png">text',
  'a src with something after its address': styled('p { background: src("#a" var(--a)) }'),
  'an url with something before its address': styled('p { background: url("" "{tcp}/a.png") }'),
  'an attribute read as an address':
    '<style>p { background: attr(data-a type(<url>)) }</style><p data-a="url({tcp}/a.png)">text',
  'an attribute read as an image':
    '<style>p { background: attr(data-a type(<image>)) }</style><p data-a="url({tcp}/a.png)">text',
  'an attribute read as anything':
    '<style>p { background: attr(data-a type(*)) }</style><p data-a="url({tcp}/a.png)">text',
  'an attribute read as one of several types':
    '<style>p { background: attr(title type(<color> | <image>+), red) }</style><p title="url({tcp}/a.png)">text',
  'an attribute read as an address, in the old way':
    '<style>p { background: attr(data-a url) }</style><p data-a="{tcp}/a.png">text',
  'an attribute read as a type that a custom property names':
    '<style>p { --t: type(*); background: attr(data-a var(--t)) }</style><p data-a="url({tcp}/a.png)">text',
  'an attribute read as a type with escapes':
    '<style>p { background: \\61ttr(data-a type(<im\\61ge>)) }</style><p data-a="url({tcp}/a.png)">text',
  'an attribute read as anything in an SVG attribute': svg(
    '<rect data-a="url({tcp}/a.svg#a)" fill="attr(data-a type(*))" width="9" height="9"/>',
  ),
  'an address in the fallback of an attribute': styled('p { background: attr(data-a, url({tcp}/a.png)) }'),
  'an address in the argument of a function of its own in an SVG attribute': svg(
    '<rect fill="--f(url({tcp}/a.svg#a))" width="9" height="9"/>',
  ),
  'a registered property with an address': styled(
    '@property --a { syntax: "<image>"; inherits: true; initial-value: url({tcp}/a.png) } p { background: var(--a) }',
  ),
  'a function of its own with an address': styled(
    '@function --f() returns <image> { result: url({tcp}/a.png) } p { background: --f() }',
  ),
  'a condition with an address': styled('p { background: if(media(print): url({tcp}/a.png); else: none) }'),
  'an offset path': styled('p { offset-path: url({tcp}/a.svg#p) }'),
  'a counter style': styled(
    '@counter-style c { system: cyclic; symbols: url({tcp}/a.png) } li { list-style: c }',
  ),
  'a document rule': styled('@document url({tcp}/) { p { color: red } }'),
  'a namespace by url()': styled('@namespace a url({tcp}/);'),
  'an image-set of strings': styled('p { background: image-set("{tcp}/a.png" 1x) }'),
  'an image-set with a prefix': styled('p { background: -webkit-image-set(url({tcp}/a.png) 1x) }'),
  'a cross-fade': styled('p { background: -webkit-cross-fade(url({tcp}/a.png), url({tcp}/b.png), 50%) }'),
  'a font': styled('@font-face { font-family: a; src: url({tcp}/a.woff2) } p { font-family: a }'),
  'a cursor': styled('p { cursor: url({tcp}/a.cur), auto }'),
  'a list image': `${styled('li { list-style: url({tcp}/a.png) }')}<ul><li>x</ul>`,
  'a content image': styled('p::before { content: url({tcp}/a.png) }'),
  'a mask': styled('p { -webkit-mask-image: url({tcp}/a.svg#m) }'),
  'a filter': styled('p { filter: url({tcp}/a.svg#f) }'),
  'a clip path': styled('p { clip-path: url({tcp}/a.svg#c) }'),
  'a shape': styled('p { float: left; shape-outside: url({tcp}/a.png) }'),
  'a border image': styled('p { border: 9px solid; border-image: url({tcp}/a.png) 9 }'),
  'a background in a media query': styled('@media print { p { background: url({tcp}/a.png) } }'),
  'a background in a margin box': styled('@page { @top-left { content: url({tcp}/a.png) } }'),
  'a background behind a broken rule': styled('} p { { ; background: url({tcp}/a.png) }'),
  'a background behind a comment': styled('/* */p{background:/**/url(/**/{tcp}/a.png)}'),
  'a style of data HTML': styled('p { background: url(data:text/html,text) }'),
  'a relative background': styled('p { background: url(a.png) }'),
  'a style in an SVG': svg('<style>@import "{tcp}/a.css";</style>'),
  'a style in an SVG in pieces': svg('<style><g>/*</g>@imp<!-- -->ort url({tcp}/a);<g>*/</g></style>'),
  'a style in an SVG as CDATA': svg('<style><![CDATA[@import "{tcp}/a.css";]]></style>'),
  'a style in a shadow root':
    '<div><template shadowrootmode="open"><style>p{background:url({tcp}/a)}</style><p>x</template></div>',
  'a style never closed': '<style>p { background: url({tcp}/a.png',
  // SVG and MathML
  'an SVG image': svg('<image href="{tcp}/a.png" width="9" height="9"/>'),
  'an SVG image by xlink': svg('<image xlink:href="{tcp}/a.png" width="9" height="9"/>'),
  'an SVG use': svg('<use href="{tcp}/a.svg#a"/>'),
  'an SVG use of data': svg('<use href="data:image/svg+xml,x#a"/>'),
  'an SVG filter image': svg(
    '<filter id="f"><feImage href="{tcp}/a.png"/></filter><rect filter="url(#f)" width="9" height="9"/>',
  ),
  'an SVG fill': svg('<rect fill="url({tcp}/a.svg#a)" width="9" height="9"/>'),
  'an SVG marker': svg('<path marker-start="url({tcp}/a.svg#a)" d="M0 0L9 9"/>'),
  'an SVG mask': svg('<rect mask="url({tcp}/a.svg#a)" width="9" height="9"/>'),
  'an SVG cursor': svg('<rect cursor="url({tcp}/a.cur)" width="9" height="9"/>'),
  'an SVG pattern': svg('<pattern id="p" href="{tcp}/a.svg#p"/><rect fill="url(#p)" width="9" height="9"/>'),
  'an SVG text path': svg('<text><textPath href="{tcp}/a.svg#p">x</textPath></text>'),
  'an SVG set of an image': svg('<image><set attributeName="href" to="{tcp}/a.png"/></image>'),
  'an SVG animation of a fill': svg(
    '<rect width="9" height="9"><set attributeName="fill" to="url({tcp}/a.svg#a)"/></rect>',
  ),
  'an SVG with xml:base': svg('<image href="#a"/>', 'xml:base="{tcp}/"'),
  'an SVG with a style attribute': svg('<rect style="fill:url({tcp}/a.svg#a)" width="9" height="9"/>'),
  'a MathML source': '<math><mglyph src="{tcp}/a.png"></mglyph></math>',
  'a MathML link': '<math xlink:href="{tcp}/a"><mi>x</mi></math>',
  'a MathML style': '<math><mi style="background:url({tcp}/a.png)">x</mi></math>',
  // SVG in data:
  'a data: SVG with an image': inData(svg('<image href="{tcp}/a.png"/>')),
  'a data: SVG with a script': inData(svg('<script>1</script>')),
  'a data: SVG with a handler': inData(svg('', 'onload="1"')),
  'a data: SVG with a style sheet': inData(svg('<style>@import "{tcp}/a.css";</style>')),
  'a data: SVG with a prefix': inData(
    '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:image href="{tcp}/a.png"/></s:svg>',
  ),
  'a data: SVG with HTML': inData(
    svg('<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="{tcp}/a"/></foreignObject>'),
  ),
  'a data: SVG with an entity': inData(
    `<!DOCTYPE svg [<!ENTITY a "{tcp}/a.png">]>${svg('<image href="&a;"/>')}`,
  ),
  'a data: SVG with a style instruction': inData(`<?xml-stylesheet href="{tcp}/a.css"?>${svg('')}`),
  'a data: SVG in base64': inBase64(svg('<image href="{tcp}/a.png"/>')),
  'a data: SVG in a data: SVG': inBase64(
    svg(
      `<image href="data:image/svg+xml;base64,${Buffer.from(svg('<image href="{tcp}/a.png"/>')).toString('base64')}"/>`,
    ),
  ),
  'a data: SVG in UTF-16': inBase64(svg('<image href="{tcp}/a.png"/>'), 'image/svg+xml;charset=utf-16'),
  'a data: SVG that says UTF-16': inData(`<?xml version="1.0" encoding="UTF-16"?>${svg('')}`),
  'a data: SVG that is no XML': inData('<svg xmlns="http://www.w3.org/2000/svg"><image href="{tcp}/a.png">'),
  'a data: SVG in a style': styled(
    `p{background:url("data:image/svg+xml,${encodeURIComponent(svg('<use href="{tcp}/a.svg#a"/>'))}")}`,
  ),
  // Too much
  'a tower of elements': '<div>'.repeat(600),
  'a flood of elements': `<p>${Array.from({ length: 200 }, (_, at) => `<b id=${at}>`).join('')}</p>${'<p>x</p>'.repeat(1000)}`,
};
