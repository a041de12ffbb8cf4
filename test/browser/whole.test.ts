import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decode } from '../../src/audio/codec/decode.ts';
import { AUDIO_FORMATS } from '../../src/model/message.ts';
import { startFakeOpenai, type FakeOpenai } from '../fakes/openai.ts';
import { spawnDragoman } from '../fakes/program.ts';
import { drop } from './media.ts';
import { line, said, send, useBrowser, type OpenPage } from './open-page.ts';
import { sentence } from '../fakes/sentences.ts';

const ROOT = join(import.meta.dirname, '../..');
const WHERE = /^Dragoman on web: (\S+)/;

const startDragoman = async (
  environment: Record<string, string>,
): Promise<{ child: ChildProcess; url: string }> => {
  const child = spawnDragoman({ PORT: '0', ...environment });
  for await (const text of createInterface({ input: child.stdout })) {
    const url = WHERE.exec(text)?.[1];
    if (url) return { child, url };
  }
  throw new Error('it ended before it was ready');
};

const secondsOf = async (bytes: Uint8Array): Promise<number> => {
  const source = {
    sizeBytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
  let seconds = 0;
  for await (const { samples, sampleRateHz } of decode(source, new AbortController().signal))
    seconds += samples.length / sampleRateHz;
  return seconds;
};

/** The bytes that the newest answer's download link gives. */
const downloaded = async (page: Page, name: string): Promise<Uint8Array> => {
  const link = page.getByRole('link', { name: sentence('web.file.download', { name }) });
  const address = await link.last().getAttribute('href');
  return (await page.request.get(new URL(address ?? '', page.url()).href)).body();
};

interface Running {
  readonly page: () => Page;
  readonly openai: () => FakeOpenai;
}

/** Starts the real program and opens its page before a group's tests; ends it well after them. */
const useDragoman = (open: OpenPage, withOpenai: boolean): Running => {
  let openai: FakeOpenai;
  let dragoman: Awaited<ReturnType<typeof startDragoman>>;
  let page: Page;

  beforeAll(async () => {
    openai = await startFakeOpenai({
      models: ['talk-1', 'whisper-1'],
      chat: () => ['An interpreter', ' and', ' guide.'],
    });
    dragoman = await startDragoman({
      SERVICE_APERTIUM_MODES: '/nowhere',
      LOG_LEVEL: 'silent',
      ...(withOpenai ? { SERVICE_OPENAI_URL: openai.url } : {}),
    });
    page = await open(dragoman.url);
  });
  afterAll(async () => {
    await page.context().close();
    dragoman.child.kill('SIGTERM');
    const [code] = (await once(dragoman.child, 'exit')) as [number];
    await openai[Symbol.asyncDispose]();
    expect(code).toBe(0);
  });
  return { page: () => page, openai: () => openai };
};

// The whole of it: the real program, its built-in service, a real browser.
const open = useBrowser();

describe('without an account', () => {
  const running = useDragoman(open, false);

  test('its first examples all work', async () => {
    const page = running.page();
    const examples = page.locator('.welcome .example code');
    await examples.first().waitFor();
    const lines = await examples.allTextContents();
    expect(lines.map((each) => each.split(' ')[0])).toEqual(['/say', '/help']);
    const hint = sentence('remedies.no-translation');
    const shown = await page.locator('.welcome .hint').textContent();
    expect(shown?.replaceAll(/\s+/g, ' ')).toContain(hint);
    for (const [index, each] of lines.entries()) {
      await send(page, each);
      const answers = page.locator('article.ours:not([aria-busy="true"])');
      await answers.nth(index).waitFor();
    }
    expect(await page.locator('article.error').count()).toBe(0);
  });

  test('it translates into the pseudo-locale', async () => {
    const page = running.page();
    await send(page, '/translate text:"The quick brown fox" to:en-XA');
    await said(page, /\[Ţĥ.*ƒ.*\]/).waitFor();
  });

  test('it says what another language needs', async () => {
    const page = running.page();
    await send(page, '/translate text:"The quick brown fox" to:es');
    await said(page, 'apt-get install -y apertium-eng-spa').waitFor();
  });

  test('it speaks, in all five formats', async () => {
    const page = running.page();
    for (const format of AUDIO_FORMATS) {
      const name = sentence('web.file.download', { name: `speech.${format}` });
      const links = page.getByRole('link', { name });
      const before = await links.count();
      await send(page, `/say text:"Hello, where shall we go?" language:en format:${format}`);
      await links.nth(before).waitFor();
      const bytes = await downloaded(page, `speech.${format}`);
      const seconds = format === 'pcm' ? bytes.length / 48_000 : await secondsOf(bytes);
      expect(seconds, format).toBeGreaterThan(0.8);
      expect(seconds, format).toBeLessThan(4);
    }
  });

  test('it shows which engines there are and how to add the others', async () => {
    const page = running.page();
    await page.getByRole('button', { name: sentence('web.engines.title') }).click();
    const panel = page.getByRole('dialog', { name: sentence('web.engines.title') });
    await panel.getByText('espeak-ng').waitFor();
    expect(await panel.textContent()).toContain('apt-get install');
    await page.keyboard.press('Escape');
  });

  test('it says what it keeps of people, and lets them opt out and in again', async () => {
    const page = running.page();
    await send(page, '/privacy');
    const answer = page.locator('article', {
      hasText: sentence('privacy.heading').replaceAll('*', ''),
    });
    await answer.getByRole('button', { name: sentence('privacy.opt-out') }).click();
    await answer.getByText(sentence('privacy.is-out')).waitFor();
    const optIn = answer.getByRole('button', { name: sentence('privacy.opt-in') });
    // The second click of a double click on the button whose place it took.
    await optIn.dispatchEvent('click', { detail: 2 });
    await answer.getByRole('button', { name: sentence('privacy.forget') }).click();
    const sure = page.locator('article', { hasText: sentence('privacy.sure-page') });
    await sure.getByRole('button', { name: sentence('privacy.back') }).click();
    await optIn.click();
    await answer.getByText(sentence('privacy.is-in')).waitFor();
  });

  test('it shows how much was used, as a picture', async () => {
    const page = running.page();
    await send(page, '/translate text:"The quick brown fox" to:en-XA');
    await send(page, '/usage days:7');
    // Out of sight it would not be loaded.
    await page
      .getByRole('img', { name: sentence('web.file.picture', { name: 'usage.png' }) })
      .scrollIntoViewIfNeeded();
    const width = () => page.evaluate("document.querySelector('.picture img').naturalWidth");
    await expect.poll(width).toBe(960);
  });

  test('everybody in the lounge reads their own language', async () => {
    const page = running.page();
    await page.getByRole('link', { name: 'lounge' }).click();
    const chooser = page.locator('.top').getByRole('combobox');
    await chooser.selectOption('en-XA');
    await page.locator('.present').getByText('en-XA', { exact: true }).waitFor();
    await send(page, 'Good morning everybody, did you all sleep well?');
    await said(page, /\[Ĝ.*\]/).waitFor();
  });
});

describe('with an OpenAI-compatible server', () => {
  const running = useDragoman(open, true);

  test('it asks the language model, and shows the answer as it grows', async () => {
    const page = running.page();
    const release = running.openai().hold();
    await send(page, '/ask What is a dragoman?');
    await said(page, /An interpreter\s*$/).waitFor();
    release();
    await said(page, 'An interpreter and guide.').waitFor();
  });

  test.each(['speech.wav', 'speech.opus', 'speech.mp3', 'speech.flac', 'speech.m4a'])(
    'it writes down a dropped %s',
    async (name) => {
      const page = running.page();
      const before = await said(page, 'hello there').count();
      await drop(page, name, readFileSync(join(ROOT, 'test/fixtures/audio', name)));
      await page.locator('.held').waitFor();
      await line(page).press('Enter');
      await said(page, 'hello there').nth(before).waitFor();
    },
  );

  test('it writes down what is recorded', async () => {
    const page = running.page();
    const before = await said(page, 'hello there').count();
    await page.getByRole('button', { name: sentence('web.record.start') }).click();
    const recording = page.getByRole('group', { name: sentence('web.record.running') });
    const bars = async () => recording.locator('.levels path').getAttribute('d');
    await expect.poll(bars).toMatch(/v(?:[2-9]|1\d)\./);
    await recording.getByRole('button', { name: sentence('web.record.finish') }).click();
    await page.locator('.held audio-player').waitFor();
    await line(page).press('Enter');
    await said(page, 'hello there').nth(before).waitFor();
  });
});
