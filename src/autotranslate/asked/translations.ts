import { MINUTE_MS, realClock, type Clock } from '../../async/clock.ts';
import { createLru } from '../../async/lru.ts';
import type { Message } from '../../model/message.ts';
import { keyOf as spaceKeyOf, messageKey, type Space } from '../../model/place.ts';
import type { Translation } from '../../translation/translator.ts';

/** UTF-16 units of everything that is kept. */
const MOST_CHARS = 500_000;
/** Spaces whose translations were forgotten lately, as those that are under way have to know. */
const MOST_FORGOTTEN = 1_000;
/** An answer that one person alone sees can be pressed for 15 minutes on Discord. */
export const LIFE_MS = 15 * MINUTE_MS;

type Read = Pick<Message, 'ref' | 'text'>;

/** Translations of messages that somebody read a while ago: whoever reads them again asks no service. */
export interface ReadTranslations {
  /** The translation of a message as it is now; undefined where there is none. */
  of(message: Read, to: string): Translation | undefined;
  /** Begins to translate; returns what keeps the translations, unless those of their space were forgotten meanwhile. */
  begin(): (message: Read, to: string, translation: Translation) => void;
  /** Forgets those of a space's messages. Default: all */
  readonly forget: (space?: Space) => void;
}

const keyOf = ({ ref, text }: Read, to: string): string =>
  JSON.stringify([messageKey(ref), to, text]);

/** @param now ms since 1970 */
export const createReadTranslations = (
  now: () => number,
  after: Clock['after'] = realClock.after,
): ReadTranslations => {
  const kept = createLru<
    string,
    {
      readonly translation: Translation;
      readonly space: string;
      readonly chars: number;
      readonly untilMs: number;
    }
  >(MOST_CHARS, ({ chars }) => chars);
  let times = 0;
  const forgotten = createLru<string, number>(MOST_FORGOTTEN);
  let allForgotten = 0;
  let isSweeping = false;

  /** Drops what is over, for as long as anything is kept. */
  const sweep = (): void => {
    isSweeping = false;
    for (const [key, { untilMs }] of kept) {
      if (now() < untilMs) isSweeping = true;
      else kept.delete(key);
    }
    if (isSweeping) after(LIFE_MS, sweep);
  };

  return {
    of: (message, to) => {
      const found = kept.get(keyOf(message, to));
      return found && now() < found.untilMs ? found.translation : undefined;
    },
    begin: () => {
      const begun = times;
      return (message, to, translation) => {
        const space = spaceKeyOf(message.ref.channel.space);
        if (begun < Math.max(allForgotten, forgotten.get(space) ?? 0)) return;
        const key = keyOf(message, to);
        const chars = key.length + JSON.stringify(translation.text).length;
        kept.set(key, { translation, space, chars, untilMs: now() + LIFE_MS });
        if (!isSweeping) sweep();
      };
    },
    forget: (of) => {
      times += 1;
      const gone = of && spaceKeyOf(of);
      if (gone === undefined) allForgotten = times;
      else forgotten.set(gone, times);
      for (const [key, { space }] of kept) if (space === (gone ?? space)) kept.delete(key);
    },
  };
};
