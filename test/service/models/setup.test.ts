import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { PATHS, type Voice } from '../../../src/api/contract.ts';
import type { CatalogueModel } from '../../../service/models/catalogue.ts';
import { tarGz } from '../../fakes/models/archive.ts';
import { startMirror, type Mirror, type Way } from '../../fakes/models/mirror.ts';
import { writeTinyRecogniser } from '../../fakes/models/tiny-recogniser.ts';
import { writeTinyTranslation } from '../../fakes/models/tiny-translation.ts';
import { writeTinyVoice } from '../../fakes/models/tiny-voice.ts';
import { startTestService, type TestService } from '../support.ts';

let home: string;
let mirror: Mirror;
let service: TestService;

const file = (
  path: string,
  content: Buffer,
  ...ways: readonly Way[]
): CatalogueModel['files'][number] => {
  mirror.serve(path, content, ...ways);
  return {
    url: `https://models.invalid${path}`,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
};

const translationFiles = (from: string, to: string, words: Record<string, string>) => {
  const folder = join(home, `${from}-${to}`);
  writeTinyTranslation(folder, from, to, words);
  return readdirSync(folder).map((name) =>
    file(`/${name}.gz`, gzipSync(readFileSync(join(folder, name)))),
  );
};

const writeCatalogue = async (): Promise<void> => {
  writeTinyRecogniser(join(home, 'recogniser'));
  writeTinyVoice(join(home, 'voice'), { language: 'Spanish' });
  const common = { title: 'tiny', licence: 'MIT', page: 'https://models.invalid/' };
  const models: CatalogueModel[] = [
    {
      ...common,
      name: 'tiny-recogniser',
      ability: 'recognition',
      languages: ['en', 'es'],
      files: [file('/recogniser.tar.gz', await tarGz(join(home, 'recogniser'), 'recogniser'))],
    },
    {
      ...common,
      name: 'tiny-voice',
      ability: 'speech',
      languages: ['en', 'es'],
      files: [
        file('/voice.tar.gz', await tarGz(join(home, 'voice'), 'voice'), { cutAfter: 1_000 }, {}),
      ],
    },
    {
      ...common,
      name: 'bergamot-en-es',
      ability: 'translation',
      languages: ['en', 'es'],
      files: translationFiles('en', 'es', { hello: 'hola', world: 'mundo' }),
    },
    {
      ...common,
      name: 'bergamot-es-en',
      ability: 'translation',
      languages: ['es', 'en'],
      files: translationFiles('es', 'en', { hola: 'hello', mundo: 'world' }),
    },
  ];
  writeFileSync(join(home, 'catalogue.json'), JSON.stringify({ models }));
};

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'dragoman-setup-'));
  mirror = await startMirror();
  await writeCatalogue();
  service = await startTestService({ SERVICE_MODELS: join(home, 'models') });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await mirror[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

const setup = async (...words: readonly string[]): Promise<string> => {
  const run = promisify(execFile)(
    process.execPath,
    ['scripts/run.mjs', 'service/main.ts', ...words],
    {
      env: {
        PATH: process.env['PATH'],
        SERVICE_MODELS: join(home, 'models'),
        SERVICE_MODELS_MIRROR: mirror.url,
        SERVICE_MODELS_CATALOGUE: join(home, 'catalogue.json'),
      },
    },
  );
  const { stdout } = await run;
  return stdout;
};

describe('npm run setup', () => {
  it('is one command from nothing to speech, recognition and translation in a running service', async () => {
    const fields = { text: 'hello world', source_lang: 'en', target_lang: 'es' };
    expect((await service.translate(fields)).status).toBe(404);

    const output = await setup('setup', 'en', 'es', '--yes');
    for (const name of ['tiny-recogniser', 'tiny-voice', 'bergamot-en-es', 'bergamot-es-en'])
      expect(output).toContain(`${name} is installed`);

    const translated = (await (await service.translate(fields)).json()) as {
      choices: { message: { content: string } }[];
      model: string;
    };
    expect(translated).toMatchObject({
      model: 'bergamot-en-es',
      choices: [{ message: { content: 'hola mundo' } }],
    });

    const listed = await service.request(PATHS.voices);
    const { voices } = (await listed.json()) as { voices: Voice[] };
    const voice = voices.find(({ language }) => language === 'Spanish');
    // Before the voices of eSpeak NG.
    expect(voices[0]).toEqual(voice);
    const spoken = await service.postJson(PATHS.tts, {
      voice_id: voice!.id,
      text: 'hola mundo',
      format: 'wav',
      sample_rate: 16_000,
    });
    expect(spoken.status).toBe(200);

    const audio = Buffer.from(await spoken.arrayBuffer()).toString('base64');
    const heard = await service.postJson(PATHS.asr, { audio, language: 'es' });
    expect(await heard.json()).toMatchObject({ text: 'holamundo', language: 'es' });
  });

  it('says in words what went wrong, and ends with 1', async () => {
    const failed = setup('models', 'add', 'nothing-like-it').catch((error: unknown) => error);
    expect(await failed).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('nothing-like-it is no model of the catalogue'),
      stderr: '1 of 1 model was not installed.\n',
    });
  });
});
