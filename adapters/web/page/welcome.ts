import { html, nothing, type TemplateResult } from 'lit';
import type { App } from './app.ts';
import { boot, t } from './boot.ts';
import { icon } from './icons.ts';

/** Examples for a newcomer, as they would be typed; only of commands that this server has. */
const EXAMPLES = [
  { command: 'translate', line: '/translate text:"The quick brown fox" to:en-XA' },
  { command: 'translate', line: '/translate text:"The quick brown fox" to:es' },
  { command: 'say', line: '/say text:"Hello"' },
  { command: 'help', line: '/help' },
] as const;

const LOUNGE_LINES = ['web.lounge.example-1', 'web.lounge.example-2'] as const;

const example = (app: App, line: string, note: string): TemplateResult => html`
  <li>
    <button type="button" class="example" @click=${() => app.tryOut(line)}>
      <code>${line}</code><span>${note}</span>
    </button>
  </li>
`;

const summaryOf = (name: string): string | undefined =>
  boot.commands.find((command) => command.name === name)?.summary;

const playground = (app: App): TemplateResult => html`
  <h2>${t('web.welcome.playground.title')}</h2>
  <p>${t('web.welcome.playground.text')}</p>
  <ul class="examples">
    ${EXAMPLES.map(({ command, line }) => {
      const summary = summaryOf(command);
      return summary === undefined ? nothing : example(app, line, summary);
    })}
    ${
      summaryOf('transcribe') === undefined
        ? nothing
        : html`<li class="example drop">
            ${icon('microphone')}<span>${t('web.welcome.drop')}</span>
          </li>`
    }
  </ul>
`;

const lounge = (app: App): TemplateResult => html`
  <h2>${t('web.welcome.lounge.title')}</h2>
  <p>${t('web.welcome.lounge.text')}</p>
  <ul class="examples">
    ${LOUNGE_LINES.map((key) => example(app, t(key), t('web.welcome.lounge.try')))}
  </ul>
`;

/** The beginning of a channel; while it is empty, with examples to try. */
export const welcome = (app: App, empty: boolean): TemplateResult | typeof nothing => {
  if (!empty) return nothing;
  return html`
    <section class="welcome">
      <img src="/page/icon.svg" alt="" width="64" height="64" />
      ${app.store.get().channel === 'lounge' ? lounge(app) : playground(app)}
    </section>
  `;
};
