import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startWeb } from '../adapters/web/start-web.ts';
import { closeWithTest, type OpenPage, PATIENCE_MS, said, send } from './open-page.ts';

/** More than the six connections that a browser opens to one server. */
const TABS = 7;

/** A shared worker that cannot be started; counts how often that was tried. */
const FAILING_WORKER = `
  globalThis.joins = 0;
  globalThis.SharedWorker = class extends EventTarget {
    port = new MessageChannel().port1;
    constructor() {
      super();
      joins += 1;
      queueMicrotask(() => this.dispatchEvent(new Event('error')));
    }
  };
`;

/** The texts on show, in order. */
const shown = (page: Page) => page.locator('article .body').allTextContents();

const another = async (first: Page): Promise<Page> => {
  const page = await first.context().newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(first.url());
  await page.locator('.me bdi').waitFor({ state: 'attached' });
  return page;
};

export const testTabs = (open: OpenPage): void => {
  test('seven tabs are live; one that closes takes nothing from the others', async () => {
    const { url, visit } = await startWeb();
    const first = closeWithTest(await open(url));
    const tabs = await Promise.all(Array.from({ length: TABS - 1 }, () => another(first)));
    const writer = visit();
    const say = (text: string) => writer.post('/api/lines', { channel: 'playground', text });

    for (let line = 1; line <= 10; line += 1) await say(`line ${line}`);
    const saying = (async () => {
      for (let line = 11; line <= 30; line += 1) await say(`line ${line}`);
    })();
    await first.close();
    await saying;
    const last = tabs[0]!;
    await last.locator('#line').fill('from a tab');
    await last.locator('#line').press('Enter');

    const all = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
    for (const tab of tabs) {
      await said(tab, 'from a tab').waitFor();
      expect((await shown(tab)).map((text) => text.trim())).toEqual([...all, 'from a tab']);
    }
    const late = await another(last);
    await said(late, 'from a tab').waitFor();
    expect(await shown(late)).toHaveLength(31);
  });

  test('a browser without shared workers has a connection for each tab', async () => {
    const { url, visit } = await startWeb();
    const first = closeWithTest(await open(url));
    await first.context().addInitScript('delete globalThis.SharedWorker');
    const page = await another(first);
    expect(await page.evaluate("'SharedWorker' in globalThis")).toBe(false);
    await visit().post('/api/lines', { channel: 'playground', text: 'hello' });
    for (const tab of [first, page]) await said(tab, 'hello').waitFor();
    await send(page, 'and back');
    for (const tab of [first, page]) await said(tab, 'and back').waitFor();
  });

  test('a page whose worker failed has a connection of its own, and joins no worker again', async () => {
    const { url, visit } = await startWeb();
    const first = closeWithTest(await open(url));
    await first.context().addInitScript(FAILING_WORKER);
    const page = await another(first);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    expect(await page.evaluate('joins')).toBe(1);
    await visit().post('/api/lines', { channel: 'playground', text: 'hello' });
    await said(page, 'hello').waitFor();
  });
};
