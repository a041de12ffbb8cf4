import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Choice, CommandInfo, OptionInfo } from '../../../src/model/command-info.ts';
import { createLookup } from './list-box.ts';
import { api } from './api.ts';
import type { App } from './app.ts';
import { sizeText } from './completion.ts';
import { boot, t } from './boot.ts';
import type { TypedValues } from '../../../src/command/command-line.ts';
import type { HeldFile } from './composer.ts';
import { icon, toolButton } from './icons.ts';

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
        dir="auto"
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

interface Field {
  readonly app: App;
  readonly command: CommandInfo;
  readonly option: OptionInfo;
  /** Undefined while the line cannot be read: what is typed in a field would be lost then. */
  readonly values: TypedValues | undefined;
}

const heldView = (app: App, option: string, { file, url }: HeldFile): TemplateResult => html`
  <span class="held">
    ${
      file.type.startsWith('audio/')
        ? html`<audio-player .src=${url} .name=${file.name} .size=${file.size}></audio-player>`
        : icon('file')
    }
    <bdi class="file-name">${file.name}</bdi>
    <span class="size">${sizeText(file.size, boot.locale)}</span>
    ${toolButton(t('web.composer.remove-file', { name: file.name }), 'close', () =>
      app.composer.detach(option),
    )}
  </span>
`;

/** A field for a file, without a look of its own; the label around it shows what it is. */
export const fileInput = (label: string, take: (file: File) => void): TemplateResult => html`
  <input
    type="file"
    class="unseen"
    aria-label=${label}
    @change=${(event: Event) => {
      const input = event.target as HTMLInputElement;
      const [file] = input.files ?? [];
      if (file) take(file);
      // The same file may be chosen again.
      input.value = '';
    }}
  />
`;

const fileField = ({ app, option }: Field): TemplateResult => {
  const held = app.composer.draft().files.get(option.name);
  if (held) return heldView(app, option.name, held);
  return html`<label class="pick">
    ${icon('clip')}<span>${t('web.composer.choose-file')}</span>
    ${fileInput(option.description, (file) => app.composer.attach([file], option.name))}
  </label>`;
};

const chooseField = (
  { app, option, values }: Field,
  choices: readonly { value: string; label: string }[],
): TemplateResult => {
  const value = values?.[option.name] ?? '';
  return html`
    <select
      aria-label=${option.description}
      ?disabled=${!values}
      @change=${(event: Event) => app.composer.setOption(option.name, (event.target as HTMLSelectElement).value)}
    >
      <option value="" ?selected=${value === ''}>–</option>
      ${choices.map(
        (choice) =>
          html`<option value=${choice.value} ?selected=${choice.value === value}>
            ${choice.label}
          </option>`,
      )}
    </select>
  `;
};

const lookupField = ({ app, command, option, values }: Field): TemplateResult => html`
  <lookup-field
    .label=${option.description}
    .value=${values?.[option.name] ?? ''}
    .disabled=${!values}
    .required=${option.required}
    .search=${(typed: string, signal: AbortSignal) =>
      api.complete({ command: command.name, option: option.name, typed }, signal)}
    @choose=${(event: CustomEvent<string>) => app.composer.setOption(option.name, event.detail)}
  ></lookup-field>
`;

const textField = ({ app, option, values }: Field): TemplateResult => html`
  <input
    type="text"
    dir="auto"
    inputmode=${option.kind === 'text' ? 'text' : 'decimal'}
    autocomplete="off"
    aria-label=${option.description}
    aria-required=${option.required ? 'true' : 'false'}
    ?disabled=${!values}
    .value=${live(values?.[option.name] ?? '')}
    @input=${(event: Event) => app.composer.setOption(option.name, (event.target as HTMLInputElement).value)}
  />
`;

const YES_NO = ['true', 'false'].map((value) => ({ value, label: value }));

const fieldOf = (field: Field): TemplateResult => {
  const { kind, choices, autocompletes } = field.option;
  if (kind === 'attachment') return fileField(field);
  if (choices) return chooseField(field, choices);
  if (kind === 'boolean') return chooseField(field, YES_NO);
  return autocompletes ? lookupField(field) : textField(field);
};

/** The options of the command in the line, each in a field of its own: another way to fill them. */
export const optionFields = (app: App): TemplateResult | typeof nothing => {
  const command = app.composer.found()?.command;
  if (!command || command.options.length === 0) return nothing;
  const values = app.composer.values();
  return html`
    <div
      class="fields"
      role="group"
      aria-label=${t('web.composer.options', { command: command.name })}
    >
      ${command.options.map(
        (option) => html`
          <div
            class="field ${option.kind === 'attachment' ? 'takes-file' : ''}"
            title=${option.description}
          >
            <span class="field-name" aria-hidden="true"
              >${option.name}${option.required ? html`<b>*</b>` : nothing}</span
            >
            ${fieldOf({ app, command, option, values })}
          </div>
        `,
      )}
    </div>
  `;
};
