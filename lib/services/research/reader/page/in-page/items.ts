import { all, lengthOf, textOf } from './dom';

const heading = 'h1, h2, h3, h4, h5, h6';
/** An item has a link or an image, and is short enough to announce something. */
const lengthMax = 1_500;
const [itemsMin, alikeMin] = [4, 0.8];

/** Finds the items of lists: children of one element with the same name and first class, most of them with a link. */
export function findItems(main: Element, countMin = 3): Element[][] {
  const groups: Element[][] = [];
  for (const parent of [main, ...all('*', main)]) {
    if (parent.childElementCount < countMin || parent.closest('table, pre')) continue;
    const alike = new Map<string, Element[]>();
    for (const child of parent.children) {
      if (lengthOf(child) < 8) continue;
      const name = `${child.nodeName} ${child.classList[0] ?? ''}`;
      alike.set(name, [...(alike.get(name) ?? []), child]);
    }
    for (const group of alike.values()) {
      const linked = group.filter(
        (item) => item.matches('a[href]') || item.querySelector('a[href]') !== null,
      );
      if (group.length >= countMin && linked.length > 0.6 * group.length) groups.push(group);
    }
  }
  return groups;
}

/** The items that have no items themselves. */
function innermost(groups: readonly Element[][]): Element[][] {
  const holders = new Set<Element>();
  for (const [first] of groups)
    for (let up = first?.parentElement; up; up = up.parentElement) holders.add(up);
  return groups.filter((group) => !group.some((item) => holders.has(item)));
}

/** Removes what the items of lists say twice, and the commands that all of them have. */
export function removeItemDetails(main: Element, isList: boolean): void {
  for (const group of innermost(findItems(main))) {
    const items = group.filter((item) => lengthOf(item) <= lengthMax);
    for (const item of items) removeSaidTwice(item);
    if (isList && items.length >= itemsMin) removeCommands(items);
  }
}

/** Removes what an item says twice: its title as the text of its image and as its heading, a date for wide and narrow screens. */
export function removeSaidTwice(item: Element): void {
  const said = new Map<string, Element>();
  for (const element of all('*', item)) {
    const text = textOf(element).toLowerCase();
    if (text.length < 8 || text.length > 200 || element.closest('pre, table, blockquote, code')) continue;
    const before = said.get(text);
    if (before === undefined || !item.contains(before)) said.set(text, element);
    else if (before.contains(element) || !item.contains(element) || isOtherLink(element, before)) continue;
    else if (element.closest(heading) && !before.closest(heading)) {
      before.remove();
      said.set(text, element);
    } else element.remove();
  }
}

/** Whether two elements with the same text lead to different pages. */
function isOtherLink(one: Element, other: Element): boolean {
  const addressOf = (element: Element) =>
    (element.closest('a[href]') ?? element.querySelector('a[href]'))?.getAttribute('href');
  const [address, otherAddress] = [addressOf(one), addressOf(other)];
  return address !== undefined && otherAddress !== undefined && address !== otherAddress;
}

/** Removes labels that most items have alike, such as `Compare`, and such links if another link of the item leads there, too. */
function removeCommands(items: readonly Element[]): void {
  const commands = items.map((item) =>
    all('a[href], label, a[href] *, label *', item).filter((element) => {
      const { length } = textOf(element);
      const link = element.closest('a[href]');
      const isOnlyWay =
        link !== null && !all('a[href]', item).some((one) => one !== link && !isOtherLink(one, link));
      return length > 1 && length <= 40 && element.querySelector('time, img') === null && !isOnlyWay;
    }),
  );
  const times = new Map<string, number>();
  for (const text of commands.flatMap((some) => [...new Set(some.map(textOf))]))
    times.set(text, (times.get(text) ?? 0) + 1);
  for (const element of commands.flat()) {
    const text = textOf(element);
    const isCommand = /\p{L}/u.test(text) && !/[:\d]$/.test(text);
    if (isCommand && (times.get(text) ?? 0) >= alikeMin * items.length) element.remove();
  }
}
