import { describe, expect, test } from 'vitest';
import { createWebAdapter } from '../../adapters/web/adapter.ts';
import { OPTIONS, startWeb } from '../adapters/web/start-web.ts';
import { createFakeCore } from '../fakes/core.ts';
import { closeWithTest, line, type OpenPage, type SharedPage, said, send } from './open-page.ts';
import { sentence } from '../fakes/sentences.ts';

export const testTalking = (shared: SharedPage, open: OpenPage): void => {
  describe('the playground', () => {
    test('shows a newcomer what to try', async () => {
      const { page } = shared();
      expect(await page.title()).toBe('#playground · Dragoman');
      const text = sentence('web.example.text');
      await page.getByRole('button', { name: `/translate text:"${text}" to:es` }).click();
      await expect
        .poll(() => line(page).inputValue())
        .toBe(`/translate text:"${text}" to:es from:en`);
      await line(page).press('Enter');
      await said(page, `es: ${text}`).waitFor();
      expect(await page.locator('.welcome').count()).toBe(0);
    });

    test('lets an answer grow, and says it once to those who listen', async () => {
      const { page, core } = shared();
      await send(page, '/ask What?');
      await said(page, /^\s*One\s*$/).waitFor();
      await page.locator('article[aria-busy="true"]').waitFor();
      core.step();
      await said(page, /^\s*One two\s*$/).waitFor();
      core.step();
      await said(page, /^\s*One two three\s*$/).waitFor();
      await page.locator('article[aria-busy="true"]').waitFor({ state: 'detached' });
      const announced = page.locator('p[aria-live="polite"]');
      await announced.filter({ hasText: 'Dragoman: One two three' }).waitFor({ state: 'attached' });
    });

    test('stops an answer at a press of the button', async () => {
      const { page } = shared();
      await send(page, '/wait');
      await said(page, 'Working').waitFor();
      await page.getByRole('button', { name: sentence('web.message.stop') }).click();
      await page.locator('article.error', { hasText: sentence('errors.cancelled') }).waitFor();
      await page
        .getByRole('button', { name: sentence('web.message.stop') })
        .waitFor({ state: 'hidden' });
    });

    test('hides a spoiler, from screen readers too, until somebody asks for it', async () => {
      const { page, visit } = shared();
      await visit().post('/api/lines', { channel: 'playground', text: 'Ada ||won|| and ||left||' });
      const message = said(page, 'Ada');
      await message.waitFor();
      const announced = page.locator('p[aria-live="polite"]');
      await announced.filter({ hasText: 'Ada and' }).waitFor({ state: 'attached' });
      expect(await message.innerText()).not.toMatch(/won|left/);
      const spoilers = message.getByRole('button', { name: sentence('web.message.spoiler') });
      await spoilers.first().click();
      expect(await message.innerText()).toMatch(/^Ada won and\s*$/);
      await spoilers.focus();
      await page.keyboard.press('Enter');
      expect(await message.innerText()).toBe('Ada won and left');
      expect(await spoilers.count()).toBe(0);
    });

    test('counts what is said in the other channel', async () => {
      const { page, visit } = shared();
      await visit().post('/api/lines', { channel: 'lounge', text: 'Hello' });
      await page.locator('.count').waitFor();
      expect(await page.title()).toBe('(1) #playground · Dragoman');
      await page.getByRole('link', { name: 'lounge' }).click();
      await page.locator('.count').waitFor({ state: 'hidden' });
    });
  });

  test('in the lounge two people read each other, each in their language', async () => {
    const { url, core } = await startWeb();
    const [ada, ken] = await Promise.all([
      open(`${url}#lounge`),
      open(`${url}#lounge`, { locale: 'ja-JP' }),
    ]);
    closeWithTest(ada);
    closeWithTest(ken);
    const chooser = ada.locator('.top').getByRole('combobox');
    await chooser.selectOption('Spanish');
    await ada.locator('.present').getByText('es', { exact: true }).waitFor();

    await send(ken, 'slowly: hello');
    await said(ada, 'es: slo').waitFor();
    await said(ken, 'ja: slo').waitFor();
    core.step();
    await said(ada, /^\s*es: slowly: hello\s*$/).waitFor();
    await said(ken, /^\s*ja: slowly: hello\s*$/).waitFor();
    expect(await ada.locator('details.original .body').textContent()).toContain('slowly: hello');
    expect(await ken.locator('html').getAttribute('lang')).toMatch(/^ja/);
    expect(core.lines).toHaveLength(1);
    expect(core.lines[0]?.languages.toSorted()).toEqual(['es', 'ja']);

    await chooser.selectOption('French');
    core.step();
    await ada.locator('.aside.fault').waitFor();
    await said(ada, 'slowly: hello').waitFor();
  });

  test('a server that went away is missed, and found again with nothing lost', async () => {
    const core = createFakeCore();
    const start = async (port: number) => {
      const adapter = createWebAdapter({ ...OPTIONS, port }, core);
      const { where } = await adapter.start();
      return { adapter, where };
    };
    const first = await start(0);
    const page = closeWithTest(await open(first.where, { mayBreak: true }));
    await first.adapter[Symbol.asyncDispose]();
    await page.getByText(sentence('web.link.lost')).waitFor();
    await send(page, 'still here');
    await page.getByRole('alert').waitFor();
    await expect.poll(() => line(page).inputValue()).toBe('still here');

    const second = await start(Number(new URL(first.where).port));
    await page.locator('.lost').waitFor({ state: 'hidden' });
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    await line(page).press('Enter');
    await said(page, 'still here').waitFor();
    await second.adapter[Symbol.asyncDispose]();
  });
};
