import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isLocale } from '../../../src/text/language/language-names.ts';

/** A program of a pipeline with its arguments. */
type Stage = readonly [program: string, ...args: string[]];

export interface Mode {
  readonly name: string;
  readonly stages: readonly Stage[];
}

/** Programs that can flush at a NUL (`-z`), so that one process serves many texts. */
const FLUSHING = new Set(
  `
  apertium-anaphora apertium-extract-caps apertium-interchunk apertium-postchunk
  apertium-posttransfer apertium-pretransfer apertium-restore-caps apertium-tagger
  apertium-transfer apertium-wblank-attach apertium-wblank-detach cg-proc hfst-proc lrx-proc
  lsx-proc lt-proc rtx-proc
`
    .trim()
    .split(/\s+/),
);

/** Values of a mode's `$1` and `$2`: no marks at unknown words, no tagger option. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = { $1: ['-n'], $2: [] };

/** The variable of the stage that makes words of their forms. */
const GENERATION = '$1';

const WORD =
  /\s*(?:(\|)|((?:'[^']*'|"[^"$`\\]*"|[^\s|'"$`\\;&<>(){}*?~#!])+)|(\$[12])(?=\s|\||$))/y;

/** Adds the programs that bind blanks to words after the analysis, and part them before the generation. */
const withWordBlanks = (stages: readonly Stage[], generator: number): readonly Stage[] => {
  const [analysis] = stages;
  if (!analysis || generator < 1) return stages;
  const stageOf = (program: string): Stage => [join(dirname(analysis[0]), program), '-z'];
  return [
    analysis,
    stageOf('apertium-wblank-attach'),
    ...stages.slice(1, generator),
    stageOf('apertium-wblank-detach'),
    ...stages.slice(generator),
  ];
};

/**
 * Parses the stages of a `.mode` file, which is one shell pipeline of quoted words. Undefined for a
 * file that needs other shell features, or a program that cannot be kept alive.
 */
export const parseMode = (text: string): readonly Stage[] | undefined => {
  const source = text.trim();
  const words: string[][] = [[]];
  let generator = -1;
  const matcher = new RegExp(WORD);
  while (matcher.lastIndex < source.length) {
    const found = matcher.exec(source);
    if (!found) return undefined;
    const [, pipe, word, variable] = found;
    if (pipe) words.push([]);
    else if (word) words.at(-1)?.push(word.replace(/['"]/g, ''));
    else if (variable) words.at(-1)?.push(...(VARIABLES[variable] ?? []));
    if (variable === GENERATION) generator = words.length - 1;
  }
  const stages: Stage[] = [];
  for (const [program, ...args] of words) {
    if (!program || !FLUSHING.has(program.split('/').at(-1) ?? '')) return undefined;
    stages.push([program, ...(args.includes('-z') ? [] : ['-z']), ...args]);
  }
  return withWordBlanks(stages, generator);
};

/** BCP 47 codes of the modes whose name has another code. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  hbs: ['sh', 'sr', 'hr', 'bs'],
  nob: ['nb', 'no'],
  zlm: ['ms'],
};

export const languagesOfCode = (code: string): readonly string[] => {
  const tag = code.replace('_', '-');
  return ALSO[code] ?? (isLocale(tag) ? Intl.getCanonicalLocales(tag) : []);
};

const FILE = /^([a-z]{2,3}(?:_[A-Za-z]+)?)-([a-z]{2,3}(?:_[A-Za-z]+)?)\.mode$/;

export const pairKey = (from: string, to: string): string => `${from}>${to}`;

/** Reads the installed modes, keyed by `pairKey`. Empty when the folder does not exist. */
export const readModes = async (folder: string): Promise<ReadonlyMap<string, Mode>> => {
  const modes = new Map<string, Mode>();
  const files = await readdir(folder).catch(() => []);
  for (const file of files.toSorted((a, b) => a.localeCompare(b, 'en'))) {
    const [, from, to] = FILE.exec(file) ?? [];
    if (!from || !to) continue;
    const stages = parseMode(await readFile(join(folder, file), 'utf8').catch(() => ''));
    if (!stages) continue;
    for (const source of languagesOfCode(from))
      for (const target of languagesOfCode(to))
        modes.set(pairKey(source, target), { name: `${from}-${to}`, stages });
  }
  return modes;
};

const widen = (code: string): readonly string[] => {
  const [exact = code] = languagesOfCode(code);
  return [exact, exact.split('-')[0] ?? exact];
};

/** Finds the mode of a pair: for `en-US` its own, otherwise that of `en`. */
export const findMode = (
  modes: ReadonlyMap<string, Mode>,
  from: string,
  to: string,
): Mode | undefined => {
  for (const target of widen(to))
    for (const source of widen(from)) {
      const mode = modes.get(pairKey(source, target));
      if (mode) return mode;
    }
  return undefined;
};
