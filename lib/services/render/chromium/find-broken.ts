import type { DocumentTools } from './document-tools';

/**
 * Runs inside the browser: what has data that is no image, film, or font. Film and sound cannot be printed; a film may have a picture
 * that stands for it (`poster`).
 */
export async function findBroken(tools: DocumentTools, cut: Set<Element>): Promise<void> {
  const { all, isSeen } = tools;
  const isImage = (image: HTMLImageElement): Promise<boolean> =>
    image.decode().then(
      () => true,
      () => false,
    );
  const getter = (name: string) =>
    Object.getOwnPropertyDescriptor(Node.prototype, name)?.get ?? (() => undefined);
  const [textOf, childNodes] = [getter('textContent'), getter('childNodes')];
  const attributeOf = (element: Element, name: string) =>
    Element.prototype.getAttribute.call(element, name) ?? '';

  const hrefOf = (element: Element) => attributeOf(element, 'href') || attributeOf(element, 'xlink:href');
  const known = new Map<string, boolean>();
  const isBroken = async (address: string): Promise<boolean> => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const image = new Image();
    image.src = address;
    const found = !(await isImage(image));
    known.set(address, found);
    return found;
  };

  for (const image of all('img[src]:not([src=""]), img[srcset]')) {
    if (!(image instanceof HTMLImageElement) || !isSeen(image)) continue;
    // A pixel for a denser screen has no width of its own, but can be decoded.
    if (image.naturalWidth === 0 && !(await isImage(image))) cut.add(image);
  }
  for (const image of all('svg image:is([href], [*|href])'))
    if (isSeen(image) && (await isBroken(hrefOf(image)))) cut.add(image);
  for (const button of all('input[type="image" i]'))
    if (isSeen(button) && (await isBroken(attributeOf(button, 'src')))) cut.add(button);
  for (const film of all('video:not([poster]), audio[controls]')) if (isSeen(film)) cut.add(film);
  const ids = new Set(all('[id]').map((one) => attributeOf(one, 'id')));
  for (const used of all('svg use')) {
    const target = hrefOf(used).replace(/^#/, '');
    if (target !== '' && !ids.has(target) && isSeen(used)) cut.add(used);
  }
  for (const frames of all('frameset')) cut.add(frames);

  const styles = [null, '::before', '::after'] as const;
  const someBroken = async (addresses: Iterable<string>): Promise<boolean> => {
    for (const address of addresses) if (await isBroken(address)) return true;
    return false;
  };
  const written = [
    ...all('style').map((sheet) => textOf.call(sheet)),
    ...all('[style]').map((one) => attributeOf(one, 'style')),
  ];
  const addresses = written.flatMap((text) =>
    [...text.matchAll(/url\(\s*(?:"(data:[^"]*)"|'(data:[^']*)'|(data:[^)\s]*))/gi)].map(
      ([, double, single, bare]) => double ?? single ?? bare ?? '',
    ),
  );
  // Styles of every element are looked at only if something is wrong, because each may repeat a large image.
  if (await someBroken(addresses.filter((address) => /^data:image/i.test(address)))) {
    for (const element of all('*')) {
      for (const pseudo of styles) {
        const style = getComputedStyle(element, pseudo);
        const values = [style.backgroundImage, style.listStyleImage, style.borderImageSource, style.content];
        const used = values.flatMap((value) =>
          [...value.matchAll(/url\("(data:[^"]*)"\)/g)].map(([, address = '']) => address),
        );
        if ((await someBroken(used)) && isSeen(element)) cut.add(element);
      }
    }
  }

  const fonts: FontFaceSet = Object.getOwnPropertyDescriptor(Document.prototype, 'fonts')?.get?.call(
    document,
  );
  const loading = [...fonts].filter(({ status }) => status === 'loading');
  await Promise.all(loading.map(({ loaded }) => loaded.catch(() => undefined)));
  const failed = [...fonts].filter(({ status }) => status === 'error');
  if (failed.length === 0) return;
  const families = failed.map(({ family }) => family.replace(/^["']|["']$/g, ''));
  // Other characters are printed in another font. Those for private use are icons that only this font has.
  const hasIcons = (text: string) => /\p{Co}/u.test(text);
  for (const element of all('*')) {
    const ownText = [...childNodes.call(element)]
      .map((node) => (node instanceof Text ? node.data : ''))
      .join('');
    for (const pseudo of styles) {
      const { fontFamily, content } = getComputedStyle(element, pseudo);
      const isUsed = families.some((family) => fontFamily.includes(family));
      if (isUsed && hasIcons(pseudo ? content : ownText) && isSeen(element)) cut.add(element);
    }
  }
}
