import { isDeepStrictEqual } from 'node:util';
import { readFlagged } from '../flags.ts';
import { textFor, type WatchedPlatforms } from '../watched-platforms.ts';
import { claimsAudio, refusal, skipReason, type SkipReason } from '../policy.ts';
import {
  belowOf,
  composeAsAuthor,
  composeBelow,
  composeFlagReply,
  composeReply,
  isWorthShowing,
  lackOf,
  replyLabel,
  threadName,
} from './compose.ts';
import type { TranslationContext } from './context.ts';
import {
  asReply,
  reasonOf,
  skipped,
  withMirrors,
  type Prepared,
  type WantedMirror,
} from './prepared.ts';
import { createMessageTranslator, untranslated, type Translated } from './translate.ts';
import type { Outages } from '../outage.ts';
import { createProgress, type Progress, type ProgressDeps } from './progress.ts';
import type { Services } from '../../command/services.ts';
import { AppError } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { Message } from '../../model/message.ts';
import { plainText } from '../../rich-text/walk.ts';
import type { ChannelWatch } from '../../model/watch.ts';
import type { Tenure } from '../../ports/leases.ts';
import { flaggedLanguage, fromStored, type Row } from '../../store/inbox/row.ts';
import { charactersOf, limitForOthers } from '../../usage/limits.ts';
import { isSameChannel, type Channel } from '../../model/place.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import { isSameTarget } from '../../store/channels/mirrors.ts';
import type { StandingThreads } from '../../store/channels/standing-threads.ts';
import type { WatchStore } from '../../store/channels/watches.ts';

export interface PrepareDeps extends Omit<ProgressDeps, 'mirrors'> {
  readonly services: Pick<
    Services,
    'translator' | 'transcriber' | 'languages' | 'spaces' | 'limits' | 'privacy'
  >;
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'refresh'>;
  readonly threads: Pick<StandingThreads, 'of' | 'put'>;
  readonly platforms: WatchedPlatforms;
  readonly texts: Pick<Texts, 'rich'>;
  readonly context: Pick<TranslationContext, 'next' | 'forget'>;
  readonly outages: Pick<Outages, 'of'>;
}

/** Creates the functions that prepare rows: which mirrors should exist, and where. */
export const createPrepare = (deps: PrepareDeps) => {
  const { services, watches, context, platforms, threads } = deps;
  const { languages, limits, privacy, spaces } = services;
  const { translate, forget, forgetAll, forgetSpace } = createMessageTranslator(
    services,
    deps.outages,
  );

  /** The sentences for readers of a channel, with commands named as they type them. */
  const textsOf = (channel: Channel): Pick<Texts, 'rich'> => ({
    rich: (language) => deps.texts.rich(language, platforms.of(channel).naming),
  });

  const standingThread = async (
    channel: Channel,
    language: string,
    tenure: Tenure,
  ): Promise<MirrorTarget> => {
    const known = await threads.of(channel, language);
    const name = threadName(language, languages);
    const assertHeld = (): void => tenure.assertHeld();
    assertHeld();
    const { mirrors } = platforms.of(channel);
    const target = await mirrors.thread(channel, name, { known, assertHeld });
    if (!known || !isSameTarget(known, target)) await threads.put(channel, language, target);
    return target;
  };

  const placesOf = (
    watch: ChannelWatch,
    tenure: Tenure,
  ): readonly { language: string; target: () => Promise<MirrorTarget> }[] => {
    const { channel, mode } = watch;
    if (mode === 'mirror')
      return watches
        .group(watch)
        .filter((other) => !isSameChannel(other.channel, channel))
        .map(({ channel: to, languages: [language = ''] }) => ({
          language,
          target: async () => ({ channel: to }),
        }));
    return watch.languages.map((language) => ({
      language,
      target: async () =>
        mode === 'reply' ? { channel } : standingThread(channel, language, tenure),
    }));
  };

  /**
   * Lists the places in which mirrors of a deleted row may exist. A flag's are replies to a
   * message that may still exist.
   */
  const orphanTargets = async (
    { ref, purpose }: Row,
    tenure: Tenure,
  ): Promise<readonly MirrorTarget[]> => {
    if (flaggedLanguage(purpose) !== undefined) return [{ channel: ref.channel }];
    const watch = watches.of(ref.channel);
    if (!watch) return [];
    if (watch.mode !== 'thread')
      return Promise.all(placesOf(watch, tenure).map(({ target }) => target()));
    // A thread is recorded before anything is posted in it.
    const known = watch.languages.map((language) => threads.of(ref.channel, language));
    return (await Promise.all(known)).filter((target) => target !== undefined);
  };

  /** True unless the target's channel was taken out of the watch's group. */
  const isLinked = (watch: ChannelWatch | undefined, target: MirrorTarget): boolean =>
    watch?.mode !== 'mirror' ||
    watches.group(watch).some(({ channel }) => isSameChannel(channel, target.channel));

  const messageOf = async (row: Row): Promise<Message | undefined> => {
    if (row.message === 'deleted' || row.message === 'skipped') return undefined;
    if (row.message === 'unread')
      return flaggedLanguage(row.purpose) === undefined
        ? platforms.of(row.ref.channel).feed.read(row.ref)
        : readFlagged(row.ref, deps.stored, platforms);
    return fromStored(
      row.ref,
      row.message,
      ({ id }) =>
        async function* (signal) {
          // Read again, because addresses of files expire.
          const message = await platforms.of(row.ref.channel).feed.read(row.ref);
          const file = message?.files.find((one) => one.id === id);
          if (!file) throw new AppError('not-found', 'the file is gone with its message');
          yield* file.open(signal);
        },
    );
  };

  /**
   * The daily limit that the work on a message would exceed; undefined where there is none. That of
   * the author does not apply to a flag, which somebody else may have pressed.
   */
  const limitOver = async (
    { ref, author, text, files }: Message,
    targets: number,
    transcribes: boolean,
    isFlag: boolean,
  ): Promise<AppError | undefined> => {
    const { space } = ref.channel;
    const consumer = isFlag ? { space } : { space, memberId: author.id };
    const characters = charactersOf(text) * targets;
    const fault = characters > 0 ? await limits.fault(consumer, { characters }) : undefined;
    const hears = transcribes && files.some(claimsAudio);
    return fault ?? (hears ? limits.fault(consumer, 'audio') : undefined);
  };

  const watchOf = ({ ref, purpose }: Row): ChannelWatch | undefined =>
    flaggedLanguage(purpose) === undefined ? watches.of(ref.channel) : undefined;

  /**
   * The current reason to skip a message; it may have changed since the message came.
   *
   * @param isJudged true when `skipReason` was already applied with the same watch
   */
  const skipNow = async (
    { purpose, authorId }: Row,
    message: Message,
    watch: ChannelWatch | undefined,
    isJudged = false,
  ): Promise<SkipReason | undefined> => {
    if (authorId === '') return 'forgotten';
    const { space } = message.ref.channel;
    const optedOut = await privacy.optedOut({ platform: space.platform, id: message.author.id });
    const choices = await spaces.of(space);
    if (watch && !isJudged) return skipReason(message, watch, choices, optedOut);
    if (!watch && flaggedLanguage(purpose) === undefined) return 'not-watched';
    return refusal(message, choices, optedOut);
  };

  /** The reply to a flag; people always get one, so that a flag never seems broken. */
  const asFlagReply = (row: Row, message: Message, translated: Translated): Prepared => {
    const lack = lackOf(message, translated);
    const content = composeFlagReply(translated, lack, languages, textsOf(message.ref.channel));
    const reply = asReply(row, message, translated, content);
    return lack && !translated.fault ? { ...reply, skip: reasonOf(message, translated) } : reply;
  };

  /**
   * Mirrors under the author's name: in the other channels of a group, or in the threads of a
   * channel.
   */
  const asAuthor = async (
    row: Row,
    message: Message,
    translated: Translated,
    watch: ChannelWatch,
    tenure: Tenure,
  ): Promise<Prepared> => {
    const mirrors: WantedMirror[] = [];
    for (const { language, target } of placesOf(watch, tenure)) {
      const rendition = translated.renditions.find((one) => one.language === language);
      if (!rendition || (watch.mode === 'thread' && !isWorthShowing(rendition))) continue;
      const to = await target();
      const { text: written } = rendition;
      const text = written && (await textFor(written, message.ref.channel, to.channel, platforms));
      mirrors.push({
        target: to,
        compose: (attachments) =>
          composeAsAuthor(
            message,
            { ...rendition, text },
            translated,
            { languages, texts: textsOf(to.channel) },
            attachments,
          ),
      });
    }
    return withMirrors(row, message, translated, mirrors);
  };

  const make = async (
    row: Row,
    message: Message,
    watch: ChannelWatch | undefined,
    { isLast, tenure }: { readonly isLast: boolean; readonly tenure: Tenure },
    progress: Progress | undefined,
    signal: AbortSignal,
  ): Promise<Prepared> => {
    const { channel } = message.ref;
    const { author, text } = message;
    const flagged = flaggedLanguage(row.purpose);
    const skip = await skipNow(row, message, watch);
    if (skip) return skipped(row, skip);
    const wanted = watch
      ? [...new Set(placesOf(watch, tenure).map(({ language }) => language))]
      : [flagged ?? ''];
    const transcribes = watch?.transcribes ?? true;
    const turn = { ref: row.ref, authorId: author.id, text: `${author.name}: ${plainText(text)}` };
    const conversation = watch?.group ?? JSON.stringify([channel.space.platform, channel.id]);
    // What failed once is tried without its context, which may be what the service fails at.
    const hasContext = watch && text.length > 0 && row.attempts === 1;
    const before = hasContext ? context.next(conversation, turn) : [];
    const limit = await limitOver(message, wanted.length, transcribes, flagged !== undefined);
    if (limit) {
      const left = untranslated(message, wanted, limitForOthers(limit, author.name));
      if (flagged !== undefined) return asFlagReply(row, message, left);
      // Linked channels are one conversation: nothing of it may be missing.
      return watch?.mode === 'mirror'
        ? asAuthor(row, message, left, watch, tenure)
        : skipped(row, 'daily-limit');
    }
    const isReply = !watch || watch.mode === 'reply';
    const onHeard = isReply ? progress?.show : undefined;
    const options = { message, languages: wanted, transcribes, context: before, isLast, onHeard };
    const translated = await translate(row, options, signal).catch((thrown: unknown) => {
      context.forget(row.ref);
      throw thrown;
    });
    // A line that fails would make those after it fail too.
    if (translated.fault) context.forget(row.ref);
    if (flagged !== undefined) return asFlagReply(row, message, translated);
    if (watch && !isReply) return asAuthor(row, message, translated, watch, tenure);
    const texts = textsOf(channel);
    const content = watch?.below
      ? composeBelow(message, translated, languages, texts)
      : composeReply(translated, languages, texts);
    return asReply(row, message, translated, content);
  };

  return {
    prepare: async (
      row: Row,
      { isLast, tenure }: { readonly isLast: boolean; readonly tenure: Tenure },
      signal: AbortSignal,
    ): Promise<Prepared> => {
      if (row.message === 'skipped') return skipped(row, row.skip as SkipReason);
      await watches.refresh();
      const message = await messageOf(row);
      if (!message) {
        const targets = row.mayExist ? await orphanTargets(row, tenure) : [];
        return { ...skipped(row, 'deleted'), orphanTargets: targets };
      }
      const flagged = flaggedLanguage(row.purpose);
      const label = flagged === undefined ? undefined : replyLabel(flagged, languages);
      const watch = watchOf(row);
      const progress = message.files.some(claimsAudio)
        ? createProgress({ ...deps, ...platforms.of(row.ref.channel) }, row, tenure, signal, {
            label,
            ...(watch?.below ? belowOf(message) : {}),
          })
        : undefined;
      try {
        const made = await make(row, message, watch, { isLast, tenure }, progress, signal);
        await progress?.settled();
        const mayExist = row.mayExist || (progress?.isUncertain() ?? false);
        return { ...made, message, watch, mayExist };
      } finally {
        await progress?.settled();
      }
    },

    /**
     * True while the prepared mirrors are still wanted: people and moderators may have changed
     * their settings.
     */
    isWanted: async ({ row, message, mirrors, watch }: Prepared): Promise<boolean> => {
      if (!message || mirrors.length === 0) return true;
      const now = watchOf(row);
      const isSame =
        isDeepStrictEqual(watch, now) && mirrors.every(({ target }) => isLinked(now, target));
      return isSame && (await skipNow(row, message, now, true)) === undefined;
    },

    /** Drops data in memory of a person's messages. */
    forget,
    /** Drops data in memory of all messages. */
    forgetAll,
    /** Drops data in memory of a space's messages. */
    forgetSpace,
  };
};
