import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isPackageInstalled } from '../../engine.ts';
import { PACKAGE } from '../espeak-ng/voices.ts';
import { unusable } from './model-folder.ts';

/** Name of the folder with eSpeak NG's pronunciation, which Piper, Kokoro and Kitten models use. */
export const ESPEAK_DATA = 'espeak-ng-data';

/** Names, in the package's script, of the files that its one file of data holds. */
const PACKED = /filename:"\/usr\/share\/espeak-ng-data\/([^"]+)",start:(\d+),end:(\d+)/g;
const DICTIONARY = /^(\w+)_dict$/;
/** The dictionary that most languages fall back on for foreign words. */
const FALLBACK = 'en';

/** The dictionary of a voice such as `en-us`, which its file names, or that of its language. */
const dictionaryOf = (voice: string, files: ReadonlyMap<string, Buffer>): string => {
  const language = new RegExp(`^language\\s+${voice}\\b(?!-)`, 'im');
  for (const [name, content] of files) {
    if (!name.startsWith('lang/') || !language.test(content.toString('latin1'))) continue;
    const [, named] = /^dictionary\s+(\w+)/m.exec(content.toString('latin1')) ?? [];
    return named ?? name.slice(name.lastIndexOf('/') + 1).split('-')[0] ?? voice;
  }
  return voice;
};

/**
 * Writes the pronunciation of one language, 2 to 10 MB, into the folder of a voice, from the package of
 * the engine eSpeak NG. Throws `AppError` (`config`) where there is no such package or language.
 *
 * @param voice eSpeak NG's name of the language, such as `en-us`
 */
export const writeEspeakData = async (folder: string, voice: string): Promise<void> => {
  if (!isPackageInstalled(PACKAGE))
    throw unusable(
      folder,
      `${ESPEAK_DATA} is missing: npm install --include=optional adds ${PACKAGE}, which has it; or copy the folder from another voice`,
    );
  const script = createRequire(import.meta.url).resolve(PACKAGE);
  await using data = await open(script.replace(/\.js$/, '.data'));
  const files = new Map<string, Buffer>();
  for (const [, name = '', start, end] of (await readFile(script, 'latin1')).matchAll(PACKED)) {
    const content = Buffer.alloc(Number(end) - Number(start));
    await data.read(content, 0, content.length, Number(start));
    files.set(name, content);
  }
  const needed = [dictionaryOf(voice, files), FALLBACK];
  if (!files.has(`${needed[0]}_dict`))
    throw unusable(folder, `its language, ${voice}, is none of eSpeak NG`);
  for (const [name, content] of files) {
    const [, dictionary] = DICTIONARY.exec(name) ?? [];
    if (dictionary !== undefined && !needed.includes(dictionary)) continue;
    const path = join(folder, ESPEAK_DATA, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
};
