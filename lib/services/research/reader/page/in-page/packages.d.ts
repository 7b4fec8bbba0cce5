/** The parts of turndown that are used. */
declare module 'turndown' {
  export default class TurndownService {
    constructor(options: object);
    remove(names: readonly string[]): void;
    addRule(name: string, rule: object): void;
    turndown(element: Element): string;
  }
}
