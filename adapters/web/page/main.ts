import { html, nothing, render, type TemplateResult } from 'lit';
import { createLiveRegion, messageLog } from './message-log.ts';
import { type App, CHANNELS, createPageApp } from './app.ts';
import { unreadIn } from './store.ts';
import { AudioPlayer } from './audio-player.ts';
import { t } from './boot.ts';
import { composerView } from './composer-view.ts';
import { takeDrops, listenForShortcuts } from './shortcuts.ts';
import { createFocusKeeper } from './controls.ts';
import { icon } from './icons.ts';
import { languageChooser, openDrawnPanel, panelView } from './panels.ts';
import { revealActive } from './list-box.ts';
import { sideBar } from './side-bar.ts';
import { LookupField } from './option-fields.ts';
import { LocalTime, SpoilerText } from './message.ts';
import { VoiceRecorder } from './voice-recorder.ts';

const topBar = (app: App): TemplateResult => {
  const { channel, drawer } = app.store.get();
  return html`
    <header class="top">
      <button
        type="button"
        class="tool menu"
        aria-label=${t('web.channels.open')}
        aria-expanded=${drawer ? 'true' : 'false'}
        aria-controls="side"
        @click=${() => app.setDrawer(!drawer)}
      >
        ${icon('menu')}
      </button>
      <div class="title">
        <h1><span class="hash" aria-hidden="true">#</span>${channel}</h1>
        <p>${t(`web.channels.${channel}.about`)}</p>
      </div>
      ${channel === 'lounge' ? languageChooser(app) : nothing}
    </header>
  `;
};

const linkNote = (app: App): TemplateResult | typeof nothing =>
  app.store.get().link === 'lost'
    ? html`<p class="lost" role="status"><span class="dot"></span>${t('web.link.lost')}</p>`
    : nothing;

const skipToLine = (event: Event): void => {
  event.preventDefault();
  document.querySelector<HTMLElement>('#line')?.focus();
};

const page = (app: App): TemplateResult => {
  const { drawer, announcement } = app.store.get();
  return html`
    <a class="skip" href="#line" @click=${skipToLine}>${t('web.skip')}</a>
    <div class="frame ${drawer ? 'drawer-open' : ''}">
      <aside id="side" class="side-bar">${sideBar(app)}</aside>
      <button
        type="button"
        class="scrim"
        tabindex="-1"
        aria-label=${t('web.close')}
        @click=${() => app.setDrawer(false)}
      ></button>
      <main ?inert=${drawer}>
        ${topBar(app)} ${linkNote(app)} ${messageLog(app)} ${composerView(app)}
      </main>
    </div>
    <div class="drop-note" aria-hidden="true"><p>${icon('microphone')}${t('web.drop')}</p></div>
    <p class="unseen" role="status" aria-live="polite">${announcement}</p>
    ${panelView(app)}
  `;
};

/** The line grows with what is in it; the style sheet says how far. */
const fitLine = (): void => {
  const line = document.querySelector<HTMLTextAreaElement>('#line');
  if (!line || CSS.supports('field-sizing', 'content')) return;
  line.style.height = 'auto';
  line.style.height = `${line.scrollHeight}px`;
};

customElements.define('audio-player', AudioPlayer);
customElements.define('local-time', LocalTime);
customElements.define('lookup-field', LookupField);
customElements.define('spoiler-text', SpoilerText);
customElements.define('voice-recorder', VoiceRecorder);

const app = createPageApp();
const announce = createLiveRegion(app);
const keepFocus = createFocusKeeper(app);
const draw = (): void => {
  render(page(app), document.body);
  fitLine();
  openDrawnPanel();
  revealActive(document.querySelector('.popup') ?? document.createDocumentFragment());
  const state = app.store.get();
  const { channel } = state;
  const count = CHANNELS.reduce((sum, each) => sum + unreadIn(state, each), 0);
  document.title = `${count > 0 ? `(${count}) ` : ''}#${channel} · Dragoman`;
  announce();
  keepFocus();
};

app.store.subscribe(draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', app.store.touch);
draw();
listenForShortcuts(app);
takeDrops(app);
document.querySelector<HTMLElement>('#line')?.focus();
