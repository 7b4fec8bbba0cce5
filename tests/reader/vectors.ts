/**
 * Every way for a page to make a browser request something, each under its own path. `{to}` is the origin that must never be
 * reached, `{ws}` the same for WebSockets, `{udp}` a port that listens for datagrams.
 */
const markup: Readonly<Record<string, string>> = {
  image: '<img src="{to}/image">',
  'image-set': '<img srcset="{to}/image-set 2x">',
  picture: '<picture><source srcset="{to}/picture"><img src="{to}/picture-img"></picture>',
  video: '<video src="{to}/video" preload="auto" autoplay muted></video>',
  poster: '<video poster="{to}/poster"></video>',
  audio: '<audio src="{to}/audio" preload="auto"></audio>',
  track: '<video><track default kind="captions" src="{to}/track"></video>',
  script: '<script src="{to}/script"></script>',
  module: '<script type="module" src="{to}/script-module"></script>',
  style: '<link rel="stylesheet" href="{to}/style">',
  'style-import': '<style>@import url("{to}/style-import");</style>',
  background: '<style>#b { background: url("{to}/background") }</style><p id="b">b</p>',
  'background-attribute': '<table background="{to}/background-attribute"><tr><td>x</td></tr></table>',
  cursor: '<style>body { cursor: url("{to}/cursor"), auto; list-style-image: url("{to}/bullet") }</style>',
  font: '<style>@font-face { font-family: f; src: url("{to}/font") } #f { font-family: f }</style><p id="f">f</p>',
  frame: '<iframe src="{to}/frame"></iframe>',
  srcdoc: '<iframe srcdoc="<script src=\'{to}/script-srcdoc\'></script>"></iframe>',
  object: '<object data="{to}/object"></object>',
  embed: '<embed src="{to}/embed">',
  'input-image': '<input type="image" src="{to}/input-image">',
  preload: '<link rel="preload" as="script" href="{to}/script-preload">',
  'preload-style': '<link rel="preload" as="style" href="{to}/style-preload">',
  'preload-font': '<link rel="preload" as="font" crossorigin href="{to}/preload-font">',
  'preload-fetch': '<link rel="preload" as="fetch" crossorigin href="{to}/preload-fetch">',
  modulepreload: '<link rel="modulepreload" href="{to}/script-modulepreload">',
  prefetch: '<link rel="prefetch" href="{to}/prefetch">',
  prerender: '<link rel="prerender" href="{to}/prerender">',
  preconnect: '<link rel="preconnect" href="{to}"><link rel="dns-prefetch" href="{to}">',
  icon: '<link rel="icon" href="{to}/icon"><link rel="apple-touch-icon" href="{to}/touch-icon">',
  manifest: '<link rel="manifest" href="{to}/manifest">',
  speculation:
    '<script type="speculationrules">{"prefetch":[{"urls":["{to}/speculated"]}],"prerender":[{"urls":["{to}/prerendered"]}]}</script>',
  'svg-image': '<svg><image href="{to}/svg-image"/><use href="{to}/svg-use#x"/></svg>',
  'form-in-frame':
    '<iframe name="f"></iframe><form id="g" target="f" action="{to}/form"></form><script>g.submit()</script>',
  ping: '<a id="p" href="#x" ping="{to}/ping">x</a><script>p.click()</script>',
};

const scripts: Readonly<Record<string, string>> = {
  fetch: 'fetch("{to}/fetch").catch(() => 0)',
  'fetch-blind': 'fetch("{to}/fetch-blind", { mode: "no-cors", method: "POST", body: "x" }).catch(() => 0)',
  'fetch-keepalive': 'fetch("{to}/fetch-keepalive", { keepalive: true }).catch(() => 0)',
  xhr: 'const x = new XMLHttpRequest(); x.open("GET", "{to}/xhr"); x.send()',
  'xhr-sync': 'const y = new XMLHttpRequest(); y.open("GET", "{to}/xhr-sync", false); y.send()',
  websocket: 'new WebSocket("{ws}/websocket")',
  events: 'new EventSource("{to}/events")',
  beacon: 'navigator.sendBeacon("{to}/beacon", "x")',
  'script-element':
    'const s = document.createElement("script"); s.src = "{to}/script-element"; document.head.append(s)',
  'script-import': 'import("{to}/script-import").catch(() => 0)',
  'new-image': 'new Image().src = "{to}/new-image"',
  'new-audio': 'new Audio("{to}/new-audio").play().catch(() => 0)',
  'worker-fetch':
    'new Worker(URL.createObjectURL(new Blob(["fetch(`{to}/worker-fetch`); new WebSocket(`{ws}/worker-websocket`)"])))',
  'worker-import': 'new Worker(URL.createObjectURL(new Blob(["importScripts(`{to}/worker-import`)"])))',
  'shared-worker':
    'new SharedWorker(URL.createObjectURL(new Blob(["fetch(`{to}/worker-shared`)"], { type: "text/javascript" })))',
  'service-worker': 'navigator.serviceWorker.register("/sw.js")',
  popup: 'window.open("{to}/popup")',
  'font-face': 'new FontFace("g", "url({to}/font-face)").load().catch(() => 0)',
  'css-register': 'document.adoptedStyleSheets = []; CSS.supports("x", "url({to}/css)")',
  cache: 'caches.open("c").then((c) => c.add("{to}/cache")).catch(() => 0)',
  peer: `const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:{udp}" }, { urls: "turn:127.0.0.1:{udp}?transport=udp", username: "u", credential: "p" }] });
    c.createDataChannel("d"); c.createOffer().then((o) => c.setLocalDescription(o))`,
  'peer-tcp': `const d = new RTCPeerConnection({ iceServers: [{ urls: "turn:127.0.0.1:{tcp}?transport=tcp", username: "u", credential: "p" }] });
    d.createDataChannel("d"); d.createOffer().then((o) => d.setLocalDescription(o))`,
  transport: 'new WebTransport("https://127.0.0.1:{udp}/").ready.catch(() => 0)',
};

/** The vectors that make this browser send a request if it is allowed to; the others are tried anyway. */
export const certain: readonly string[] = [
  ...['/script', '/script-module', '/style', '/style-import', '/frame', '/script-srcdoc', '/script-preload'],
  ...['/fetch', '/fetch-blind', '/xhr', '/xhr-sync', '/websocket', '/events', '/beacon', '/script-element'],
  ...['/script-import', '/worker-fetch', '/worker-import', '/form', '/object', '/preload-fetch'],
];

export interface Places {
  readonly origin: string;
  readonly udpPort: number;
  readonly tcpPort: number;
}

/** One page with all vectors. A failing script does not stop the others. */
export function everyVector({ origin, udpPort, tcpPort }: Places): string {
  const fill = (text: string) =>
    text
      .replaceAll('{to}', origin)
      .replaceAll('{ws}', origin.replace('http', 'ws'))
      .replaceAll('{udp}', String(udpPort))
      .replaceAll('{tcp}', String(tcpPort));
  const body = Object.values(markup).map(fill).join('\n');
  const code = Object.values(scripts)
    .map((script) => `<script>{ try { ${fill(script)} } catch {} }</script>`)
    .join('\n');
  return `<!doctype html><title>Vectors</title><main><p>All of them.</p>${body}${code}</main>`;
}

/** Automatic redirects, as the headers and the body of a page. */
export const leads: Readonly<
  Record<string, (to: string) => { status?: number; headers?: Record<string, string>; body?: string }>
> = {
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `status ${status}`,
      (to: string) => ({ status, headers: { Location: to } }),
    ]),
  ),
  'Refresh header': (to) => ({ headers: { Refresh: `0; url=${to}` } }),
  'meta refresh': (to) => ({ body: `<meta http-equiv="refresh" content="0; url=${to}">` }),
  'location.href': (to) => ({ body: `<script>location.href = ${JSON.stringify(to)}</script>` }),
  'location.replace, late': (to) => ({
    body: `<script>onload = () => setTimeout(() => location.replace(${JSON.stringify(to)}), 100)</script>`,
  }),
  'a form': (to) => ({
    body: `<form id="f" method="post" action="${to}"></form><script>f.submit()</script>`,
  }),
  'a link': (to) => ({ body: `<a id="a" href="${to}">x</a><script>a.click()</script>` }),
  'the top of a frame': (to) => ({
    body: `<iframe srcdoc="<script>top.location = '${to}'</script>"></iframe>`,
  }),
};
