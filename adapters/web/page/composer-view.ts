import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { App } from './app.ts';
import { boot, sentenceParts, t } from './boot.ts';
import { freeTextOption } from '../../../src/command/command-line.ts';
import { icon } from './icons.ts';
import { listBox, optionId } from './list-box.ts';
import { fileInput, optionFields } from './option-fields.ts';

const LIST = 'suggestions';

/** Commands that a plain line can be turned into, most useful first. */
const WRAPPING = ['translate', 'say', 'ask'];

const popup = (app: App): TemplateResult | typeof nothing => {
  const { popup: open } = app.composer.get();
  if (!open) return nothing;
  const labels = {
    command: 'web.composer.commands',
    option: 'web.composer.option-names',
    value: 'web.composer.values',
  } as const;
  return html`<div class="popup">
    ${listBox({
      id: LIST,
      label: t(labels[open.completing.kind]),
      items: open.items,
      active: open.active,
      choose: app.composer.take,
    })}
    <p class="keys" aria-hidden="true">${t('web.composer.keys')}</p>
  </div>`;
};

const fault = (app: App): TemplateResult | typeof nothing => {
  const { fault: sentence } = app.composer.get();
  return sentence === undefined
    ? nothing
    : html`<p class="fault" id="line-fault" role="alert">${sentence}</p>`;
};

/** Offers to make a command of a plain line: in the playground nobody answers these. */
const wrapping = (app: App): TemplateResult | typeof nothing => {
  const line = app.composer.draft().line.trim();
  if (app.store.get().channel !== 'playground' || line === '' || line.startsWith('/'))
    return nothing;
  const offers = WRAPPING.flatMap((name) => {
    const command = boot.commands.find((each) => each.name === name);
    const option = command && freeTextOption(command);
    return option ? [{ command, option: option.name }] : [];
  });
  if (offers.length === 0) return nothing;
  return html`<div class="wrapping">
    ${sentenceParts('web.composer.wrap', {
      commands: offers.map(
        ({ command, option }) => html`
          <button type="button" @click=${() => app.composer.wrap(command, option)}>
            /${command.name}
          </button>
        `,
      ),
    })}
  </div>`;
};

const onKey = (app: App, event: KeyboardEvent): void => {
  if (app.composer.key(event)) event.preventDefault();
};

const lineField = (app: App): TemplateResult => {
  const { channel } = app.store.get();
  const { popup: open, fault: sentence } = app.composer.get();
  const edited = (event: Event): void => {
    const { value, selectionStart } = event.target as HTMLTextAreaElement;
    app.composer.edit(value, selectionStart);
  };
  const active = open && open.active >= 0 ? optionId(LIST, open.active) : nothing;
  return html`<textarea
    id="line"
    rows="1"
    role="combobox"
    aria-autocomplete="list"
    aria-label=${t('web.composer.label', { channel })}
    aria-expanded=${open ? 'true' : 'false'}
    aria-controls=${LIST}
    aria-activedescendant=${active}
    aria-invalid=${sentence === undefined ? 'false' : 'true'}
    aria-describedby=${sentence === undefined ? nothing : 'line-fault'}
    placeholder=${`${t('web.composer.public')} · ${t(channel === 'lounge' ? 'web.composer.lounge' : 'web.composer.playground')}`}
    spellcheck=${app.composer.draft().line.startsWith('/') ? 'false' : 'true'}
    dir="auto"
    .value=${live(app.composer.draft().line)}
    @beforeinput=${(event: InputEvent) => {
      if (event.data !== null && !app.composer.takes(event.data)) event.preventDefault();
    }}
    @input=${edited}
    @click=${(event: Event) => app.composer.offer((event.target as HTMLTextAreaElement).selectionStart)}
    @keydown=${(event: KeyboardEvent) => onKey(app, event)}
    @blur=${app.composer.closePopup}
    @paste=${(event: ClipboardEvent) => {
      const { files = [] } = event.clipboardData ?? {};
      if (files.length === 0) return;
      event.preventDefault();
      app.composer.attach(files);
    }}
  ></textarea>`;
};

const attachButton = (app: App): TemplateResult => html`
  <label class="tool" title=${t('web.composer.attach')}>
    ${icon('clip')} ${fileInput(t('web.composer.attach'), (file) => app.composer.attach([file]))}
  </label>
`;

export const composerView = (app: App): TemplateResult => {
  const { sending } = app.composer.get();
  const { line, files, next } = app.composer.draft();
  return html`
    <form
      class="composer"
      @submit=${(event: Event) => {
        event.preventDefault();
        void app.composer.submit();
      }}
    >
      ${popup(app)} ${fault(app)} ${wrapping(app)}
      <div class="box">
        <div class="row">
          ${attachButton(app)} ${lineField(app)}
          <voice-recorder
            @recorded=${(event: CustomEvent<File>) => app.composer.attach([event.detail])}
            @failed=${(event: CustomEvent<string>) => app.composer.fail(event.detail)}
          ></voice-recorder>
          <button
            type="submit"
            class="tool send"
            aria-label=${t('web.composer.send')}
            title=${t('web.composer.send')}
            ?disabled=${sending || (line.trim() === '' && files.size === 0)}
          >
            ${icon('send')}
          </button>
        </div>
        ${optionFields(app)}
        ${
          next.length === 0
            ? nothing
            : html`<p class="next-files">${t('web.composer.next-files')}</p>`
        }
      </div>
    </form>
  `;
};
