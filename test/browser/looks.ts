import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startWeb } from '../adapters/web/start-web.ts';
import { closeWithTest, line, type OpenPage, type SharedPage, said, send } from './open-page.ts';
import { sentence } from '../fakes/sentences.ts';

const background = (page: Page): Promise<string> =>
  page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.id || document.activeElement.textContent.trim()');

export const testLooks = (shared: SharedPage, open: OpenPage): void => {
  test('the engines are listed, with the line that adds what is missing', async () => {
    const { page } = shared();
    const button = page.getByRole('button', { name: sentence('web.engines.title') });
    await button.filter({ hasText: sentence('web.engines.count', { ready: 2, all: 4 }) }).click();
    const dialog = page.getByRole('dialog', { name: sentence('web.engines.title') });
    const rows = dialog.getByRole('row');
    expect(await rows.count()).toBe(5);
    const missing = rows.filter({ hasText: 'apertium' });
    expect(await missing.textContent()).toContain(sentence('web.engines.missing'));
    await missing.getByRole('button', { name: sentence('web.engines.copy') }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'apt-get install -y apertium-eng-spa',
    );
    await dialog.getByRole('button', { name: sentence('web.close') }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await focused(page)).toContain(sentence('web.engines.title'));
  });

  test('each paragraph goes the way that its words are written', async () => {
    const { page, visit } = shared();
    await visit().post('/api/lines', { channel: 'playground', text: 'hello\n\nשלום, עולם' });
    await said(page, 'שלום').waitFor();
    const offset = await page.evaluate<number>(`(() => {
      const paragraph = [...document.querySelectorAll('article .body p')].at(-1);
      const range = document.createRange();
      range.selectNodeContents(paragraph);
      return paragraph.getBoundingClientRect().right - range.getBoundingClientRect().right;
    })()`);
    expect(offset).toBeLessThan(2);
  });

  test('times are those of the reader’s clock', async () => {
    const shown = await shared().page.evaluate(`(() => {
      const time = document.createElement('local-time');
      Object.assign(time.dataset, { seconds: '0', style: 'f' });
      document.body.append(time);
      time.remove();
      return time.textContent;
    })()`);
    expect(shown).toMatch(/^January 1, 1970 at 9:00.AM GMT\+9$/);
  });

  test('the button of the name says what it shows, and what it opens', async () => {
    const { page } = shared();
    const name = await page.locator('.me bdi').textContent();
    const opens = sentence('web.preferences.title');
    await page.getByRole('button', { name: `${name!} ${opens}` }).waitFor();
  });

  describe('colours', () => {
    test('of the system show the current channel and what is wrong', async () => {
      const { page } = shared();
      const style = (selector: string, property: string): Promise<string> =>
        page.evaluate(
          `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`,
        );
      await page.emulateMedia({ forcedColors: 'active' });
      await send(page, '/translate colour:red');
      await page.getByRole('alert').waitFor();
      expect(await style('.channels a[aria-current]', 'outlineStyle')).toBe('solid');
      expect(await style('.channels a:not([aria-current])', 'outlineStyle')).toBe('none');
      expect(await style('.composer > .fault', 'borderStyle')).toBe('solid');
      await page.emulateMedia({ forcedColors: 'none' });
    });

    test('follow the system until somebody chooses, and then the choice', async () => {
      const { page } = shared();
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await background(page);
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await background(page);
      expect(light).not.toBe(dark);
      await page.getByRole('button', { name: sentence('web.theme.to-dark') }).click();
      expect(await background(page)).toBe(dark);
      await page.reload();
      expect(await background(page)).toBe(dark);
    });
  });

  test('a phone shows all of it without scrolling sideways', async () => {
    const { url } = await startWeb();
    const page = closeWithTest(
      await open(url, {
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
      }),
    );
    await send(page, `/translate text:"${'long'.repeat(40)} word" to:es`);
    await said(page, 'word').waitFor();
    await send(page, '/say Hello');
    await page.locator('article .wave').waitFor();
    await line(page).fill('/translate ');
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    expect(await width()).toBe(360);
    expect(await page.locator('#side').isVisible()).toBe(false);
    await page.getByRole('button', { name: sentence('web.channels.open') }).tap();
    await page.getByRole('link', { name: 'lounge' }).tap();
    await page.locator('#side').waitFor({ state: 'hidden' });
    expect(await page.locator('h1').textContent()).toContain('lounge');
    expect(await width()).toBe(360);
    const box = await line(page).boundingBox();
    expect(box!.y + box!.height).toBeLessThanOrEqual(740);
  });

  test('everything can be reached by keyboard', async () => {
    const { page } = shared();
    await page.evaluate('document.body.tabIndex = -1; document.body.focus()');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe(sentence('web.skip'));
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('line');

    await page.keyboard.press('Alt+ArrowDown');
    expect(await page.locator('h1').textContent()).toContain('lounge');
    await page.keyboard.press('Alt+ArrowUp');

    await page.locator('#log').focus();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: sentence('web.shortcuts.title') });
    await keys.waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    expect(await focused(page)).toBe('log');

    await page.keyboard.press('/');
    await expect.poll(() => line(page).inputValue()).toBe('/');
    await page.getByRole('listbox').waitFor();
    await line(page).fill('/wait');
    await page.keyboard.press('Enter');
    await page.locator('article[aria-busy="true"]', { hasText: 'Working' }).waitFor();
    await page.keyboard.press('Control+.');
    await page
      .locator('article.error:last-of-type', { hasText: sentence('errors.cancelled') })
      .waitFor();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => line(page).inputValue()).toBe('/wait');
  });

  test('a name that is chosen stays with the browser', async () => {
    const { page } = shared();
    await page.getByRole('button', { name: sentence('web.preferences.title') }).click();
    await page.getByLabel(sentence('web.preferences.name')).fill('Ada');
    await page.getByLabel(sentence('web.preferences.name')).press('Enter');
    await page.locator('.present').getByText('Ada').waitFor();
    await page.reload();
    await page.locator('.present').getByText('Ada').waitFor();
  });

  test('a page with a token asks for it, says when it is wrong, and can be left', async () => {
    const { url } = await startWeb({ token: 'a long enough secret' });
    const page = closeWithTest(await open(url, { mayBreak: true, locked: true }));
    await page.getByLabel(sentence('web.login.token')).fill('a guess');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel(sentence('web.login.token')).fill('a long enough secret');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: sentence('web.preferences.title') }).click();
    await page.getByRole('button', { name: sentence('web.login.leave') }).click();
    await page.getByLabel(sentence('web.login.token')).waitFor();
  });
};
