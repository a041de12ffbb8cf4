import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MessageKey, SentenceParams } from '../../src/errors.ts';
import type { ModelPlan } from '../../src/model/local-models.ts';
import { startMirror, type Mirror } from '../fakes/models/mirror.ts';
import { runService, writeTinyCatalogue } from '../fakes/models/tiny-catalogue.ts';
import { spawnDragoman } from '../fakes/program.ts';
import { sentence } from '../fakes/sentences.ts';
import { drop } from './media.ts';
import { line, PATIENCE_MS, said, send, useBrowser } from './open-page.ts';

const open = useBrowser();
let home: string;
let mirror: Mirror;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'dragoman-local-'));
  mirror = await startMirror();
});
afterAll(async () => {
  await mirror[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** Starts the program with the models of a folder; resolves with the address of its page. */
const start = async (variables: Readonly<Record<string, string>>) => {
  const program = spawnDragoman({
    PORT: '0',
    SERVICE_APERTIUM_MODES: '/nowhere',
    LOG_LEVEL: 'silent',
    ...variables,
  });
  for await (const text of createInterface({ input: program.stdout })) {
    const url = /^Dragoman on web: (\S+)/.exec(text)?.[1];
    if (url !== undefined) return { program, url };
  }
  throw new Error('the program ended');
};

const stop = async (page: Page, program: ChildProcess): Promise<void> => {
  await page.context().close();
  program.kill('SIGTERM');
  expect(await once(program, 'exit')).toEqual([0, null]);
};

describe('npm run setup, then npm start', () => {
  test('translates, speaks, and writes down what it has said', async () => {
    const environment = await writeTinyCatalogue(home, mirror);
    await runService(environment, 'setup', 'en', 'es', '--yes');
    const { SERVICE_MODELS = '' } = environment;
    const { program, url } = await start({ SERVICE_MODELS });
    const page = await open(url);

    await send(page, '/translate text:"hello world" to:es');
    await said(page, /hola mundo/).waitFor();

    await send(page, '/say text:"hola mundo" language:es format:wav');
    await said(page, /tiny-voice/i).waitFor();
    const name = sentence('web.file.download', { name: 'speech.wav' });
    const address = await page.getByRole('link', { name }).getAttribute('href');
    const speech = await (await page.request.get(new URL(address ?? '', page.url()).href)).body();

    await drop(page, 'talk.wav', speech);
    await page.locator('.held').waitFor();
    await line(page).press('Enter');
    await said(page, 'holamundo').waitFor();

    await stop(page, program);
  });
});

describe('the page of a program without models', () => {
  test('installs them for languages, uses them at once, and removes them', async () => {
    const folder = mkdtempSync(join(home, 'page-'));
    const { program, url } = await start(await writeTinyCatalogue(folder, mirror));
    const page = await open(url);
    const button = (key: MessageKey, params?: SentenceParams) =>
      page.getByRole('button', { name: sentence(key, params) });

    await page.locator('.engines-button').click();
    await button('web.models.open').click();
    await page.getByLabel(sentence('web.models.add-language')).selectOption('es');
    await page.route(
      '**/api/models/plan',
      async (route) => {
        const response = await route.fetch();
        const plan = (await response.json()) as ModelPlan;
        const json: ModelPlan = { ...plan, lackingBytes: 3e9, notes: ['The registry is gone.'] };
        await route.fulfill({ response, json });
      },
      { times: 1 },
    );
    await button('web.models.ask').click();
    await page.getByText(sentence('web.models.lacking', { size: '3 GB' })).waitFor();
    await page.getByText('The registry is gone.').waitFor();
    expect(await page.locator('.control.primary').isDisabled()).toBe(true);
    await button('web.models.ask').click();
    await page
      .getByText(sentence('web.models.lacking', { size: '3 GB' }))
      .waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /tiny-recogniser|ears|MIT/ })
      .first()
      .waitFor();
    await page.locator('.control.primary').click();
    await page.getByText(sentence('web.models.done')).waitFor();

    const rows = page
      .getByRole('region', { name: sentence('web.models.installed') })
      .getByRole('row');
    // A recogniser, a voice, and a translation each way; the list is read anew once all are there.
    const count = 4;
    await expect.poll(() => rows.count(), { timeout: PATIENCE_MS }).toBe(count);
    await page.keyboard.press('Escape');
    await send(page, '/translate text:"hello world" to:es');
    await said(page, /hola mundo/).waitFor();

    await page.locator('.engines-button').click();
    await button('web.models.open').click();
    page.on('dialog', (dialog) => void dialog.accept());
    await rows.first().getByRole('button').click();
    await expect.poll(() => rows.count(), { timeout: PATIENCE_MS }).toBe(count - 1);
    await stop(page, program);
  });
});
