import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { toneWav } from '../fakes/tone.ts';
import { answered, line, type SharedPage, said, send } from './open-page.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

/** Lets go of files with the same content over the page, as a drag from the desktop does. */
export const drop = async (
  page: Page,
  names: string | readonly string[],
  bytes: Uint8Array,
): Promise<void> => {
  const base64 = Buffer.from(bytes).toString('base64');
  const carried = await page.evaluateHandle(`(() => {
    const content = Uint8Array.from(atob(${JSON.stringify(base64)}), (char) => char.charCodeAt(0));
    const transfer = new DataTransfer();
    for (const name of ${JSON.stringify([names].flat())})
      transfer.items.add(new File([content], name, { type: name.endsWith('.odt') ? '' : 'audio/wav' }));
    return transfer;
  })()`);
  await page.dispatchEvent('.log', 'dragover', { dataTransfer: carried });
  await page.locator('.drop-note').waitFor();
  await page.dispatchEvent('.log', 'drop', { dataTransfer: carried });
};

export const testMedia = (shared: SharedPage): void => {
  describe('sound', () => {
    test('of an answer has a player with a picture, and can be kept', async () => {
      const { page } = shared();
      await send(page, '/say Hello');
      const player = answered(page).locator('audio-player').last();
      await player.locator('.wave').waitFor();
      const path = await player.locator('.wave path').first().getAttribute('d');
      expect(path?.split('M')).toHaveLength(73);
      const audio = player.locator('audio');
      expect(await audio.getAttribute('aria-label')).toBe('speech.wav');
      const newest = (what: string) =>
        page.evaluate(`[...document.querySelectorAll('article audio')].at(-1).${what}`);
      await expect.poll(() => newest('duration')).toBeCloseTo(45, 0);
      await newest('play()');
      await newest('currentTime = 40');
      const played = player.locator('.wave rect');
      await expect
        .poll(async () => Number(await played.getAttribute('width')))
        .toBeGreaterThan(180);
      await newest('pause()');

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page
          .getByRole('link', { name: sentence('web.file.download', { name: 'speech.wav' }) })
          .last()
          .click(),
      ]);
      expect(download.suggestedFilename()).toBe('speech.wav');
    });

    test('that is dropped on the page is offered to /transcribe', async () => {
      const { page } = shared();
      await drop(page, 'memo.wav', toneWav());
      await expect.poll(() => line(page).inputValue()).toBe('/transcribe ');
      const held = page.locator('.held');
      await held.locator('.wave').waitFor();
      expect(await held.textContent()).toContain('memo.wav');
      await line(page).press('Enter');
      await said(page, 'memo.wav audio/wav: 16044 bytes').waitFor();
      await held.waitFor({ state: 'hidden' });
    });

    test('that is dropped takes nothing of what was typed, and one file follows the other', async () => {
      const { page } = shared();
      await line(page).pressSequentially('half a thought');
      await drop(page, 'first.wav', toneWav());
      await drop(page, 'second.wav', toneWav());
      await page.getByText(sentence('web.composer.next-files')).waitFor();
      for (const name of ['first.wav', 'second.wav']) {
        await page.locator('.held').getByText(name).waitFor();
        await line(page).press('Enter');
        await said(page, `${name} audio/wav: 16044 bytes`).waitFor();
      }
      await expect.poll(() => line(page).inputValue()).toBe('half a thought');
    });

    test('that is dropped does not wait behind a file that nothing takes, of which people are told', async () => {
      const { page } = shared();
      await line(page).pressSequentially('half a thought');
      await drop(page, ['notes.odt', 'first.wav', 'todo.odt', 'second.wav'], toneWav());
      const reason = page.getByRole('alert');
      expect(await reason.textContent()).toContain(sentence('web.errors.no-command-for-file'));
      for (const name of ['first.wav', 'second.wav']) {
        await page.locator('.held').getByText(name).waitFor();
        await line(page).press('Enter');
        await said(page, `${name} audio/wav: 16044 bytes`).last().waitFor();
      }
      await expect.poll(() => line(page).inputValue()).toBe('half a thought');
    });

    test('that was attached can be taken back', async () => {
      const { page } = shared();
      await drop(page, 'memo.wav', toneWav());
      await page
        .getByRole('button', { name: sentence('web.composer.remove-file', { name: 'memo.wav' }) })
        .click();
      await line(page).press('Enter');
      expect(await page.getByRole('alert').textContent()).toContain(
        sentence('line.attach', { option: 'audio' }),
      );
    });

    test('too large is refused before it is sent', async () => {
      const { page } = shared();
      await drop(page, 'memo.wav', new Uint8Array(1_000_001));
      expect(await page.getByRole('alert').textContent()).toMatch(
        sentenceLike('web.errors.file-too-large'),
      );
    });

    test('is recorded from the microphone', async () => {
      const { page } = shared();
      await page.getByRole('button', { name: sentence('web.record.start') }).click();
      const recording = page.getByRole('group', { name: sentence('web.record.running') });
      await recording.waitFor();
      // The meter moves once something has been heard.
      const bars = async () => await recording.locator('.levels path').getAttribute('d');
      await expect.poll(bars).toMatch(/v(?:[2-9]|1\d)\./);
      await recording.getByRole('button', { name: sentence('web.record.finish') }).click();
      const duration = () => page.evaluate("document.querySelector('.held audio').duration");
      await expect.poll(duration).toBeLessThan(600);
      await expect.poll(() => line(page).inputValue()).toBe('/transcribe ');
      await line(page).press('Enter');
      await said(page, /recording-[\d-]+\.webm audio\/webm: \d{3,} bytes/).waitFor();
    });
  });
};
