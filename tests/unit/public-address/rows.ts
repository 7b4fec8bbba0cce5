/** Names that mean something different on each network, or nothing anywhere. */
export const privateNames: readonly string[] = [
  ...['localhost', 'app.localhost', 'localhost.localdomain', 'printer', 'intranet', 'com', 'metadata'],
  ...[
    'printer.local',
    'a.b.local',
    'db.internal',
    'metadata.google.internal',
    'router.home.arpa',
    'home.arpa',
  ],
  ...['1.0.0.127.in-addr.arpa', 'ipv4only.arpa', 'resolver.arpa', 'a.test', 'a.example', 'a.invalid'],
  ...['a.onion', 'a.alt', 'nas.lan', 'mail.corp', 'a.home', 'wiki.intranet', 'a.private', 'a.mail'],
  ...['pc.workgroup', 'a.domain', 'example.com.local', 'example.com.internal', '127.0.0.1.lan'],
];

/** Addresses that parsers read differently, or not at all. */
export const strayUrls: readonly string[] = [
  // Escapes.
  ...[
    'http://ex%61mple.com/',
    'http://example%2ecom/',
    'http://example.com%2f@evil.com/',
    'http://%65xample.com',
  ],
  ...['http://example.com%00.evil.com/', 'http://example.com%20/', 'http://example%E3%80%82com/'],
  // Invisible characters.
  ...[
    'http://exam\u00adple.com/',
    'http://exam\u200bple.com/',
    'http://exam\u200dple.com/',
    'http://\ufeffexample.com/',
  ],
  ...[
    'http://exam\u2060ple.com/',
    'http://example\ufe0f.com/',
    'http://example.com\u200e/',
    'http://exam\u034fple.com/',
  ],
  // Spaces and control characters.
  ...[' http://example.com/', 'http://example.com /', 'http:// example.com/', 'http://exam ple.com/'],
  ...[
    'http://exam\tple.com/',
    'http://exam\nple.com/',
    'ht\ntp://example.com/',
    'https://example.com/a\r\nb',
  ],
  ...[
    'http://example.com\u0000/',
    'http://example.com\u007f/',
    'http://exam\u00a0ple.com/',
    'http://exam\u3000ple.com/',
  ],
  // Characters that no host name contains.
  ...[
    'http://ex*mple.com/',
    'http://*.example.com/',
    'http://a$b.com/',
    'http://a{b}.com/',
    'http://a,b.com/',
  ],
  ...[
    'http://a;b.com/',
    "http://a'b.com/",
    'http://a"b.com/',
    'http://a`b.com/',
    'http://a!b.com/',
    'http://a+b.com/',
  ],
  ...[
    'http://a(b).com/',
    'http://a=b.com/',
    'http://a&b.com/',
    'http://a~b.com/',
    'http://a<b>.com/',
    'http://a|b.com/',
  ],
  ...['http://a^b.com/', 'http://[example.com]/', 'http://example.com]/', 'http://[example.com/'],
  // Dots and labels.
  ...[
    'http://example.com../',
    'http://.example.com/',
    'http://example..com/',
    'http://./',
    'http://../',
    'http://com./',
  ],
  ...[
    `http://${'a'.repeat(64)}.com/`,
    `http://${'a.'.repeat(127)}com/`,
    'http://example.c/',
    'http://example.c0m/',
  ],
  ...['http://example.123/', 'http://1.2.3.4.5/', 'http://256.1.1.1/', 'http://08.8.8.8/'],
  ...['http://example._com/', 'http://example.com_/', 'http://example.-com/'],
  // User names.
  ...[
    'http://user@example.com/',
    'http://user:word@example.com/',
    'http://@example.com/',
    'http://:@example.com/',
  ],
  ...['http://127.0.0.1@example.com/', 'http://example.com@127.0.0.1/', 'http://a@b@example.com/'],
  // Slashes.
  ...[
    'http:example.com',
    'http:/example.com/',
    'http:///example.com/',
    'http:\\\\example.com\\',
    'https://',
    'http://?a',
  ],
  ...[
    'http://example.com\\@127.0.0.1/',
    'http://example.com\\.evil.com/',
    '//example.com/',
    'example.com',
    '/page',
    '',
  ],
  // Schemes.
  ...[
    'ftp://example.com/',
    'ws://example.com/',
    'wss://example.com/',
    'file:///etc/passwd',
    'file://example.com/a',
  ],
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'about:blank',
    'blob:https://example.com/x',
    'gopher://example.com/',
  ],
  ...[
    'view-source:https://example.com/',
    'feed:https://example.com/',
    'mailto:a@example.com',
    'httpss://example.com/',
  ],
  // Ports: those of other protocols (https://fetch.spec.whatwg.org/#port-blocking), and all others except 80 and 443.
  ...[
    0, 1, 7, 19, 21, 22, 23, 25, 53, 69, 79, 81, 110, 111, 119, 139, 143, 389, 444, 445, 465, 548, 587, 636,
    989,
  ],
  ...[
    993, 995, 1719, 1720, 2049, 3000, 3306, 3659, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6667, 6679, 6697,
  ],
  ...[8000, 8080, 8443, 9200, 10080, 11211, 27017, 65_535],
]
  .map((row) => (typeof row === 'number' ? `http://example.com:${row}/` : row))
  .concat([
    'http://example.com:65536/',
    'http://example.com:-1/',
    'http://example.com:8a/',
    'https://[2606:4700::1111]:8443/',
    'https://8.8.8.8:22/',
  ]);

export const publicUrls: readonly string[] = [
  ...['https://example.com', 'http://example.com/', 'HTTPS://EXAMPLE.COM/a?b=c#d', 'https://example.com./'],
  ...[
    'https://example.com:443/',
    'http://example.com:80/',
    'http://example.com:443/',
    'https://example.com:80/',
  ],
  ...[
    'http://example.com:/',
    'http://example.com:080/',
    'https://example.com?a=b@c',
    'https://example.com#@x',
  ],
  ...[
    'https://a_b.example.com/',
    'https://-a.example.com/',
    'https://a-.example.com/',
    'https://xn--n3h.net/',
  ],
  ...[
    'http://b\u00fccher.de/',
    'http://fa\u00df.de/',
    'http://\u4f8b\u5b50.\u4e2d\u56fd/',
    'https://\u2603.net/',
  ],
  ...[
    'http://localhost.example.com/',
    'http://local.com/',
    'http://internal.io/',
    'http://test.org/',
    'http://lan.de/',
  ],
  ...[
    'http://onion.network/',
    'http://127.0.0.1.example.com/',
    'http://10.com/',
    'http://0x7f.com/',
    'http://1.1.1.1/',
  ],
  ...[
    'http://8.8.8.8/',
    'http://1.1/',
    'http://0x08080808/',
    'http://[2606:4700:4700::1111]/',
    'http://[2A00:1450::1]:80/',
  ],
  ...[
    'https://example.com/%7euser/a%20b',
    'https://example.com/a b',
    'https://example.com/@user',
    'https://example.com/a:8443/',
  ],
  ...[
    'https://example.com/http://127.0.0.1/',
    'https://example.com/\u00fc\u200b',
    'https://example.com//../..//',
  ],
  ...[`https://${'a'.repeat(63)}.com/`, 'https://a.b.c.d.e.f.g.example.museum/', 'http://example.xn--p1ai/'],
];
