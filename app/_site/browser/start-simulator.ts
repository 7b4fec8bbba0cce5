import { simulatorIds as ids } from '../simulator/parts';

/** Loads the simulator, which is large, when somebody is about to use it, so that who reads its page does not wait for it. */

const buy = document.getElementById(ids.buy);
const said = document.getElementById(ids.last);

if (buy instanceof HTMLButtonElement && said) {
  let isLoaded = false;
  const load = () =>
    import('./simulator/main').then(() => {
      isLoaded = true;
    });
  buy.addEventListener('click', () => {
    // From then on it hears of clicks itself.
    if (isLoaded) return;
    said.textContent = 'Loading the simulator.';
    load().then(
      () => buy.click(),
      () => {
        said.textContent = 'The simulator could not be loaded. Reload the page.';
      },
    );
  });
  for (const event of ['pointerenter', 'focus'])
    buy.addEventListener(event, () => void load().catch(() => undefined), { once: true });
  buy.disabled = false;
}
