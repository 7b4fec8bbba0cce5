import { all, textOf } from './dom';

/**
 * Puts the real images, frames and recordings of a page where scripts would load them later.
 */
export function showMedia(page: Document): void {
  const absolute = (reference: string) =>
    URL.canParse(reference, document.baseURI) ? new URL(reference, document.baseURI).href : null;
  const isReal = (src: string | null) =>
    src !== null &&
    src !== '' &&
    !/^data:|(blank|placeholder|spacer|pixel|1x1|transparent|lazy[-_]?load)[^/]*$/i.test(src);

  /** The largest image of a `srcset`. */
  function largest(set: string | null): string | null {
    const found = (set ?? '')
      .split(/,\s+/)
      .map((candidate) => candidate.trim().split(/\s+/))
      .map(([address = '', size = '1x']) => ({ address, size: Number.parseFloat(size) || 1 }))
      .filter(({ address }) => isReal(address))
      .sort((a, b) => b.size - a.size);
    return found[0]?.address ?? null;
  }

  for (const image of all('img', page)) {
    if (isReal(image.getAttribute('src'))) continue;
    const named = ['data-src', 'data-lazy-src', 'data-original', 'data-lazy', 'data-url', 'data-image']
      .map((name) => image.getAttribute(name))
      .find(isReal);
    const sets = [image, ...all('source', image.closest('picture') ?? image)].flatMap((element) =>
      ['srcset', 'data-srcset', 'data-lazy-srcset'].map((name) => largest(element.getAttribute(name))),
    );
    const address = absolute(named ?? sets.find(isReal) ?? '');
    if (named || sets.some(isReal)) image.setAttribute('src', address ?? '');
  }

  /** The elements that a page has for browsers without scripts. */
  function contentOf(noscript: Element): Element {
    if (noscript.firstElementChild) return noscript;
    return new DOMParser().parseFromString(noscript.textContent ?? '', 'text/html').body;
  }
  const rest = [...(page.body?.querySelectorAll('*') ?? [])].filter(({ nodeName }) =>
    /^(NOSCRIPT|SCRIPT|STYLE|TEMPLATE|SVG)$/i.test(nodeName),
  );
  const restLength =
    textOf(page.body).length - rest.reduce((sum, element) => sum + textOf(element).length, 0);
  for (const noscript of all('body noscript', page)) {
    const content = contentOf(noscript);
    const image = content.querySelector('img');
    // What scripts would show is not there, so this is the page.
    if (textOf(content).length > Math.max(200, restLength)) {
      const box = page.createElement('div');
      box.append(...[...content.childNodes].map((node) => page.importNode(node, true)));
      noscript.replaceWith(box);
    } else if (image && textOf(content) === '') {
      const before = noscript.previousElementSibling?.matches('img') ? noscript.previousElementSibling : null;
      const src = absolute(image.getAttribute('src') ?? '');
      if (!src || (before && isReal(before.getAttribute('src')))) continue;
      const shown = page.importNode(image, false);
      shown.setAttribute('src', src);
      if (before) before.replaceWith(shown);
      else noscript.replaceWith(shown);
    }
  }

  const link = (address: string, text: string) => {
    const line = page.createElement('p');
    const anchor = page.createElement('a');
    anchor.setAttribute('href', address);
    anchor.textContent = text;
    line.append(anchor);
    return line;
  };
  const recordings = ':is(object, embed):is([type^="video/"], [type^="audio/"])';
  for (const media of all(`video, audio, ${recordings}`, page)) {
    const address =
      ['src', 'data', 'data-src'].map((name) => media.getAttribute(name)).find(Boolean) ??
      media.querySelector('source[src]')?.getAttribute('src');
    const isVideo = media.nodeName === 'VIDEO' || /^video/.test(media.getAttribute('type') ?? '');
    const title = media.getAttribute('title') ?? media.getAttribute('aria-label');
    const absoluteAddress = address ? absolute(address) : null;
    if (absoluteAddress && /^https?:/.test(absoluteAddress))
      media.replaceWith(link(absoluteAddress, title ?? (isVideo ? 'Video' : 'Audio')));
  }
  // A page of nothing but frames leads to them.
  const body = page.body ?? page.documentElement;
  if (textOf(body).length < 200) {
    for (const frame of all('iframe[src], frame[src]', page)) {
      const address = frame.getAttribute('src') ?? '';
      frame.parentElement?.append(
        link(address, frame.getAttribute('title') ?? frame.getAttribute('name') ?? address),
      );
    }
  }
}
