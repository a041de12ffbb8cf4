import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { CatalogueModel } from '../../../service/models/catalogue.ts';
import { LOCK_FILE } from '../../../service/models/changes.ts';
import { TRUSTED_FILE } from '../../../service/models/checksum.ts';
import { runModels, type ModelsDeps } from '../../../service/models/commands.ts';
import { tarGz } from '../../fakes/models/archive.ts';
import { startMirror } from '../../fakes/models/mirror.ts';
import { writeTinyRecogniser } from '../../fakes/models/tiny-recogniser.ts';
import { writeTinyTranslation } from '../../fakes/models/tiny-translation.ts';
import { writeTinyPackage } from '../../fakes/models/tiny-package.ts';
import { writeTinyVoice } from '../../fakes/models/tiny-voice.ts';

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

export const model = (
  name: string,
  ability: CatalogueModel['ability'],
  languages: string[],
  ...files: CatalogueModel['files']
): CatalogueModel => ({
  name,
  ability,
  languages,
  title: name,
  licence: 'MIT',
  page: 'https://models.invalid/',
  files,
});

/** A folder of models, and a catalogue of a recogniser, a voice and a translation that a mirror serves. */
export const openModelsScene = async () => {
  const home = mkdtempSync(join(tmpdir(), 'dragoman-install-'));
  const root = join(home, 'models');
  const mirror = await startMirror();
  writeTinyRecogniser(join(home, 'recogniser'));
  writeTinyVoice(join(home, 'voice'));
  writeTinyTranslation(join(home, 'en-es'), 'en', 'es', { hello: 'hola' });
  const archives = {
    recogniser: await tarGz(join(home, 'recogniser'), 'recogniser'),
    voice: await tarGz(join(home, 'voice'), 'voice'),
  };
  /** An address in the catalogue, which the mirror serves. */
  const serve = (path: string, content: Uint8Array): CatalogueModel['files'][number] => {
    mirror.serve(path, content);
    return { url: `https://models.invalid${path}`, bytes: content.length, sha256: sha256(content) };
  };
  const catalogue = [
    model('ears', 'recognition', ['en', 'es'], serve('/ears.tar.gz', archives.recogniser)),
    model('mouth', 'speech', ['en'], serve('/mouth.tar.gz', archives.voice)),
    model(
      'bergamot-en-es',
      'translation',
      ['en', 'es'],
      ...readdirSync(join(home, 'en-es')).map((file) =>
        serve(`/${file}.gz`, gzipSync(readFileSync(join(home, 'en-es', file)))),
      ),
    ),
  ];
  const saveCatalogue = (): void =>
    writeFileSync(join(home, 'catalogue.json'), JSON.stringify({ models: catalogue }));
  saveCatalogue();
  const deps: ModelsDeps = {
    root,
    mirror: mirror.url,
    catalogueFile: join(home, 'catalogue.json'),
    clock: {
      nowMs: () => 0,
      after: (ms, run) => {
        if (ms >= 30_000) return () => {};
        const timer = setImmediate(run);
        return () => clearImmediate(timer);
      },
    },
    random: () => 1,
    now: () => new Date('2026-01-01T00:00:00Z'),
    llama: await writeTinyPackage(home, mirror),
    signal: new AbortController().signal,
    print: (line) => scene.lines.push(line),
    progress: { isTTY: true, write: (text) => (scene.shown += text) },
    ask: async (question) => {
      scene.lines.push(question);
      return scene.answers.shift() ?? '';
    },
  };
  const scene = {
    home,
    root,
    mirror,
    archives,
    catalogue,
    deps,
    /** What was printed and asked. */
    lines: [] as string[],
    /** The progress that was shown. */
    shown: '',
    /** The answers to the next questions. */
    answers: [] as string[],
    serve,
    saveCatalogue,
    add: (...names: readonly string[]): Promise<void> => runModels(['add', ...names], scene.deps),
    /** The folders of whole models, and whether anything half done is left. */
    installed: (): readonly string[] =>
      readdirSync(root).filter(
        (name) => !['.downloads', '.packages', TRUSTED_FILE, LOCK_FILE].includes(name),
      ),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await mirror[Symbol.asyncDispose]();
      rmSync(home, { recursive: true });
    },
  };
  return scene;
};
