import { html, nothing, type TemplateResult } from 'lit';
import { classMap } from 'lit/directives/class-map.js';

interface ListItem {
  readonly value: string;
  readonly label: string;
  readonly detail: string;
}

export interface ListBox {
  readonly id: string;
  readonly label: string;
  readonly items: readonly ListItem[];
  readonly active: number;
  readonly choose: (index: number) => void;
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** A list to choose from; the focus stays in the field that it belongs to. */
export const listBox = ({ id, label, items, active, choose }: ListBox): TemplateResult => html`
  <ul class="list-box" id=${id} role="listbox" aria-label=${label}>
    ${items.map(
      (item, index) => html`
        <li
          id=${optionId(id, index)}
          role="option"
          aria-selected=${index === active ? 'true' : 'false'}
          class=${classMap({ active: index === active })}
          @pointerdown=${(event: Event) => {
            event.preventDefault();
            choose(index);
          }}
        >
          <span class="name">${item.label}</span>
          ${item.detail === '' ? nothing : html`<span class="detail">${item.detail}</span>`}
        </li>
      `,
    )}
  </ul>
`;

/** Keeps the marked item of a list in sight. */
export const revealActive = (root: ParentNode): void =>
  root.querySelector('[role="option"].active')?.scrollIntoView({ block: 'nearest' });

/** The item that an arrow key goes to from `active` in a list of `count`; around at the ends. */
export const step = (active: number, count: number, by: 1 | -1): number =>
  active < 0 ? (by === 1 ? 0 : count - 1) : (active + by + count) % count;

const REST_MS = 120;

/** Asks after a short rest, gives up what it asked before, and hands over only the last answer. */
export const createLookup = <T>() => {
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const cancel = (): void => {
    clearTimeout(timer);
    current?.abort();
    current = undefined;
  };

  return {
    cancel,
    ask: (ask: (signal: AbortSignal) => Promise<T>, take: (answer: T) => void): void => {
      cancel();
      const own = new AbortController();
      current = own;
      const run = async (): Promise<void> => {
        try {
          const answer = await ask(own.signal);
          if (!own.signal.aborted) take(answer);
        } catch {
          // What could not be looked up is not offered; the person types on.
        }
      };
      timer = setTimeout(() => void run(), REST_MS);
    },
  };
};
