import type { FoundWallet } from './wallets';

/** The list from which a person chooses a wallet: radio buttons named `wallet`. */

/** Lists wallets, and keeps the earlier choice. A wallet is preselected only if it is the only one. */
export function listWallets(list: HTMLElement, wallets: readonly FoundWallet[]): void {
  const before = chosenIn(list);
  const marked = wallets.find(({ id }) => id === before) ?? (wallets.length === 1 ? wallets[0] : undefined);
  list.replaceChildren(...wallets.map((wallet, index) => option(wallet, index, wallet === marked)));
}

/** The wallet that is chosen in a list. */
export function chosenWallet(list: HTMLElement, wallets: readonly FoundWallet[]): FoundWallet | undefined {
  const chosen = chosenIn(list);
  return wallets.find(({ id }) => id === chosen);
}

function chosenIn(list: HTMLElement): string | undefined {
  return list.querySelector<HTMLInputElement>('input[name="wallet"]:checked')?.value;
}

function option({ id, name, icon }: FoundWallet, index: number, isChecked: boolean): HTMLElement {
  const input = Object.assign(document.createElement('input'), {
    type: 'radio',
    name: 'wallet',
    id: `wallet-${index}`,
    value: id,
    checked: isChecked,
  });
  const label = document.createElement('label');
  label.htmlFor = input.id;
  // Both standards require icons as data URLs. The pages load no other images.
  if (icon.startsWith('data:image/'))
    label.append(Object.assign(document.createElement('img'), { src: icon, alt: '' }));
  label.append(Object.assign(document.createElement('bdi'), { textContent: name }));
  const element = document.createElement('div');
  element.className = 'option';
  element.append(input, label);
  return element;
}
