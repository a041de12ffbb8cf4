import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMirror, type Mirror } from '../fakes/models/mirror.ts';
import { runService, writeTinyCatalogue } from '../fakes/models/tiny-catalogue.ts';
import { spawnDragoman } from '../fakes/program.ts';
import { sentence } from '../fakes/sentences.ts';
import { drop } from './media.ts';
import { line, said, send, useBrowser } from './open-page.ts';

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

describe('npm run setup, then npm start', () => {
  test('translates, speaks, and writes down what it has said', async () => {
    const environment = await writeTinyCatalogue(home, mirror);
    await runService(environment, 'setup', 'en', 'es', '--yes');
    const { SERVICE_MODELS = '' } = environment;
    const variables = { SERVICE_MODELS, SERVICE_APERTIUM_MODES: '/nowhere', LOG_LEVEL: 'silent' };
    const dragoman = spawnDragoman({ PORT: '0', ...variables });
    let url: string | undefined;
    for await (const text of createInterface({ input: dragoman.stdout })) {
      url = /^Dragoman on web: (\S+)/.exec(text)?.[1];
      if (url !== undefined) break;
    }
    const page = await open(url ?? '');

    await send(page, '/translate text:"hello world" to:es');
    await said(page, /hola mundo/).waitFor();

    await send(page, '/say text:"hola mundo" language:es format:wav');
    await said(page, /Spanish, tiny-voice/).waitFor();
    const name = sentence('web.file.download', { name: 'speech.wav' });
    const address = await page.getByRole('link', { name }).getAttribute('href');
    const speech = await (await page.request.get(new URL(address ?? '', page.url()).href)).body();

    await drop(page, 'talk.wav', speech);
    await page.locator('.held').waitFor();
    await line(page).press('Enter');
    await said(page, 'holamundo').waitFor();

    await page.context().close();
    dragoman.kill('SIGTERM');
    expect(await once(dragoman, 'exit')).toEqual([0, null]);
  });
});
