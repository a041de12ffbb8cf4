import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { PageMessage } from '../protocol.ts';
import type { App } from './app.ts';
import { boot, t } from './boot.ts';
import { icon } from './icons.ts';
import { messageView } from './message.ts';
import { instruction } from './panels.ts';

const LOUNGE_LINES = ['web.lounge.example-1', 'web.lounge.example-2'] as const;

const example = (app: App, line: string, note: string): TemplateResult => html`
  <li>
    <button type="button" class="example" @click=${() => app.tryOut(line)}>
      <code>${line}</code><span>${note}</span>
    </button>
  </li>
`;

const summaryOf = (name: string): string =>
  boot.commands.find((command) => command.name === name)?.summary ?? '';

const hintView = (app: App): TemplateResult | typeof nothing => {
  const hint = app.store.get().examples?.hint;
  return hint === undefined ? nothing : html`<p class="hint">${instruction(hint)}</p>`;
};

const playground = (app: App): TemplateResult => {
  const { examples = [], transcribes = false } = app.store.get().examples ?? {};
  return html`
    <h2>${t('web.welcome.playground.title')}</h2>
    <p>${t('web.welcome.playground.text')}</p>
    <p>${t('web.public')}</p>
    ${hintView(app)}
    <ul class="examples">
      ${examples.map(({ command, line }) => example(app, line, summaryOf(command)))}
      ${
        transcribes
          ? html`<li class="example drop">
              ${icon('microphone')}<span>${t('web.welcome.drop')}</span>
            </li>`
          : nothing
      }
    </ul>
  `;
};

const lounge = (app: App): TemplateResult => html`
  <h2>${t('web.welcome.lounge.title')}</h2>
  <p>${t('web.welcome.lounge.text')}</p>
  <p>${t('web.public')}</p>
  ${hintView(app)}
  <ul class="examples">
    ${LOUNGE_LINES.map((key) => example(app, t(key), t('web.welcome.lounge.try')))}
  </ul>
`;

/** The beginning of a channel; while it is empty, with examples to try. */
export const welcome = (app: App, empty: boolean): TemplateResult | typeof nothing => {
  if (!empty) return nothing;
  return html`
    <section class="welcome">
      <img src="page/icon.svg" alt="" width="64" height="64" />
      ${app.store.get().channel === 'lounge' ? lounge(app) : playground(app)}
    </section>
  `;
};

/** Lines of one author within this time stand under one head. */
const TOGETHER_MS = 5 * 60_000;
/** Scrolled up further than this, the reader is not at the newest message. */
const AWAY_PX = 160;

const dayFormat = new Intl.DateTimeFormat(boot.locale, {
  weekday: 'long',
  month: 'long',
  day: 'numeric',
});

const dayOf = ({ sentAtMs }: PageMessage): string => new Date(sentAtMs).toDateString();

const row = (app: App, message: PageMessage, before: PageMessage | undefined): TemplateResult => {
  const newDay = !before || dayOf(before) !== dayOf(message);
  const underQuestion = before !== undefined && before.id === message.replyTo;
  const follows =
    !newDay &&
    before.author.id === message.author.id &&
    message.sentAtMs - before.sentAtMs < TOGETHER_MS &&
    message.replyTo === undefined;
  return html`
    ${
      newDay
        ? html`<div class="day" role="separator">
            <span>${dayFormat.format(message.sentAtMs)}</span>
          </div>`
        : nothing
    }
    ${messageView(app, { message, follows, underQuestion })}
  `;
};

export const messageLog = (app: App): TemplateResult => {
  const { messages, channel, me, originals, away, restarted } = app.store.get();
  const shown = [...messages.values()].filter((message) => message.channel === channel);
  return html`
    <div class="log-frame">
      <div
        id="log"
        class="log"
        role="log"
        aria-live="off"
        aria-label=${t('web.log.label', { channel })}
        tabindex="0"
        @scroll=${(event: Event) => {
          const scrolled = (event.target as HTMLElement).scrollTop < -AWAY_PX;
          if (scrolled !== app.store.get().away) app.store.set({ away: scrolled });
        }}
      >
        <div class="lines">
          ${restarted ? html`<p class="hint" role="status">${t('web.log.restarted')}</p>` : nothing}
          ${welcome(app, shown.length === 0)}
          ${repeat(
            shown,
            ({ id }) => id,
            (message, index) =>
              guard([message, shown[index - 1]?.id, me?.id, originals], () =>
                row(app, message, shown[index - 1]),
              ),
          )}
        </div>
      </div>
      ${
        away
          ? html`<button type="button" class="to-newest" @click=${app.toNewest}>
              ${icon('down')}${t('web.log.newest')}
            </button>`
          : nothing
      }
    </div>
  `;
};

const MAX_CHARS = 300;

const isWhole = ({ working, translation }: PageMessage): boolean =>
  !working && translation?.state !== 'growing';

/** Tells those who listen what has been said: each message once, when it is complete. */
export const createLiveRegion = (app: App): (() => void) => {
  const announced = new Set<string>();
  let begun = false;

  return () => {
    const { messages, channel, me } = app.store.get();
    // Pressed, an answer is made anew.
    for (const { id, working } of messages.values()) if (working) announced.delete(id);
    const fresh = [...messages.values()].filter((each) => !announced.has(each.id) && isWhole(each));
    for (const { id } of fresh) announced.add(id);
    if (me && !begun) {
      begun = true;
      return;
    }
    const last = fresh.findLast((each) => each.channel === channel && each.author.id !== me?.id);
    if (!last) return;
    const text = document.querySelector<HTMLElement>(`#m-${CSS.escape(last.id)} .body`)?.innerText;
    const words = (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CHARS);
    app.store.set({
      announcement: t('web.message.announce', { name: last.author.name, text: words }),
    });
  };
};
