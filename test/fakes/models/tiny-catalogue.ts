import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { CatalogueModel } from '../../../service/models/catalogue.ts';
import { BARE_ENVIRONMENT, wordsOf } from '../program.ts';
import { tarGz } from './archive.ts';
import type { Mirror, Way } from './mirror.ts';
import { writeTinyRecogniser } from './tiny-recogniser.ts';
import { writeTinyTranslation } from './tiny-translation.ts';
import { writeTinyVoice } from './tiny-voice.ts';

const serve = (
  mirror: Mirror,
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

const translationFiles = (
  mirror: Mirror,
  home: string,
  from: string,
  to: string,
  words: Record<string, string>,
) => {
  const folder = join(home, `${from}-${to}`);
  writeTinyTranslation(folder, from, to, words);
  return readdirSync(folder).map((name) =>
    serve(mirror, `/${name}.gz`, gzipSync(readFileSync(join(folder, name)))),
  );
};

/**
 * Writes a catalogue of tiny models for English and Spanish, which the mirror serves, and returns the
 * variables with which they are installed into `home`. The voice's download is cut once.
 */
export const writeTinyCatalogue = async (
  home: string,
  mirror: Mirror,
): Promise<Record<string, string>> => {
  writeTinyRecogniser(join(home, 'recogniser'));
  writeTinyVoice(join(home, 'voice'), { language: 'Spanish' });
  const common = { title: 'tiny', licence: 'MIT', page: 'https://models.invalid/' };
  const models: CatalogueModel[] = [
    {
      ...common,
      name: 'tiny-recogniser',
      ability: 'recognition',
      languages: ['en', 'es'],
      files: [
        serve(mirror, '/recogniser.tar.gz', await tarGz(join(home, 'recogniser'), 'recogniser')),
      ],
    },
    {
      ...common,
      name: 'tiny-voice',
      ability: 'speech',
      languages: ['en', 'es'],
      files: [
        serve(
          mirror,
          '/voice.tar.gz',
          await tarGz(join(home, 'voice'), 'voice'),
          { cutAfter: 1_000 },
          {},
        ),
      ],
    },
    {
      ...common,
      name: 'bergamot-en-es',
      ability: 'translation',
      languages: ['en', 'es'],
      files: translationFiles(mirror, home, 'en', 'es', { hello: 'hola', world: 'mundo' }),
    },
    {
      ...common,
      name: 'bergamot-es-en',
      ability: 'translation',
      languages: ['es', 'en'],
      files: translationFiles(mirror, home, 'es', 'en', { hola: 'hello', mundo: 'world' }),
    },
  ];
  writeFileSync(join(home, 'catalogue.json'), JSON.stringify({ models }));
  return {
    SERVICE_MODELS: join(home, 'models'),
    SERVICE_MODELS_MIRROR: mirror.url,
    SERVICE_MODELS_CATALOGUE: join(home, 'catalogue.json'),
  };
};

/** Runs `npm run service -- …`, of which `npm run setup` is a part, and returns what it says. */
export const runService = async (
  environment: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<string> => {
  const run = await promisify(execFile)(process.execPath, wordsOf('service/main.ts', ...words), {
    env: { ...BARE_ENVIRONMENT, ...environment },
  });
  return run.stdout;
};
