import { createLru, type Lru } from '../async/lru.ts';
import {
  type Channel,
  type Person,
  channelKey,
  isSamePerson,
  keyOf,
  messageKey,
  type Space,
} from '../model/place.ts';
import {
  confidentLanguage,
  rankLanguages,
  type Detection,
  priorOf,
} from '../text/language/detect.ts';
import type { ChatLine, Writer } from '../text/language/languages.ts';

/** Lines that are remembered of each author in a space, and of each channel. */
export const REMEMBERED_LINES = 10;
const MOST_AUTHORS = 10_000;
const MOST_CHANNELS = 5_000;
/** Least confidence with which a language is remembered. */
const SURE = 0.7;
/** Lines for which the language counts that somebody has chosen for themselves. */
const CHOSEN_LINES = 5;
/** Lines whose ranking is kept, as each is asked for once for every language of its readers. */
const MOST_RANKED = 200;

/** A line of which only its key, author and language are kept. */
interface Remembered {
  readonly key: string;
  readonly author: Person;
  readonly space: Space;
  readonly language: string;
}

type History = Lru<string, readonly Remembered[]>;

export type LanguageHistory = ReturnType<typeof createLanguageHistory>;

const languagesOf = (lines: readonly Remembered[]): readonly string[] =>
  lines.map(({ language }) => language);

const authorKeyOf = ({ space }: Channel, author: Person): string =>
  JSON.stringify([space.platform, space.id, author.id]);

/**
 * Creates the detection of languages that knows in which languages the author of a line, and the
 * others of its channel, wrote lately. It is kept in memory only.
 */
export const createLanguageHistory = () => {
  const authors: History = createLru(MOST_AUTHORS);
  const channels: History = createLru(MOST_CHANNELS);
  const rankings = createLru<
    string,
    { text: string; author: Person; space: Space; ranked: readonly Detection[] }
  >(MOST_RANKED);

  const rankLine = (text: string, { ref, author }: ChatLine): readonly Detection[] => {
    const key = messageKey(ref);
    const known = rankings.get(key);
    if (known?.text === text) return known.ranked;
    const { space } = ref.channel;
    const authorKey = authorKeyOf(ref.channel, author);
    const before = (lines: History, of: string): readonly Remembered[] =>
      lines.get(of)?.filter((line) => line.key !== key) ?? [];
    const own = before(authors, authorKey);
    const place = before(channels, channelKey(ref.channel));

    const prior = priorOf({ own: languagesOf(own), place: languagesOf(place) });
    const ranked = rankLanguages(text, prior);
    rankings.set(key, { text, author, space, ranked });
    const [best] = ranked;
    if (best && best.confidence >= SURE) {
      const line = { key, author, space, language: best.language };
      authors.set(authorKey, [...own, line].slice(-REMEMBERED_LINES));
      channels.set(channelKey(ref.channel), [...place, line].slice(-REMEMBERED_LINES));
    }
    return ranked;
  };

  const rankOf = (text: string, { author, channel, chosen }: Writer): readonly Detection[] => {
    const wrote = languagesOf(authors.get(authorKeyOf(channel, author)) ?? []);
    const own =
      chosen === undefined ? wrote : [...wrote, ...Array<string>(CHOSEN_LINES).fill(chosen)];
    const place = languagesOf(channels.get(channelKey(channel)) ?? []);
    return rankLanguages(text, priorOf({ own, place }));
  };

  const rank = (text: string, line?: ChatLine): readonly Detection[] =>
    line ? rankLine(text, line) : rankLanguages(text);

  return {
    rank,
    detect: (text: string, by?: ChatLine | Writer): Detection | undefined =>
      confidentLanguage(by && 'channel' in by ? rankOf(text, by) : rank(text, by)),
    forget: (person: Person): void => {
      for (const history of [authors, channels])
        for (const [key, lines] of history) {
          const others = lines.filter(({ author }) => !isSamePerson(author, person));
          if (others.length === 0) history.delete(key);
          else if (others.length < lines.length) history.set(key, others);
        }
      for (const [key, { author }] of rankings)
        if (isSamePerson(author, person)) rankings.delete(key);
    },
    forgetAll: (): void => {
      for (const memory of [authors, channels, rankings]) memory.clear();
    },
    forgetSpace: (gone: Space): void => {
      const isIn = ({ space }: { readonly space: Space }): boolean => keyOf(space) === keyOf(gone);
      for (const history of [authors, channels])
        for (const [key, lines] of history) if (lines.some(isIn)) history.delete(key);
      for (const [key, line] of rankings) if (isIn(line)) rankings.delete(key);
    },
  };
};
