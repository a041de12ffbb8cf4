import { type App, CHANNELS } from './app.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

const focusLine = (): void => document.querySelector<HTMLElement>('#line')?.focus();

/** The newest answer of ours that is still being made for this person. */
const workingId = (app: App): string | undefined => {
  const { messages, me } = app.store.get();
  return [...messages.values()].findLast(
    ({ working, replyTo }) =>
      working && replyTo !== undefined && messages.get(replyTo)?.author.id === me?.id,
  )?.id;
};

const moveChannel = (app: App, by: 1 | -1): void => {
  const at = CHANNELS.indexOf(app.store.get().channel);
  const next = CHANNELS[(at + by + CHANNELS.length) % CHANNELS.length];
  if (next) app.show(next);
};

/** Answers a key that no field has used; true when the browser must not use it either. */
const answer = (app: App, event: KeyboardEvent): boolean => {
  const { key, altKey } = event;
  const command = event.ctrlKey || event.metaKey;
  if (command && key.toLowerCase() === 'k') {
    focusLine();
    return true;
  }
  if (command && key === '.') {
    const id = workingId(app);
    if (id !== undefined) app.stop(id);
    return true;
  }
  if (altKey && (key === 'ArrowUp' || key === 'ArrowDown')) {
    moveChannel(app, key === 'ArrowDown' ? 1 : -1);
    return true;
  }
  if (key === 'Escape' && app.store.get().drawer) {
    app.setDrawer(false);
    return true;
  }
  if (isTyping(event.target) || command || altKey || document.querySelector('dialog[open]'))
    return false;
  if (key === '/') {
    if (app.composer.draft().line === '') app.composer.write('/');
    else focusLine();
    return true;
  }
  if (key === '?') {
    app.open('shortcuts');
    return true;
  }
  return false;
};

export const listenForShortcuts = (app: App): void =>
  addEventListener('keydown', (event) => {
    if (!event.defaultPrevented && answer(app, event)) event.preventDefault();
  });

const carriesFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') ?? false;

/** Takes files that are dropped anywhere on the page; the whole page shows that it does. */
export const takeDrops = (app: App): void => {
  const root = document.documentElement;
  addEventListener('dragover', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    root.dataset['dragging'] = '';
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) delete root.dataset['dragging'];
  });
  addEventListener('drop', (event) => {
    delete root.dataset['dragging'];
    if (!carriesFiles(event)) return;
    event.preventDefault();
    app.composer.attach(event.dataTransfer?.files ?? []);
  });
};
