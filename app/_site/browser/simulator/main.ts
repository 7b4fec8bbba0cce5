import '@/simulator/browser/without-eval';
import { type FaultName, faultNames } from '@/simulator/faults';
import { Session } from '@/simulator/session';
import { simulatorIds as ids } from '../../simulator/parts';
import { show } from './views';

/** Lets a visitor drive the simulator. Everything happens on this page: from here on nothing is requested. */

const button = (id: string) => {
  const found = document.getElementById(id);
  if (!(found instanceof HTMLButtonElement)) throw new Error(`the page has no button ${id}`);
  return found;
};
const buy = button(ids.buy);
const step = button(ids.step);
const end = button(ids.end);
const again = button(ids.again);
const simulator = document.querySelector('.simulator');
const faultButtons = document.querySelectorAll<HTMLButtonElement>('button[data-fault]');

let session = await Session.open();
let isBusy = false;

/** Shows what happened, and which buttons have something to do. */
function update(): void {
  const { isBought, isOver } = session;
  show(session);
  const focused = document.activeElement;
  buy.disabled = isBought;
  step.disabled = !isBought || isOver;
  end.disabled = step.disabled;
  again.disabled = !isBought;
  // What comes next is the primary button.
  again.className = isOver ? '' : 'tertiary';
  for (const one of faultButtons) {
    const name = faultNames.find((fault) => fault === one.dataset.fault);
    one.disabled = !isBought || isOver;
    one.setAttribute('aria-pressed', String(name !== undefined && session.isActive(name)));
  }
  // A button that has nothing left to do gives the focus to the one that comes next.
  if (focused instanceof HTMLButtonElement && focused.disabled)
    [buy, step, again].find((one) => !one.disabled)?.focus();
}

/** One act at a time: a step takes a moment of real time. */
async function act(run: () => void | Promise<void>): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  simulator?.setAttribute('aria-busy', 'true');
  try {
    await run();
  } finally {
    isBusy = false;
    update();
    simulator?.removeAttribute('aria-busy');
  }
}

buy.addEventListener('click', () => act(() => session.buy()));
step.addEventListener('click', () => act(() => session.step()));
end.addEventListener('click', () => act(() => session.runToEnd()));
again.addEventListener('click', () =>
  act(async () => {
    session = await Session.open();
  }),
);
for (const one of faultButtons)
  one.addEventListener('click', () =>
    act(() => {
      const name: FaultName | undefined = faultNames.find((fault) => fault === one.dataset.fault);
      return name && session.toggle(name);
    }),
  );
update();
