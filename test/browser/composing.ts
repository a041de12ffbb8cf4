import { describe, expect, test } from 'vitest';
import { answered, line, type SharedPage, said, send } from './open-page.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

export const testComposing = (shared: SharedPage): void => {
  describe('the line', () => {
    test('completes commands, options and values by keyboard', async () => {
      const { page, core } = shared();
      await line(page).pressSequentially('/tra');
      const list = page.getByRole('listbox');
      expect(await list.getByRole('option').allTextContents()).toHaveLength(2);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await expect.poll(() => line(page).inputValue()).toBe('/translate ');
      await page.keyboard.press('Tab');
      await page.keyboard.type('"A fox" t');
      await page.keyboard.press('Tab');
      await page.keyboard.type('span');
      await list.getByRole('option', { name: 'Spanish' }).waitFor();
      await page.keyboard.press('Tab');
      await expect.poll(() => line(page).inputValue()).toBe('/translate text:"A fox" to:es ');
      await page.keyboard.press('Enter');
      await said(page, 'es: A fox').waitFor();
      expect(core.invocations.at(-1)?.options).toEqual({ text: 'A fox', to: 'es' });
      await expect.poll(() => line(page).inputValue()).toBe('');
    });

    test('closes the suggestions with Escape and keeps what was typed', async () => {
      const { page } = shared();
      await line(page).pressSequentially('/say');
      await page.getByRole('listbox').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'hidden' });
      await expect.poll(() => line(page).inputValue()).toBe('/say');
    });

    test('is sent as typed in one go, quotation marks included', async () => {
      const { page } = shared();
      await line(page).pressSequentially('/translate text:"The \\"quick\\" brown fox" to:es');
      await page.keyboard.press('Enter');
      await said(page, 'es: The "quick" brown fox').waitFor();
      const shown = page.locator('.use').last();
      expect(await shown.textContent()).toContain('The "quick" brown fox');
    });

    test('stays in the field, with the reason, when it cannot be sent', async () => {
      const { page } = shared();
      await send(page, '/translate colour:red');
      const reason = page.getByRole('alert');
      expect(await reason.textContent()).toMatch(
        sentenceLike('line.unknown-option', { option: 'colour' }),
      );
      await expect.poll(() => line(page).inputValue()).toBe('/translate colour:red');
      expect(await line(page).getAttribute('aria-invalid')).toBe('true');
      await page.keyboard.type('!');
      await reason.waitFor({ state: 'hidden' });
      await send(page, '/catchup since:1h');
      expect(await reason.textContent()).toBe(sentence('line.elsewhere', { command: 'catchup' }));
    });

    test('is recalled, as an example is taken, without a list over it', async () => {
      const { page } = shared();
      await send(page, '/translate text:"Again" to:es ');
      await said(page, 'es: Again').waitFor();
      await line(page).press('ArrowUp');
      await expect.poll(() => line(page).inputValue()).toBe('/translate text:"Again" to:es ');
      expect(await page.getByRole('listbox').count()).toBe(0);
    });

    test('takes no text that is too much to send, and keeps what stood there', async () => {
      const { page } = shared();
      await page.evaluate("navigator.clipboard.writeText('x'.repeat(1_048_576))");
      await line(page).pressSequentially('/say ');
      await page.keyboard.press('Control+V');
      await page
        .getByRole('alert')
        .filter({ hasText: sentence('web.errors.text-too-large') })
        .waitFor();
      expect(await line(page).inputValue()).toBe('/say ');
    });

    test('is still there when the page is loaded anew', async () => {
      const { page } = shared();
      await line(page).pressSequentially('half a thought');
      await page.reload();
      await expect.poll(() => line(page).inputValue()).toBe('half a thought');
    });

    test('that is no command can be made one', async () => {
      const { page } = shared();
      await line(page).pressSequentially('A fox');
      await page.locator('.wrapping').getByRole('button', { name: '/translate' }).click();
      await expect.poll(() => line(page).inputValue()).toBe('/translate text:"A fox" ');
    });
  });

  describe('the fields of a command', () => {
    test('are filled by keyboard, and write the line', async () => {
      const { page, core } = shared();
      await line(page).pressSequentially('/translate ');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type('A fox');
      await expect.poll(() => line(page).inputValue()).toBe('/translate text:"A fox" ');
      await page.keyboard.press('Tab');
      await page.keyboard.type('jap');
      const suggestions = page.locator('lookup-field option');
      await expect.poll(() => suggestions.allTextContents()).toEqual(['Japanese']);
      await expect.poll(() => line(page).inputValue()).toBe('/translate text:"A fox" to:jap ');
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Enter');
      await said(page, 'ja: A fox').waitFor();
      expect(core.invocations.at(-1)?.options).toEqual({ text: 'A fox', to: 'ja' });
    });

    test('follow the line, and offer the choices there are', async () => {
      const { page, core } = shared();
      await line(page).fill('/say Hello there format:wav');
      const fields = page.getByRole('group', {
        name: sentence('web.composer.options', { command: 'say' }),
      });
      await expect.poll(() => fields.getByLabel('The text').inputValue()).toBe('Hello there');
      await expect.poll(() => fields.getByLabel('The format').inputValue()).toBe('wav');
      await fields.getByLabel('The format').selectOption('mp3');
      await fields.getByLabel('The speed').fill('1.5');
      await fields.getByLabel('The speed').press('Enter');
      await said(page, 'Hello there').waitFor();
      await answered(page).locator('audio-player').waitFor();
      expect(core.invocations.at(-1)?.options).toEqual({
        text: 'Hello there',
        format: 'mp3',
        speed: 1.5,
      });
    });
  });
};
