import { html, LitElement, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Choice } from '../../../src/model/command-info.ts';
import { bestFit, matchesTyped, telling } from './completion.ts';
import { createLookup, listBox, optionId, revealActive, step } from './list-box.ts';

export type Search = (typed: string, signal: AbortSignal) => Promise<readonly Choice[]>;

let count = 0;

/** A field that looks up choices. Says `choose` with a value; when `free`, with any text. */
export class ComboBox extends LitElement {
  static override readonly properties = {
    label: {},
    value: {},
    free: { type: Boolean },
    disabled: { type: Boolean },
    placeholder: {},
    search: { attribute: false },
    required: { type: Boolean },
    items: { state: true },
    active: { state: true },
    open: { state: true },
    typed: { state: true },
  };

  declare label: string;
  /** The text of the field while nobody is typing in it. */
  declare value: string;
  declare free: boolean;
  declare disabled: boolean;
  declare required: boolean;
  declare placeholder: string;
  declare search: Search;
  declare private items: readonly Choice[];
  declare private active: number;
  declare private open: boolean;
  /** The text that is being typed; undefined while the value stands. */
  declare private typed: string | undefined;

  readonly #id = `combo-${(count += 1)}`;
  /** True when Enter was pressed before the lookup had answered. */
  #hasty = false;
  readonly #lookup = createLookup<readonly Choice[]>();

  constructor() {
    super();
    this.items = [];
    this.active = -1;
    this.open = false;
    this.placeholder = '';
  }

  /** The page's one style sheet dresses this element too. */
  protected override createRenderRoot(): this {
    return this;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#lookup.cancel();
  }

  #ask(typed: string): void {
    this.#hasty = false;
    this.#lookup.ask(
      (signal) => this.search(typed, signal),
      (choices) => {
        this.items = choices;
        const best = bestFit(choices, typed);
        this.active = this.free || typed === '' ? -1 : best;
        this.open = choices.length > 0;
        if (this.#hasty && choices.length > 0) this.#choose(best);
        else if (this.#hasty) this.#insist(typed);
      },
    );
  }

  #say(value: string): void {
    this.dispatchEvent(new CustomEvent('choose', { detail: value }));
  }

  #close(): void {
    this.#lookup.cancel();
    this.open = false;
    this.active = -1;
  }

  /** Hands on what no choice fits, for the one who asked to say so; the old value stands again. */
  #insist(typed: string): void {
    this.#hasty = false;
    this.typed = undefined;
    this.#say(typed);
  }

  #choose(index: number): void {
    const choice = this.items[index];
    if (!choice) return;
    this.#hasty = false;
    this.#close();
    this.typed = undefined;
    this.#say(choice.value);
  }

  readonly #onInput = (event: InputEvent): void => {
    const typed = (event.target as HTMLInputElement).value;
    this.typed = typed;
    if (this.free) this.#say(typed);
    // Until the answer is there, nothing is offered that is certainly not meant.
    this.items = this.items.filter((choice) => matchesTyped(choice, typed));
    this.active = -1;
    this.open &&= this.items.length > 0;
    this.#ask(typed);
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (this.open)
        this.active = step(this.active, this.items.length, event.key === 'ArrowDown' ? 1 : -1);
      else this.#ask(this.free ? this.value : '');
    } else if (event.key === 'Enter' && this.open && this.active >= 0) {
      event.preventDefault();
      event.stopPropagation();
      this.#choose(this.active);
    } else if (event.key === 'Enter' && !this.free && this.typed !== undefined) {
      // Faster than the lookup, or past one that failed: the best match is taken when it comes.
      event.preventDefault();
      this.#ask(this.typed);
      this.#hasty = true;
    } else if (event.key === 'Escape' && this.open) {
      event.preventDefault();
      event.stopPropagation();
      this.#close();
    }
  };

  readonly #onFocus = (event: FocusEvent): void => {
    if (this.free) return;
    (event.target as HTMLInputElement).select();
    this.#ask('');
  };

  readonly #onBlur = (): void => {
    // What Enter has asked for is chosen all the same.
    if (!this.#hasty) this.#close();
    this.typed = undefined;
  };

  protected override updated(): void {
    revealActive(this);
  }

  protected override render() {
    const list = `${this.#id}-list`;
    return html`
      <input
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        aria-autocomplete="list"
        aria-label=${this.label}
        aria-expanded=${this.open ? 'true' : 'false'}
        aria-controls=${list}
        aria-required=${this.required ? 'true' : 'false'}
        aria-activedescendant=${this.open && this.active >= 0 ? optionId(list, this.active) : nothing}
        placeholder=${this.placeholder}
        ?disabled=${this.disabled}
        .value=${live(this.typed ?? this.value)}
        @input=${this.#onInput}
        @keydown=${this.#onKey}
        @focus=${this.#onFocus}
        @blur=${this.#onBlur}
      />
      ${
        this.open
          ? listBox({
              id: list,
              label: this.label,
              items: this.items.map(({ value, label }) => ({
                value,
                label,
                detail: telling(value, label),
              })),
              active: this.active,
              choose: (index) => this.#choose(index),
            })
          : nothing
      }
    `;
  }
}
