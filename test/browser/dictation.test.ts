import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { AppError } from '../../src/errors.ts';
import { startRealWeb, startService, startWeb } from '../adapters/web/start-web.ts';
import { sentence } from '../fakes/sentences.ts';
import type { SpeechFake } from '../fakes/speech.ts';
import { closeWithTest, line, said, useBrowser } from './open-page.ts';

const SPEECH = fileURLToPath(new URL('../fixtures/audio/speech.wav', import.meta.url));

const open = useBrowser(SPEECH);

/** Records until something has been heard. */
const record = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: sentence('web.record.start') }).click();
  const recording = page.getByRole('group', { name: sentence('web.record.running') });
  await recording.waitFor();
  const bars = async () => await recording.locator('.levels path').getAttribute('d');
  await expect.poll(bars).toMatch(/v(?:[2-9]|1\d)\./);
};

const finish = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: sentence('web.record.finish') }).click();
  await page.locator('.held audio-player').waitFor();
};

const words = (page: Page) =>
  page.getByRole('group', { name: sentence('web.record.words'), exact: true });

const requests = ({ seen }: SpeechFake): number =>
  seen.filter(({ path }) => path === PATHS.asr).length;

test('words stand on the page while they are spoken, and are not recognised a second time', async () => {
  const speech = await startService();
  speech.realtime.habits = { hears: 'good morning everybody' };
  const web = await startRealWeb(speech, undefined, ['recognition']);
  onTestFinished(() => web[Symbol.asyncDispose]());
  const page = closeWithTest(await open(web.url));

  await record(page);
  await words(page).locator('.growing').getByText('good morning everybody').waitFor();
  await finish(page);
  expect(await words(page).count()).toBe(0);
  await line(page).press('Enter');
  await said(page, 'good morning everybody').waitFor();
  expect(requests(speech)).toBe(0);
});

test('a recording goes on, and can be sent, when its words stop', async () => {
  const { url, core } = await startWeb();
  const page = closeWithTest(await open(url));
  await record(page);
  await words(page).locator('.growing').getByText('one').waitFor();
  const { listener } = core.dictations.all[0]!;
  listener.words({ id: 9, text: 'No.', language: 'en', isFinal: true });
  await words(page).locator('[aria-live=polite]').getByText('No.').waitFor();
  listener.ended(new AppError('unavailable', 'gone'));
  await words(page).getByText(sentence('web.record.words-stopped')).waitFor();
  await finish(page);
  await line(page).press('Enter');
  await said(page, /recording-[\d-]+\.webm audio\/webm: \d{4,} bytes/).waitFor();
});

test('a recording shows its own words alone, while those of the one before are awaited', async () => {
  const { url, core } = await startWeb();
  const page = closeWithTest(await open(url));
  const connected = page.waitForEvent('websocket');
  const start = page.getByRole('button', { name: sentence('web.record.start') });
  await start.dblclick();
  const before = await connected;
  await page.locator('.finish').dispatchEvent('click', { detail: 2 });
  const own = words(page).locator('.growing').getByText('one');
  await own.waitFor();
  const [first] = core.dictations.all;
  const last = Promise.withResolvers<undefined>();
  first!.text = last.promise;
  await finish(page);
  await expect.poll(() => first!.state).toBe('finished');

  await start.click();
  await own.waitFor();
  const arrived = before.waitForEvent('framereceived', ({ payload }) =>
    String(payload).includes('earlier'),
  );
  first!.listener.words({ id: 9, text: 'An earlier word.', language: 'en', isFinal: true });
  await arrived;
  const closed = before.waitForEvent('close');
  last.resolve(undefined);
  await closed;
  await words(page).getByText('two').waitFor();
  expect(await words(page).textContent()).toMatch(/^\s*one(?: \w+)+\s*$/);
  expect(core.dictations.all).toHaveLength(2);
  await page.getByRole('button', { name: sentence('web.record.discard') }).click();
  await words(page).waitFor({ state: 'detached' });
  await expect.poll(() => core.dictations.all[1]!.state).toBe('dropped');
});

test('a recording without words is one as before', async () => {
  const { url, core } = await startWeb();
  core.dictations.refusal = new AppError('rate-limited', 'used up');
  const page = closeWithTest(await open(url, { mayBreak: true }));
  const refused = page
    .waitForEvent('websocket')
    .then((socket) => socket.waitForEvent('socketerror'));
  await record(page);
  await refused;
  // Browsers announce what comes into a region that was there before.
  await page.locator('voice-recorder [aria-live=polite]').waitFor({ state: 'attached' });
  expect(await words(page).count()).toBe(0);
  await finish(page);
  expect(await words(page).count()).toBe(0);
  await line(page).press('Enter');
  await said(page, /recording-[\d-]+\.webm audio\/webm: \d{3,} bytes/).waitFor();
});
