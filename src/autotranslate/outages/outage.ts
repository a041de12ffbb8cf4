import { resultOf } from '../../async/abort.ts';
import type { ServiceClient } from '../../api/client.ts';
import type { ServiceKey } from '../../api/keys.ts';
import { createLru } from '../../async/lru.ts';
import { type AppError, type ErrorCode, reasonSentence, toAppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { plainWords } from '../../rich-text/compose.ts';
import { NO_SPACE } from '../../model/service.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { Outage } from '../../store/inbox/backlog.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import type { Translator } from '../../translation/translator.ts';
import { createBreaker, type Breaker } from './breaker.ts';

const PROBE_MS = 30_000;

/** Name of the key of a space, which may be unreadable. */
const idOf = (key: ServiceKey | undefined, space: Space): string =>
  key?.id ?? `unreadable ${keyOf(space)}`;

const breakerId = (keyId: string, language: string): string => `${keyId} ${language}`;

/** Keys and languages whose breakers are kept. */
const MOST_BREAKERS = 2_000;

export interface OutagesDeps {
  readonly serviceKeyOf: ServiceClient['serviceKeyOf'];
  readonly translator: Translator;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Monotonic time. */
  readonly nowMs: () => number;
  /** Called when an outage has ended. */
  readonly ended: () => void;
}

/** Words of probes, by their language. A service that translates none of them serves nobody. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['en', 'Hello'],
  ['es', 'Hola'],
  ['de', 'Guten Tag'],
  ['fr', 'Bonjour'],
]);

/** Error codes of refusals that may be about the words or their language alone. */
const MAY_BE_OF_WORDS: ReadonlySet<ErrorCode> = new Set(['missing', 'bad-input', 'bad-reply']);

/** True where the service has no engine for a pair of languages, as it may never have had. */
const isMissingPair = ({ sentence }: AppError): boolean =>
  sentence.key === 'service.no-translation';

export type Outages = ReturnType<typeof createOutages>;

/**
 * Creates a breaker for each key of the service, which may be refused what others are not, and
 * for each target language, because a service may have an engine of its own for each. A probe is one
 * word; where it is refused, it is one in another language.
 */
export const createOutages = ({ serviceKeyOf, translator, log, nowMs, ended }: OutagesDeps) => {
  const breakers = createLru<string, Breaker>(MOST_BREAKERS);

  /** Rejects with the first refusal where nothing can be translated into a language. */
  const probe = async (
    to: string,
    space: Space,
    key: ServiceKey,
    source: string | undefined,
  ): Promise<void> => {
    const place = key.isOwn ? space : NO_SPACE;
    const asked = { to, place, key, lane: 'ambient', whole: true } as const;
    let refusal: AppError | undefined;
    for (const from of new Set([...(source ? [source] : []), ...WORDS.keys()])) {
      if (sameLanguage(from, to)) continue;
      const text = plainWords(WORDS.get(from) ?? 'Hello');
      const words = translator.translate({ ...asked, text, from }, AbortSignal.timeout(PROBE_MS));
      try {
        await resultOf(words);
        return;
      } catch (thrown) {
        const error = toAppError(thrown);
        if (!MAY_BE_OF_WORDS.has(error.code)) throw error;
        refusal ??= error;
      }
    }
    // Nobody knows then if others of its languages can be translated.
    if (refusal && (source !== undefined || !isMissingPair(refusal))) throw refusal;
  };

  const logChange = (
    about: { readonly language: string; readonly space?: Space },
    reason: AppError | undefined,
  ): void => {
    if (reason) log.warn({ ...about, code: reason.code, err: reason }, 'translation is paused');
    else log.info(about, 'translation goes on');
  };

  /** The key of a space; undefined where it cannot be read. */
  const readKey = async (space: Space): Promise<ServiceKey | undefined> =>
    serviceKeyOf(space).catch(() => undefined);

  return {
    /** The breaker for a space's translations into a language. */
    of: async (to: string, space: Space): Promise<Breaker> => {
      const key = await readKey(space);
      const id = breakerId(idOf(key, space), to);
      const about = { language: to, ...(key?.isOwn === false ? {} : { space }) };
      const breaker =
        breakers.get(id) ??
        createBreaker({
          // A key that cannot be read stays so until another takes its place.
          probe: (source) => (key ? probe(to, space, key, source) : serviceKeyOf(space)),
          nowMs,
          changed: (reason) => {
            logChange(about, reason);
            if (!reason) ended();
          },
        });
      breakers.set(id, breaker);
      return breaker;
    },
    /** The outages of a space among these languages, as one; undefined where there is none. */
    among: async (languages: Iterable<string>, space: Space): Promise<Outage | undefined> => {
      const keyId = idOf(await readKey(space), space);
      const found = [...new Set(languages)].flatMap((language) => {
        const error = breakers.get(breakerId(keyId, language))?.outage();
        return error ? [{ language, error }] : [];
      });
      const [first] = found;
      return (
        first && {
          languages: found.map(({ language }) => language),
          reason: reasonSentence(first.error),
        }
      );
    },
    /** Probes the outages of a space's key at once; resolves when that has shown which are over. */
    tryAgain: async (space: Space): Promise<void> => {
      const prefix = breakerId(idOf(await readKey(space), space), '');
      const its = [...breakers].filter(([id]) => id.startsWith(prefix));
      await Promise.all(its.map(([, breaker]) => breaker.tryAgain()));
    },
  };
};
