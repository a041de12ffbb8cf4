import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { EngineReport } from '../../../src/model/service.ts';
import { splitInstruction } from '../../../src/text/instruction.ts';
import type { PageKey } from '../protocol.ts';
import type { App } from './app.ts';
import { boot, t } from './boot.ts';
import { icon, toolButton } from './icons.ts';
import { modelsPanel } from './models.ts';
import type { Panel, Theme } from './store.ts';
import { tableFrame } from './table-frame.ts';

/** The choice of the language that this reader reads the lounge in. */
export const languageChooser = (app: App): TemplateResult => {
  const { languages, me } = app.store.get();
  return html` <div class="reading">
    ${icon('globe')}<span aria-hidden="true">${t('web.lounge.read-in')}</span>
    <select
      aria-label=${t('web.lounge.read-in')}
      @change=${(event: Event) => app.readIn((event.target as HTMLSelectElement).value)}
    >
      ${languages.map(
        ({ value, label }) =>
          html`<option value=${value} .selected=${live(value === me?.language)}>${label}</option>`,
      )}
    </select>
  </div>`;
};

const copyButton = (text: string): TemplateResult => {
  const copy = async (event: Event): Promise<void> => {
    const button = event.currentTarget as HTMLButtonElement;
    // Pages that came neither over HTTPS nor from this machine may not write to the clipboard.
    if (!('clipboard' in navigator)) {
      const code = button.parentElement?.querySelector('code');
      if (code) getSelection()?.selectAllChildren(code);
      return;
    }
    await navigator.clipboard.writeText(text);
    button.dataset['done'] = '';
    setTimeout(() => delete button.dataset['done'], 1_500);
  };
  return toolButton(t('web.engines.copy'), 'copy', copy, 'copy');
};

/** The way to add an engine; each command and variable in it can be copied. */
export const instruction = (detail: string): readonly unknown[] =>
  splitInstruction(detail).map((part, index) =>
    index % 2 === 0
      ? part
      : html`<span class="to-copy"><code>${part}</code>${copyButton(part)}</span>`,
  );

const engineRow = ({ name, serves, ready, detail }: EngineReport): TemplateResult => html`
  <tr>
    <th scope="row">${name}</th>
    <td>${serves.map((ability) => t(`web.engines.abilities.${ability}`)).join(', ')}</td>
    <td>
      <span class="ready ${ready ? 'good' : 'part'}"
        >${t(ready ? 'web.engines.ready' : 'web.engines.missing')}</span
      >
    </td>
    <td class="detail">${ready ? detail : instruction(detail)}</td>
  </tr>
`;

const engines = (app: App): TemplateResult => {
  const { engines: known } = app.store.get();
  if (known === 'asking') return html`<p>${t('web.engines.asking')}</p>`;
  if (known === 'failed') return html`<p class="fault">${t('web.engines.failed')}</p>`;
  return html`
    <p>${t(known.builtIn ? 'web.engines.built-in' : 'web.engines.remote')}</p>
    ${
      boot.canInstall
        ? html`<p>
            <button type="button" class="control" @click=${() => app.open('models')}>
              ${t('web.models.open')}
            </button>
          </p>`
        : nothing
    }
    ${known.reachable ? nothing : html`<p class="fault">${t('web.engines.unreachable')}</p>`}
    ${tableFrame(
      t('web.engines.title'),
      html` <table>
        <thead>
          <tr>
            <th scope="col">${t('web.engines.name')}</th>
            <th scope="col">${t('web.engines.serves')}</th>
            <th scope="col">${t('web.engines.state')}</th>
            <th scope="col">${t('web.engines.detail')}</th>
          </tr>
        </thead>
        <tbody>
          ${known.engines.map(engineRow)}
        </tbody>
      </table>`,
    )}
  `;
};

const THEMES: readonly (readonly [Theme, PageKey])[] = [
  ['system', 'web.theme.system'],
  ['light', 'web.theme.light'],
  ['dark', 'web.theme.dark'],
];

const preferences = (app: App): TemplateResult => {
  const { me, theme, originals, nameFault } = app.store.get();
  return html`
    <label class="setting">
      <span>${t('web.preferences.name')}</span>
      <input
        type="text"
        dir="auto"
        maxlength="40"
        autocomplete="nickname"
        .value=${live(me?.name ?? '')}
        aria-invalid=${nameFault === undefined ? 'false' : 'true'}
        aria-describedby="name-fault"
        @change=${(event: Event) => app.rename((event.target as HTMLInputElement).value)}
      />
    </label>
    ${
      nameFault === undefined
        ? nothing
        : html`<p id="name-fault" class="fault" role="alert">${nameFault}</p>`
    }
    <div class="setting"><span>${t('web.preferences.language')}</span>${languageChooser(app)}</div>
    <label class="setting check">
      <input
        type="checkbox"
        .checked=${live(originals)}
        @change=${(event: Event) => app.setOriginals((event.target as HTMLInputElement).checked)}
      />
      <span>${t('web.preferences.originals')}</span>
    </label>
    <fieldset class="setting">
      <legend>${t('web.preferences.theme')}</legend>
      ${THEMES.map(
        ([each, name]) =>
          html`<label class="check">
            <input
              type="radio"
              name="theme"
              value=${each}
              .checked=${live(theme === each)}
              @change=${() => app.setTheme(each)}
            />
            <span>${t(name)}</span>
          </label>`,
      )}
    </fieldset>
    ${
      boot.canLogOut
        ? html`<form method="post" action="logout">
            <button type="submit">${t('web.login.leave')}</button>
          </form>`
        : nothing
    }
  `;
};

const SHORTCUTS = [
  ['/', 'web.shortcuts.command'],
  ['Ctrl K', 'web.shortcuts.line'],
  ['Alt ↑ Alt ↓', 'web.shortcuts.channel'],
  ['Ctrl .', 'web.shortcuts.stop'],
  ['Shift Enter', 'web.shortcuts.newline'],
  ['Tab', 'web.shortcuts.fields'],
  ['Esc', 'web.shortcuts.close'],
  ['?', 'web.shortcuts.help'],
] as const;

const shortcuts = (): TemplateResult => html`
  <dl class="shortcuts">
    ${SHORTCUTS.map(
      ([keys, key]) =>
        html`<div>
          <dt>${keys.split(' ').map((each) => html`<kbd>${each}</kbd>`)}</dt>
          <dd>${t(key)}</dd>
        </div>`,
    )}
  </dl>
`;

const PANELS = {
  engines: { title: 'web.engines.title', body: engines },
  models: { title: 'web.models.title', body: modelsPanel },
  preferences: { title: 'web.preferences.title', body: preferences },
  shortcuts: { title: 'web.shortcuts.title', body: shortcuts },
} as const satisfies Record<Panel, { title: PageKey; body: (app: App) => TemplateResult }>;

/** Opens what has just been drawn: a dialog can only be modal once it stands in the page. */
export const openDrawnPanel = (): void => {
  const panel = document.querySelector<HTMLDialogElement>('dialog.panel:not([data-shown])');
  if (!panel) return;
  panel.dataset['shown'] = '';
  panel.showModal();
};

/** Closes as Escape does, so that the focus goes back to where it came from. */
const closePanel = (): void => document.querySelector<HTMLDialogElement>('dialog.panel')?.close();

/** The open panel, in a dialog that keeps the focus and gives it back. */
export const panelView = (app: App): TemplateResult | typeof nothing => {
  const { panel } = app.store.get();
  if (!panel) return nothing;
  return html`
    <dialog
      class="panel ${panel}"
      aria-labelledby="panel-title"
      @close=${app.closed}
      @click=${(event: Event) => {
        if (event.target === event.currentTarget) closePanel();
      }}
    >
      <div class="sheet">
        <header>
          <h2 id="panel-title">${t(PANELS[panel].title)}</h2>
          ${toolButton(t('web.close'), 'close', closePanel)}
        </header>
        ${PANELS[panel].body(app)}
      </div>
    </dialog>
  `;
};
