import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import type { Upstream } from '../back-end/http.ts';
import { findListed } from '../back-end/language-codes.ts';
import { createTranslationServer, type Pair } from '../back-end/translation-server.ts';
import type { CreateEngine } from '../engine.ts';
import type { Formality } from '../../src/model/rules.ts';
import { languageOf } from '../../src/text/language/language-names.ts';
import { findRanges, type WordRun } from '../translation/markup.ts';
import { htmlToRuns, runsToHtml } from '../translation/run-tags.ts';

/** Limits of the API: 50 texts and 128 KiB in a request. */
const MOST_TEXTS = 50;
const LONGEST_PIECE_CHARACTERS = 5_000;

const LANGUAGES = ['languages', z.array(z.object({ language: z.string() })).min(1)] as const;
const USAGE = [
  'the usage of an account',
  z.object({ character_count: z.int(), character_limit: z.int() }),
] as const;
const GLOSSARIES = [
  'glossaries',
  z.object({
    glossaries: z.array(
      z.object({
        glossary_id: z.string(),
        name: z.string(),
        dictionaries: z.array(z.object({ source_lang: z.string(), target_lang: z.string() })),
      }),
    ),
  }),
] as const;
const TRANSLATIONS = [
  'translations',
  z.object({ translations: z.array(z.object({ text: z.string() })) }),
] as const;

type Glossary = z.infer<(typeof GLOSSARIES)[1]>['glossaries'][number];

interface Told {
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  /** The glossary that is to be used; undefined where the account has none of that name. */
  readonly glossary: Glossary | undefined;
  readonly usage: z.infer<(typeof USAGE)[1]>;
}

/** Keys of the free plan end so, and are for a host of their own. */
const urlOf = (key: string): string =>
  key.endsWith(':fx') ? 'https://api-free.deepl.com' : 'https://api.deepl.com';

const findGlossary = async (
  upstream: Upstream,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<Glossary | undefined> => {
  if (wanted === undefined) return undefined;
  const { glossaries } = await upstream.ask(GLOSSARIES, '/v3/glossaries', undefined, signal);
  return glossaries.find(({ glossary_id: id, name }) => id === wanted || name === wanted);
};

/** True where a glossary has terms for a pair; these are of languages, whatever their regions. */
const covers = ({ dictionaries }: Glossary, { source, target }: Pair): boolean =>
  dictionaries.some(
    (each) =>
      languageOf(each.source_lang.toLowerCase()) === languageOf(source.toLowerCase()) &&
      languageOf(each.target_lang.toLowerCase()) === languageOf(target.toLowerCase()),
  );

/** Asks for a form of address where the target language has both: others are translated all the same. */
const formalityOf = (wanted: Formality | 'prefer_more' | 'prefer_less' | undefined) => {
  if (wanted === undefined) return {};
  if (wanted === 'formal') return { formality: 'prefer_more' };
  return { formality: wanted === 'informal' ? 'prefer_less' : wanted };
};

/** Creates the engine for DeepL, which finds the words of a translation by tags of XML around those of the source. */
export const createEngine: CreateEngine = ({ config, log }) => {
  const {
    SERVICE_DEEPL_KEY: key,
    SERVICE_DEEPL_FORMALITY: formality,
    SERVICE_DEEPL_GLOSSARY: named,
  } = config;
  const keyVariable = 'SERVICE_DEEPL_KEY';

  return createTranslationServer<Told>(
    {
      name: 'deepl',
      rank: 2.4,
      variable: keyVariable,
      backEnd:
        key === undefined
          ? undefined
          : {
              url: config.SERVICE_DEEPL_URL ?? urlOf(key),
              key,
              keyVariable,
              scheme: 'DeepL-Auth-Key',
            },
      freshMs: 10 * 60_000,
      tell: async (upstream, signal) => {
        const listed = (type: string) =>
          upstream.ask(LANGUAGES, `/v2/languages?type=${type}`, undefined, signal);
        const [sources, targets, usage, glossary] = await Promise.all([
          listed('source'),
          listed('target'),
          upstream.ask(USAGE, '/v2/usage', undefined, signal),
          findGlossary(upstream, named, signal),
        ]);
        const codesOf = (all: typeof sources) => all.map(({ language }) => language);
        return { sources: codesOf(sources), targets: codesOf(targets), usage, glossary };
      },
      describe: ({ targets, glossary, usage }) =>
        [
          `${targets.length} languages`,
          `${usage.character_count} of ${usage.character_limit} characters used`,
          ...(named === undefined || glossary ? [] : [`no glossary is named ${named}`]),
        ].join('; '),
      pairOf: ({ sources, targets }, from, to) => {
        // Of a source, only its language counts; as targets, some are listed only by their regions.
        const sourceOf = (code: string) => findListed(sources, languageOf(code));
        const source = sourceOf(from);
        const target = findListed(targets, to);
        if (source === undefined || target === undefined || sourceOf(to) === source)
          return undefined;
        return { source, target };
      },
      longest: () => LONGEST_PIECE_CHARACTERS,
      most: () => MOST_TEXTS,
      send: async (upstream, text, { source, target, request, told: { glossary } }, signal) => {
        const body = {
          text,
          source_lang: source,
          target_lang: target,
          tag_handling: 'xml',
          // The tags are all of words within a sentence.
          outline_detection: false,
          ignore_tags: ['var'],
          ...(request.context === '' ? {} : { context: request.context }),
          ...formalityOf(request.formality ?? formality),
          ...(glossary && covers(glossary, { source, target })
            ? { glossary_id: glossary.glossary_id }
            : {}),
        };
        const { translations } = await upstream.ask(TRANSLATIONS, '/v2/translate', body, signal);
        if (translations.length === text.length) return translations.map((each) => each.text);
        throw new AppError('bad-reply', 'The backend answered with another number of texts.');
      },
      translator: (translate) => {
        const runs = async (given: readonly WordRun[]): Promise<readonly WordRun[]> =>
          htmlToRuns(await translate(runsToHtml(given)));
        const wordsOf = async (text: string): Promise<string> =>
          findRanges(await runs([{ text, parts: [] }])).text;
        return { runs, words: (texts) => Promise.all(texts.map(wordsOf)) };
      },
    },
    { log },
  );
};
