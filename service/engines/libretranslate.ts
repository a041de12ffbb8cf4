import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { findListed } from '../back-end/language-codes.ts';
import { createTranslationServer, type TranslationServer } from '../back-end/translation-server.ts';
import type { CreateEngine } from '../engine.ts';
import { BackendError } from '../errors.ts';

/** Longest text of a piece, and most pieces of a request; servers may allow less. */
const LONGEST_PIECE_CHARACTERS = 2_000;
const MOST_PIECES = 20;

const LANGUAGES = [
  'languages',
  z.array(z.object({ code: z.string(), targets: z.array(z.string()).optional() })).min(1),
] as const;
/** A limit of -1 is none. */
const SETTINGS = ['settings', z.object({ charLimit: z.int().positive() })] as const;
const TRANSLATIONS = ['translations', z.object({ translatedText: z.array(z.string()) })] as const;

interface Told {
  /** Codes of targets by those of sources. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  readonly longest: number;
}

/**
 * Creates the engine for a LibreTranslate server. It gets plain text: of HTML, the server translates what
 * stands between tags without the words around it.
 */
export const createEngine: CreateEngine = ({ config, log }) => {
  const { SERVICE_LIBRETRANSLATE_URL: url, SERVICE_LIBRETRANSLATE_KEY: key } = config;
  /** False once the server has refused several texts in a request, and taken each of them. */
  let takesMany = true;

  const send: TranslationServer<Told>['send'] = async (upstream, q, asked, signal) => {
    const { source, target } = asked;
    const body = {
      q,
      source,
      target,
      format: 'text',
      ...(key === undefined ? {} : { api_key: key }),
    };
    try {
      const { translatedText } = await upstream.ask(TRANSLATIONS, '/translate', body, signal);
      if (translatedText.length === q.length) return translatedText;
    } catch (error) {
      if (q.length === 1 || !(error instanceof BackendError) || error.status !== 400) throw error;
      const each: string[] = [];
      for (const one of q) each.push(...(await send(upstream, [one], asked, signal)));
      takesMany = false;
      return each;
    }
    throw new AppError('bad-reply', 'The backend answered with another number of texts.');
  };

  return createTranslationServer<Told>(
    {
      name: 'libretranslate',
      rank: 2.5,
      variable: 'SERVICE_LIBRETRANSLATE_URL',
      backEnd:
        url === undefined
          ? undefined
          : { url, key, keyVariable: 'SERVICE_LIBRETRANSLATE_KEY', scheme: null },
      freshMs: 60_000,
      tell: async (upstream, signal) => {
        const [listed, settings] = await Promise.all([
          upstream.ask(LANGUAGES, '/languages', undefined, signal),
          upstream.ask(SETTINGS, '/frontend/settings', undefined, signal).catch(() => undefined),
        ]);
        const codes = listed.map(({ code }) => code);
        return {
          targets: new Map(listed.map(({ code, targets = codes }) => [code, targets])),
          longest: Math.min(LONGEST_PIECE_CHARACTERS, settings?.charLimit ?? Infinity),
        };
      },
      describe: ({ targets }) => `${targets.size} languages`,
      pairOf: ({ targets }, from, to) => {
        const source = findListed([...targets.keys()], from);
        const target = findListed(targets.get(source ?? '') ?? [], to);
        return source === undefined || target === undefined ? undefined : { source, target };
      },
      longest: ({ longest }) => longest,
      most: () => (takesMany ? MOST_PIECES : 1),
      send,
      translator: (translate) => ({ words: (texts) => Promise.all(texts.map(translate)) }),
    },
    { log },
  );
};
