import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { createWeb, type StartedWeb } from '../adapters/web/start-web.ts';
import { launchBrowser } from './chromium.ts';
import { shared } from '../fakes/opened.ts';

/** Generous: it only ends tests that would fail anyway, on however busy a machine. */
export const PATIENCE_MS = 120_000;

export interface OpenOptions extends BrowserContextOptions {
  /** True where the server goes away on purpose, which browsers complain about. */
  readonly mayBreak?: boolean;
  /** True where the page asks for its token first. */
  readonly locked?: boolean;
}

/** Opens a page of its own, as somebody nobody has seen yet, ready to be typed into. */
export type OpenPage = (url: string, options?: OpenOptions) => Promise<Page>;

/**
 * Starts the browser of a test file. Whatever a page complains about (an error, a breach of its
 * policy, a request to another host) fails the test that opened it.
 *
 * @param microphone a WAV file that the microphone hears; default: a tone
 */
export const useBrowser = (microphone?: string): OpenPage => {
  let browser: Browser;
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser(microphone);
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(() => {
    expect(faults.splice(0)).toEqual([]);
  });

  return async (url, { mayBreak = false, locked = false, ...options } = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const { origin } = new URL(url);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !mayBreak) faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('blob:'))
        faults.push(`a request to ${request.url()}`);
    });
    await page.goto(url, { waitUntil: 'commit' });
    const begun = page.locator(locked ? '#token' : '.me bdi');
    await begun.waitFor({ state: 'attached', timeout: PATIENCE_MS });
    return page;
  };
};

/** One page and the server behind it; each test finds it in the playground, with an empty line. */
export type SharedPage = () => StartedWeb & { readonly page: Page };

/** Opening a page is what takes longest: tests that leave it usable share one. */
export const useSharedPage = (open: OpenPage, options: OpenOptions = {}): SharedPage => {
  let page: Page;

  const web = shared(() => createWeb());
  beforeAll(async () => {
    page = await open(web.url, options);
  });
  beforeEach(async () => {
    await page.evaluate('location.hash = "playground"');
    await line(page).fill('');
  });
  afterAll(async () => {
    await page.context().close();
  });
  return () => ({ ...web, page });
};

/** For a test's own page: it closes with the test. */
export const closeWithTest = (page: Page): Page => {
  onTestFinished(() => page.context().close());
  return page;
};

export const line = (page: Page) => page.locator('#line');

/** Types a line as a person does, and sends it. */
export const send = async (page: Page, text: string): Promise<void> => {
  await line(page).fill(text);
  await line(page).press('Enter');
};

/** The answers that are whole: one that is still being shown may be drawn once more. */
export const answered = (page: Page) => page.locator('article.ours:not([aria-busy="true"])');

/** The messages of the channel on show, as text. */
export const said = (page: Page, text: string | RegExp) =>
  page.locator('article .body').filter({ hasText: text });
