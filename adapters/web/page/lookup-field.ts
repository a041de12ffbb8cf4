import { html, LitElement } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Choice } from '../../../src/model/command-info.ts';
import { createLookup } from './list-box.ts';

let count = 0;

/** A field for any text, with suggestions that are looked up. Fires `choose` with its text. */
export class LookupField extends LitElement {
  static override readonly properties = {
    label: {},
    value: {},
    disabled: { type: Boolean },
    required: { type: Boolean },
    search: { attribute: false },
    items: { state: true },
  };

  declare label: string;
  declare value: string;
  declare disabled: boolean;
  declare required: boolean;
  declare search: (typed: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  declare private items: readonly Choice[] | undefined;

  readonly #list = `suggestions-${(count += 1)}`;
  readonly #lookup = createLookup<readonly Choice[]>();

  /** The page's style sheet applies to this element too. */
  protected override createRenderRoot(): this {
    return this;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#lookup.cancel();
  }

  #suggest(typed: string): void {
    this.#lookup.ask(
      (signal) => this.search(typed, signal),
      (choices) => (this.items = choices),
    );
  }

  readonly #onInput = (event: Event): void => {
    const typed = (event.target as HTMLInputElement).value;
    this.dispatchEvent(new CustomEvent('choose', { detail: typed }));
    this.#suggest(typed);
  };

  protected override render() {
    return html`
      <input
        type="text"
        list=${this.#list}
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        aria-label=${this.label}
        aria-required=${this.required ? 'true' : 'false'}
        ?disabled=${this.disabled}
        .value=${live(this.value)}
        @input=${this.#onInput}
        @focus=${() => this.#suggest(this.value)}
      />
      <datalist id=${this.#list}>
        ${this.items?.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
      </datalist>
    `;
  }
}
