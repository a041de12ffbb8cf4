import { expect, onTestFinished, test } from 'vitest';
import { startRealWeb, startService } from '../adapters/web/start-web.ts';
import { closeWithTest, type OpenPage, said, send } from './open-page.ts';
import { sentence } from '../fakes/sentences.ts';

export const testPrivacy = (open: OpenPage): void => {
  test('who deletes their data is gone from their other tabs and from the pages of others', async () => {
    const web = await startRealWeb(await startService());
    onTestFinished(() => web[Symbol.asyncDispose]());
    const page = closeWithTest(await open(web.url));
    const other = closeWithTest(await open(`${web.url}#lounge`));
    const tab = await page.context().newPage();
    await tab.goto(web.url);

    await page.getByRole('button', { name: sentence('web.preferences.title') }).click();
    const name = page.getByLabel(sentence('web.preferences.name'));
    await name.fill('Ada');
    await name.press('Enter');
    await other.locator('.present').getByText('Ada').waitFor();
    await page.keyboard.press('Escape');
    await send(page, 'my own words');
    await said(tab, 'my own words').waitFor();
    await other.locator('.count').waitFor();

    await send(page, '/privacy');
    await page.getByRole('button', { name: sentence('privacy.forget') }).click();
    await page.getByRole('button', { name: sentence('privacy.forget-now') }).click();
    await said(page, sentence('privacy.forgotten')).waitFor();
    await said(tab, sentence('privacy.forgotten')).waitFor();
    await other.locator('.count').waitFor({ state: 'detached' });
    for (const each of [page, tab, other]) {
      await each.locator('.present').getByText('Ada').waitFor({ state: 'detached' });
      expect(await each.locator('body').textContent()).not.toContain('my own words');
    }
    expect(await tab.evaluate('localStorage.length')).toBe(0);
  });

  test('the first screen and the composer of each channel say who can read it', async () => {
    const web = await startRealWeb(await startService());
    onTestFinished(() => web[Symbol.asyncDispose]());
    for (const channel of ['playground', 'lounge']) {
      const page = closeWithTest(await open(`${web.url}#${channel}`));
      await page.locator('.welcome').getByText(sentence('web.public')).waitFor();
      const line = page.locator('#line');
      expect(await line.getAttribute('placeholder')).toContain(sentence('web.composer.public'));
    }
  });

  test('a name that is refused stays what it was, and the reason is beside it', async () => {
    const web = await startRealWeb(await startService());
    onTestFinished(() => web[Symbol.asyncDispose]());
    const page = closeWithTest(await open(web.url, { mayBreak: true }));
    const before = await page.locator('.me bdi').textContent();
    await page.getByRole('button', { name: sentence('web.preferences.title') }).click();
    const name = page.getByLabel(sentence('web.preferences.name'));
    await name.fill('Drаgoman');
    await name.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText(sentence('web.errors.name-reserved')).waitFor();
    expect(await name.inputValue()).toBe(before);
    await name.fill('Ada');
    await name.press('Enter');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    await page.locator('.present').getByText('Ada').waitFor();
  });
};
