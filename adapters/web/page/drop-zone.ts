import type { App } from './app.ts';

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
    const [file] = event.dataTransfer?.files ?? [];
    if (file) app.composer.attach(file);
  });
};
