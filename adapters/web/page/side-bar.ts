import { html, nothing, type TemplateResult } from 'lit';
import type { ChannelId } from '../protocol.ts';
import { type App, CHANNELS } from './app.ts';
import { avatar, icon, toolButton } from './icons.ts';
import { t } from './boot.ts';
import { unreadIn, type Theme } from './store.ts';

const channelLink = (app: App, id: ChannelId): TemplateResult => {
  const state = app.store.get();
  const { channel } = state;
  const count = unreadIn(state, id);
  return html`
    <li>
      <a
        href="#${id}"
        aria-current=${channel === id ? 'page' : nothing}
        @click=${(event: Event) => {
          event.preventDefault();
          app.show(id);
        }}
      >
        <span class="channel-name"><span class="hash" aria-hidden="true">#</span>${id}</span>
        <span class="about">${t(`web.channels.${id}`)}</span>
        ${
          count > 0
            ? html`<span class="count" aria-label=${t('web.channels.unread', { count })}
                >${count}</span
              >`
            : nothing
        }
      </a>
    </li>
  `;
};

const engineButton = (app: App): TemplateResult => {
  const { engines, link } = app.store.get();
  const known = typeof engines === 'string' ? undefined : engines;
  const ready = known?.engines.filter((engine) => engine.ready).length ?? 0;
  const state =
    link === 'lost' || known?.reachable === false
      ? 'bad'
      : known && ready === known.engines.length
        ? 'good'
        : 'part';
  return html`
    <button type="button" class="engines-button" @click=${() => app.open('engines')}>
      ${icon('engine')}<span>${t('web.engines.title')}</span>
      ${
        known
          ? html`<span class="ready ${state}"
              >${t('web.engines.count', { ready, all: known.engines.length })}</span
            >`
          : nothing
      }
    </button>
  `;
};

const isDark = (theme: Theme): boolean =>
  theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);

export const sideBar = (app: App): TemplateResult => {
  const { me, readers, theme } = app.store.get();
  const dark = isDark(theme);
  return html`
    <div class="brand">
      <img src="page/icon.svg" alt="" width="34" height="34" />
      <div><strong>Dragoman</strong><span>${t('web.brand')}</span></div>
    </div>
    <nav aria-label=${t('web.channels.label')}>
      <h2>${t('web.channels.label')}</h2>
      <ul class="channels">
        ${CHANNELS.map((id) => channelLink(app, id))}
      </ul>
    </nav>
    <section class="present" aria-label=${t('web.present')}>
      <h2>${t('web.present')}</h2>
      <ul>
        ${readers.map(
          ({ id, name, language }) => html`
            <li>
              ${avatar({ id, name, ours: false })}<bdi>${name}</bdi
              ><span class="language">${language}</span>
            </li>
          `,
        )}
      </ul>
    </section>
    <div class="foot">
      ${engineButton(app)}
      <div class="self">
        <button type="button" class="me" @click=${() => app.open('preferences')}>
          ${me ? html`${avatar({ ...me, ours: false })}<bdi>${me.name}</bdi>` : nothing}${icon('sliders')}
          <span class="unseen">${t('web.preferences.title')}</span>
        </button>
        ${toolButton(t('web.shortcuts.title'), 'keyboard', () => app.open('shortcuts'))}
        ${toolButton(
          t(dark ? 'web.theme.to-light' : 'web.theme.to-dark'),
          dark ? 'sun' : 'moon',
          () => app.setTheme(dark ? 'light' : 'dark'),
        )}
      </div>
    </div>
  `;
};
