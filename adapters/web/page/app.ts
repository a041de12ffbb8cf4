import type { ChannelId, ServerEvent } from '../protocol.ts';
import { api, refusalOf } from './api.ts';
import { t } from './boot.ts';
import { createComposer } from './composer.ts';
import { listenToServer } from './connection.ts';
import { createModelsState } from './models-state.ts';
import { NOTHING_SHARED } from './shared-state.ts';
import { apply, createStore, type Panel, type Theme } from './store.ts';

const STORAGE_KEYS = {
  theme: 'dragoman.theme',
  name: 'dragoman.name',
  originals: 'dragoman.originals',
};

export const CHANNELS: readonly ChannelId[] = ['playground', 'lounge'];

const field = (): HTMLTextAreaElement | null => document.querySelector('#line');

const channelOfAddress = (): ChannelId =>
  CHANNELS.find((channel) => location.hash === `#${channel}`) ?? 'playground';

const themeOf = (stored: string | null): Theme =>
  stored === 'light' || stored === 'dark' ? stored : 'system';

const applyTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

export type App = ReturnType<typeof createPageApp>;

export const createPageApp = () => {
  const theme = themeOf(localStorage.getItem(STORAGE_KEYS.theme));
  applyTheme(theme);
  const store = createStore({
    link: 'connecting',
    ...NOTHING_SHARED,
    channel: channelOfAddress(),
    missed: new Set(),
    nameFault: undefined,
    panel: undefined,
    drawer: false,
    engines: 'asking',
    examples: undefined,
    languages: [],
    theme,
    originals: localStorage.getItem(STORAGE_KEYS.originals) !== 'hidden',
    away: false,
    restarted: false,
    announcement: '',
    pressed: undefined,
  });

  const composer = createComposer({
    channel: () => store.get().channel,
    onChange: store.touch,
    focus: (caret) =>
      queueMicrotask(() => {
        field()?.focus();
        field()?.setSelectionRange(caret, caret);
      }),
  });

  const models = createModelsState({ onChange: store.touch, onInstalled: () => askEngines() });

  const orSay = (doing: Promise<unknown>): void => {
    doing.catch((error: unknown) => composer.fail(refusalOf(error)));
  };

  const show = (channel: ChannelId): void => {
    history.replaceState(null, '', `#${channel}`);
    const { missed, messages } = store.get();
    store.set({
      channel,
      drawer: false,
      away: false,
      missed: new Set([...missed].filter((id) => messages.get(id)?.channel !== channel)),
    });
    composer.goOn();
  };

  const askEngines = (): void => {
    if (typeof store.get().engines === 'string') store.set({ engines: 'asking' });
    api.status().then(
      (engines) => store.set({ engines }),
      () => store.set({ engines: 'failed' }),
    );
    api.examples().then(
      (examples) => store.set({ examples }),
      () => store.set({ examples: undefined }),
    );
    api.languages().then(
      (languages) => store.set({ languages }),
      () => {},
    );
  };

  const rename = (name: string): void => {
    store.set({ nameFault: undefined });
    api.me({ name }).then(
      () => localStorage.setItem(STORAGE_KEYS.name, name),
      (error: unknown) => store.set({ nameFault: refusalOf(error) }),
    );
  };

  /** Sends the name that this browser keeps to a server that has restarted. */
  const restoreName = (): void => {
    const name = localStorage.getItem(STORAGE_KEYS.name);
    if (name && name !== store.get().me?.name) rename(name);
  };

  /** Deletes what this browser keeps. */
  const forget = (): void => {
    for (const key of Object.values(STORAGE_KEYS)) localStorage.removeItem(key);
    applyTheme('system');
    store.set({ theme: 'system', originals: true });
    composer.forget();
  };

  const onEvent = (event: ServerEvent): void => {
    store.set(apply(store.get(), event));
    if (event.type === 'hello') restoreName();
    if (event.type === 'forgotten') forget();
  };

  listenToServer({
    onEvent,
    onLink: (link) => {
      const before = store.get().link;
      store.set({ link });
      if (link !== 'live' || before === 'live') return;
      askEngines();
      composer.reached();
      if (store.get().nameFault === t('web.errors.unreachable'))
        store.set({ nameFault: undefined });
    },
  });
  addEventListener('hashchange', () => show(channelOfAddress()));
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) show(store.get().channel);
  });

  return {
    store,
    composer,
    models,
    show,
    open: (panel: Panel): void => {
      store.set({ panel, drawer: false });
      if (panel === 'engines') askEngines();
      if (panel === 'models') models.open();
    },
    closed: (): void => {
      models.close();
      store.set({ panel: undefined, nameFault: undefined });
    },
    setDrawer: (drawer: boolean): void => {
      store.set({ drawer });
      const next = drawer ? '#side a' : '.menu';
      queueMicrotask(() => document.querySelector<HTMLElement>(next)?.focus());
    },
    setTheme: (next: Theme): void => {
      localStorage.setItem(STORAGE_KEYS.theme, next);
      applyTheme(next);
      store.set({ theme: next });
    },
    setOriginals: (originals: boolean): void => {
      localStorage.setItem(STORAGE_KEYS.originals, originals ? 'shown' : 'hidden');
      store.set({ originals });
    },
    rename: (name: string): void => {
      if (name.trim() !== '') rename(name.trim());
    },
    readIn: (language: string): void => orSay(api.me({ language })),
    stop: (id: string): void => orSay(api.stop(id)),
    press: (id: string, press: string, values: readonly string[]): void => {
      store.set({ pressed: id });
      orSay(api.press({ id, press, values }));
    },
    /** Tries one of the examples, in the channel that it belongs to. */
    tryOut: (line: string): void => composer.put(line),
    toNewest: (): void => {
      const log = document.querySelector('#log');
      if (log) log.scrollTop = 0;
      store.set({ away: false });
    },
  };
};
