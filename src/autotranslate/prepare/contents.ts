import { recover, toAppError } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { Message } from '../../model/message.ts';
import { channelKey, type Channel } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { Row } from '../../store/inbox/row.ts';
import type { FlagPressers } from '../flags/pressers.ts';
import { textFor, type WatchedPlatforms } from '../watched-platforms.ts';
import type { AuthorNames } from './author-names.ts';
import {
  composeAsAuthor,
  composeBelow,
  composeFlagReply,
  composeReply,
  isWorthShowing,
  lackOf,
  type CompactLine,
  type MirrorWording,
} from './compose.ts';
import { composeCompact } from './compose-compact.ts';
import {
  asReply,
  modelNames,
  reasonOf,
  skipped,
  withMirrors,
  type Place,
  type Prepared,
  type WantedMirror,
} from './prepared.ts';
import type { Receivers } from './receivers.ts';
import type { Translated } from './translate.ts';

export interface ContentsDeps {
  readonly services: { readonly languages: MirrorWording['languages'] };
  readonly platforms: Pick<WatchedPlatforms, 'of' | 'find'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly pressers: Pick<FlagPressers, 'tell'>;
  readonly names: Pick<AuthorNames, 'shownIn'>;
}

/** Creates the functions that make the contents of mirrors from what was translated. */
export const createContents = (deps: ContentsDeps) => {
  const { platforms } = deps;

  /** The words for readers of a channel, with commands named as they type them. */
  const wordingOf = (channel: Channel): MirrorWording => ({
    languages: deps.services.languages,
    texts: { rich: (language) => deps.texts.rich(language, platforms.of(channel).naming) },
  });

  return {
    /**
     * The reply to a flag: the translation, or the reason why there is none. That the message is in its language is told to
     * the one who pressed it, alone.
     */
    asFlagReply: (row: Row, message: Message, translated: Translated): Prepared => {
      const lack = lackOf(message, translated);
      const wording = wordingOf(message.ref.channel);
      if (lack?.key === 'translate.same-language' && !translated.fault) {
        void deps.pressers.tell(row, message, lack);
        return skipped(row, 'same-language');
      }
      const content = composeFlagReply(translated, lack, wording);
      const reply = asReply(row, message, translated, content, wording.texts);
      return lack && !translated.fault ? { ...reply, skip: reasonOf(message, translated) } : reply;
    },

    /**
     * Mirrors under the author's name: in the other channels of a group, or in the threads of a
     * channel.
     */
    asAuthor: async (
      row: Row,
      message: Message,
      translated: Translated,
      watch: ChannelWatch,
      { open, late }: Receivers,
    ): Promise<Prepared> => {
      // A thread that cannot be begun now keeps the message from no other channel.
      const mayWait = watch.group !== undefined && row.to === undefined;
      const tried: string[] = [];
      const mirrorIn = async ({
        language,
        channel: place,
        target,
      }: Place): Promise<WantedMirror | undefined> => {
        const rendition = translated.renditions.find((one) => one.language === language);
        const isShown =
          watch.mode !== 'thread' ||
          translated.unheard.length > 0 ||
          (rendition && isWorthShowing(rendition));
        if (!rendition || !isShown) return undefined;
        const to = await recover(
          target(),
          (thrown) => mayWait && toAppError(thrown).code !== 'cancelled',
        );
        if (!to) {
          tried.push(channelKey(place));
          return undefined;
        }
        const { text: written } = rendition;
        const text =
          written && (await textFor(written, message.ref.channel, to.channel, platforms));
        const author = await deps.names.shownIn(to.channel, message, watch);
        return {
          target: to,
          models: modelNames([rendition]),
          isFailed: rendition.outcome === 'failed',
          compose: (attachments) =>
            composeAsAuthor(
              { ...message, author },
              { ...rendition, text },
              translated,
              wordingOf(to.channel),
              attachments,
            ),
        };
      };
      const making = open.map(mirrorIn);
      // A fault is met once nothing is under way any more.
      await Promise.allSettled(making);
      const mirrors = (await Promise.all(making)).filter((one) => one !== undefined);
      return { ...withMirrors(row, message, translated, mirrors, [...late, ...tried]), tried };
    },

    /** The reply under a message in the mode of its watch. */
    inPlace: (
      row: Row,
      message: Message,
      translated: Translated,
      watch: ChannelWatch,
    ): Prepared => {
      const wording = wordingOf(message.ref.channel);
      const content = watch.below
        ? composeBelow(message, translated, wording)
        : watch.mode === 'compact'
          ? composeCompact(message, translated, wording)
          : composeReply(translated, wording);
      return asReply(row, message, translated, content, wording.texts);
    },

    /** The line of a message in a compact reply; undefined where there is nothing to show. */
    line: (message: Message, translated: Translated): CompactLine | undefined =>
      composeCompact(message, translated, wordingOf(message.ref.channel))?.line,
  };
};
