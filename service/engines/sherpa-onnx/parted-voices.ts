import { open, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { languageName } from '../../../src/text/language/language-names.ts';
import { ESPEAK_DATA } from './espeak-data.ts';
import {
  listFiles,
  named,
  onnxMetadataOf,
  pickOnnx,
  pickParts,
  sizeOf,
  unusable,
} from './model-folder.ts';

/** A recording that a model speaks like, and its words where the model needs them. */
export interface Recording {
  /** Path of a WAV file. */
  readonly file: string;
  readonly text?: string;
}

/** The folder of recordings that models are published with. */
const SAMPLES = 'test_wavs';

/** A kind of voice that consists of several models. */
export interface PartedVoice {
  readonly kind: 'supertonic' | 'pocket' | 'zipvoice';
  readonly models: Readonly<Record<string, string>>;
  readonly isOf: (
    has: (name: string) => string | undefined,
    files: readonly string[],
  ) => string | undefined | false;
  /** Names of other files and folders. */
  readonly others: Readonly<Record<string, string>>;
  /** ISO 639 codes. */
  readonly languages: string;
  /** Recordings of a kind without speakers of its own: `worded` for one that needs their words. */
  readonly recordings?: 'bare' | 'worded';
}

const PAIR = { encoder: 'encoder', decoder: 'decoder' };

const PARTED_VOICES: readonly PartedVoice[] = [
  {
    kind: 'supertonic',
    isOf: (has) => has('duration_predictor'),
    models: {
      durationPredictor: 'duration_predictor',
      textEncoder: 'text_encoder',
      vectorEstimator: 'vector_estimator',
      vocoder: 'vocoder',
    },
    others: { ttsJson: 'tts.json', unicodeIndexer: 'unicode_indexer.bin', voiceStyle: 'voice.bin' },
    languages:
      'en ko ja ar bg cs da de el es et fi fr hi hr hu id it lt lv nl pl pt ro ru sk sl sv tr uk vi',
  },
  {
    kind: 'pocket',
    isOf: (has) => has('lm_flow') ?? has('lm_main'),
    models: { lmFlow: 'lm_flow', lmMain: 'lm_main', ...PAIR, textConditioner: 'text_conditioner' },
    others: { vocabJson: 'vocab.json', tokenScoresJson: 'token_scores.json' },
    languages: 'en',
    recordings: 'bare',
  },
  {
    kind: 'zipvoice',
    isOf: (has, files) => files.includes(ESPEAK_DATA) && has('encoder'),
    models: { ...PAIR, vocoder: 'vocos' },
    others: { tokens: 'tokens.txt', lexicon: 'lexicon.txt', dataDir: ESPEAK_DATA },
    languages: 'zh en',
    recordings: 'worded',
  },
];

/** Most styles that a file is believed to have. */
const MOST_STYLES = 1_000;

/** The number of styles in a file of Supertonic's, which begins with the dimensions as 64-bit numbers. */
const countStyles = async (folder: string, name: string): Promise<number> => {
  await using file = await open(join(folder, name));
  const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
  const count = Number(buffer.readBigInt64LE());
  if (bytesRead < buffer.length || count < 1 || count > MOST_STYLES)
    throw unusable(folder, `${name} is cut off, or of another voice`);
  return count;
};

/** Names of Supertonic's speakers, whose styles are sorted by name: the women come first. */
const styleNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) =>
    at < count / 2 ? `F${at + 1}-f` : `M${at + 1 - count / 2}-m`,
  );

const textBeside = async (wav: string): Promise<string | undefined> => {
  const text = await readFile(wav.replace(/\.wav$/, '.txt'), 'utf8').catch(() => '');
  return text.trim() || undefined;
};

/** The recordings in a folder, and those that the model was published with. */
const findRecordings = async (
  folder: string,
  files: readonly string[],
  needsText: boolean,
): Promise<readonly Recording[]> => {
  const samples = files.includes(SAMPLES) ? await listFiles(join(folder, SAMPLES)) : [];
  const found: Recording[] = [];
  for (const name of [...files, ...samples.map((file) => join(SAMPLES, file))]) {
    const file = join(folder, name);
    const text = needsText && name.endsWith('.wav') ? await textBeside(file) : undefined;
    if (name.endsWith('.wav') && (text !== undefined || !needsText))
      found.push({ file, ...(text === undefined ? {} : { text }) });
  }
  if (found.length > 0) return found;
  throw unusable(
    folder,
    `it speaks as a recording does: put NAME.wav${needsText ? ' and NAME.txt with its words' : ''} into the folder, five to ten seconds of somebody who agrees`,
  );
};

/**
 * Detects a voice of several models; undefined for a folder with another kind of model. Throws
 * `AppError` (`config`) for one that is incomplete.
 */
export const findPartedVoice = async (folder: string, files: readonly string[]) => {
  const pick = (name: string): string | undefined => pickOnnx(files, named(name));
  const found = PARTED_VOICES.find(({ isOf }) => isOf(pick, files));
  if (!found) return undefined;
  const { kind, recordings } = found;
  const models = pickParts(folder, kind, found.models, pick);
  for (const path of Object.values(models)) await onnxMetadataOf(folder, basename(path));
  for (const other of Object.values(found.others)) await sizeOf(folder, other);
  const others = Object.entries(found.others).map(([key, name]) => [key, join(folder, name)]);
  const config: Readonly<Record<string, string>> = { ...models, ...Object.fromEntries(others) };
  const styles = found.others['voiceStyle'];
  const speakers = styles === undefined ? undefined : styleNames(await countStyles(folder, styles));
  const heard = recordings && (await findRecordings(folder, files, recordings === 'worded'));
  const names = speakers ?? heard?.map(({ file }) => basename(file, '.wav')) ?? [];
  return {
    kind,
    config: { [kind]: config },
    languages: found.languages.split(' '),
    metadata: new Map([
      [
        'language',
        found.languages
          .split(' ')
          .map((code) => languageName(code, 'en'))
          .join(', '),
      ],
      ['n_speakers', String(names.length)],
      ['speaker_names', names.join(',')],
    ]),
    ...(heard ? { recordings: heard } : {}),
  };
};
