import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type SharedPage, said, send } from './open-page.ts';
import { sentence } from '../fakes/sentences.ts';

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.id || document.activeElement.textContent.trim()');

/** The newest answer that can be pressed. */
const openPanel = async (page: Page, command = 'panel') => {
  const panels = page.locator('article', { has: page.locator('.controls') });
  const before = await panels.count();
  await send(page, `/${command}`);
  const panel = panels.nth(before);
  await panel.waitFor();
  return panel;
};

export const testPressing = (shared: SharedPage): void => {
  describe('an answer with controls', () => {
    test('is pressed by keyboard, keeps the focus, and is said again', async () => {
      const { page } = shared();
      const panel = await openPanel(page);
      const controls = panel.getByRole('group', { name: 'Dragoman' });
      await controls.getByRole('button', { name: 'Go' }).focus();
      await page.keyboard.press('Enter');
      await panel.getByText('Panel panel go').waitFor();
      expect(await focused(page)).toBe('Go');
      const announced = page.locator('p[aria-live="polite"]');
      await announced.filter({ hasText: 'Panel panel go' }).waitFor({ state: 'attached' });
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Drop');
      await page.evaluate('document.activeElement.blur()');
      await shared().visit().post('/api/lines', { channel: 'playground', text: 'and on it goes' });
      await said(page, 'and on it goes').waitFor();
      expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
    });

    test('is not pressed again while it is made anew', async () => {
      const { page, core } = shared();
      const panel = await openPanel(page);
      const before = core.presses.length;
      const drop = panel.getByRole('button', { name: 'Drop' });
      await drop.click();
      await panel.locator('.control[aria-disabled="true"]').first().waitFor();
      await drop.click({ force: true });
      core.step();
      await panel.getByText('Panel panel drop').waitFor();
      expect(core.presses).toHaveLength(before + 1);
      expect(await drop.getAttribute('aria-disabled')).toBe('false');
    });

    test('offers one choice, or some', async () => {
      const { page } = shared();
      const panel = await openPanel(page);
      const colour = panel.getByRole('combobox', { name: 'Colour' });
      await expect.poll(() => colour.inputValue()).toBe('');
      await colour.selectOption('green');
      await panel.getByText('Panel green').waitFor();
      await expect.poll(() => colour.inputValue()).toBe('green');
      const sizes = panel.getByRole('group', { name: 'Sizes' });
      await sizes.getByLabel('small').check();
      await sizes.getByLabel('large').check();
      await sizes.getByRole('button', { name: sentence('web.message.apply') }).click();
      await panel.getByText('Panel small large').waitFor();
    });

    test('hands the focus on when the control that was pressed has gone', async () => {
      const { page } = shared();
      const panel = await openPanel(page, 'own');
      await panel.getByRole('button', { name: 'Leave' }).click();
      await panel.getByText('Panel left').waitFor();
      expect(await focused(page)).toBe(await panel.getAttribute('id'));
    });
  });

  test('a picture is shown, with a name, and can be kept', async () => {
    const { page } = shared();
    await send(page, '/picture');
    const picture = page.getByRole('img', {
      name: sentence('web.file.picture', { name: 'a.png' }),
    });
    await picture.scrollIntoViewIfNeeded();
    const width = () => page.evaluate("document.querySelector('.picture img').naturalWidth");
    await expect.poll(width).toBe(1);
    const [download] = await Promise.all([page.waitForEvent('download'), picture.click()]);
    expect(download.suggestedFilename()).toBe('a.png');
  });
};
