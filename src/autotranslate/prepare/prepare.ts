import { readFlagged } from '../flags.ts';
import type { Attachments } from '../mirror/attachments.ts';
import { claimsAudio, refusal, skipReason, type SkipReason } from '../policy.ts';
import {
  composeAsAuthor,
  composeFlagReply,
  composeReply,
  lackOf,
  type MirrorContent,
  replyLabel,
  threadName,
} from './compose.ts';
import { createProgress, type Progress, type ProgressDeps } from './progress.ts';
import {
  createMessageTranslator,
  type Translated,
  type TranslationContext,
  untranslated,
} from './translate.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { Services } from '../../command/services.ts';
import { AppError } from '../../errors.ts';
import type { Texts } from '../../i18n.ts';
import type { MessageFile } from '../../model/file.ts';
import type { Message } from '../../model/message.ts';
import { isSameChannel } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/watch.ts';
import type { Tenure } from '../../ports/leases.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import { flaggedLanguage, fromStored, type Row } from '../../store/inbox/row.ts';
import type { WatchStore } from '../../store/watches.ts';
import { countCodePoints, isBlank } from '../../text/unicode.ts';
import { limitFault } from '../../usage/limits.ts';

/** A mirror that should exist. */
export interface WantedMirror {
  readonly target: MirrorTarget;
  /** Composes its content, once its files are read. */
  readonly compose: (attachments: Attachments) => MirrorContent;
}

/** The mirrors that should exist for a row's message; reconciling creates them. */
export interface Prepared {
  readonly row: Row;
  /** The message; undefined when it is deleted or may not be read. */
  readonly message: Message | undefined;
  /** The watch for which it was prepared; undefined for a flag. */
  readonly watch: ChannelWatch | undefined;
  readonly mirrors: readonly WantedMirror[];
  /** Files of the mirrors, which are read only when these are posted. */
  readonly files: readonly MessageFile[];
  /** The reason for which nothing was translated. */
  readonly skip?: SkipReason | undefined;
  /** True when finished mirrors that are no longer wanted are kept as they are. */
  readonly leavesStanding: boolean;
  /** True when mirrors may exist that are not stored. */
  readonly mayExist: boolean;
  /** Places in which mirrors of a deleted message are searched for. */
  readonly orphanTargets: readonly MirrorTarget[];
  readonly used: Translated['used'];
  readonly fault: AppError | undefined;
}

export interface PrepareDeps extends Omit<ProgressDeps, 'mirrors'> {
  readonly services: Pick<
    Services,
    'translator' | 'transcriber' | 'languages' | 'spaces' | 'usage' | 'privacy'
  >;
  readonly watches: Pick<WatchStore, 'of' | 'group'>;
  readonly texts: Pick<Texts, 'in'>;
  readonly context: Pick<TranslationContext, 'next'>;
  readonly platforms: WatchedPlatforms;
}

/** Reasons for which existing mirrors are kept; for all others they are deleted. */
const LEAVING: ReadonlySet<string> = new Set<SkipReason>([
  'not-watched',
  'channel-gone',
  'space-gone',
  'forgotten',
]);

const nothing = (row: Row) =>
  ({
    row,
    message: undefined,
    watch: undefined,
    mirrors: [],
    files: [],
    leavesStanding: false,
    mayExist: row.mayExist,
    orphanTargets: [],
    used: { characters: 0, audioMs: 0 },
    fault: undefined,
  }) satisfies Prepared;

const skipped = (row: Row, skip: SkipReason): Prepared => ({
  ...nothing(row),
  skip,
  leavesStanding: LEAVING.has(skip),
});

/** The result for a row that cannot be prepared: its unfinished mirrors are deleted. */
export const givenUp = (row: Row, fault: AppError): Prepared => ({
  ...nothing(row),
  fault,
  leavesStanding: true,
  mayExist: false,
});

/** True when two watches have the same settings; those of threads are new objects each time. */
const isSameWatch = (a: ChannelWatch | undefined, b: ChannelWatch | undefined): boolean =>
  a?.languages === b?.languages &&
  a?.mode === b?.mode &&
  a?.group === b?.group &&
  a?.transcribes === b?.transcribes &&
  a?.bots === b?.bots;

const reasonOf = ({ text }: Message, { transcript }: Translated): SkipReason =>
  isBlank(text) && !transcript ? 'nothing-heard' : 'same-language';

/** One reply under the message, or none with the reason. */
const asReply = (
  row: Row,
  message: Message,
  translated: Translated,
  content: MirrorContent | undefined,
  skip?: SkipReason,
): Prepared => {
  const { used, fault } = translated;
  const mirrors = content
    ? [{ target: { channel: message.ref.channel }, compose: () => content }]
    : [];
  const reason = content ? skip : reasonOf(message, translated);
  return { ...nothing(row), message, mirrors, skip: reason, used, fault };
};

/** Creates the functions that prepare rows: which mirrors should exist, and where. */
export const createPrepare = (deps: PrepareDeps) => {
  const { services, watches, texts, context, platforms } = deps;
  const { languages, privacy, spaces } = services;
  const { translate, forget } = createMessageTranslator(services);

  /** The message of a row; undefined when it is deleted. */
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

  /** Places and languages in which a message of a watched channel is shown. */
  const placesOf = (
    watch: ChannelWatch,
  ): readonly { language: string; target: () => Promise<MirrorTarget> }[] => {
    const { channel } = watch;
    if (watch.mode === 'mirror')
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
        watch.mode === 'reply'
          ? { channel }
          : platforms.of(channel).mirrors.thread(channel, threadName(language, languages)),
    }));
  };

  /**
   * Places in which mirrors of a deleted row may exist. A flag's are replies to a message that may
   * still exist.
   */
  const orphanTargets = async ({ ref, purpose }: Row): Promise<readonly MirrorTarget[]> => {
    if (flaggedLanguage(purpose) !== undefined) return [{ channel: ref.channel }];
    const watch = watches.of(ref.channel);
    return watch ? Promise.all(placesOf(watch).map(({ target }) => target())) : [];
  };

  /** The daily limit that the work on a message would exceed; undefined where there is none. */
  const limitOver = async (
    { ref, text, files }: Message,
    targets: number,
    transcribes: boolean,
  ): Promise<AppError | undefined> => {
    const { space } = ref.channel;
    const characters = countCodePoints(text) * targets;
    const fault = characters > 0 ? await limitFault(services, space, { characters }) : undefined;
    const hears = transcribes && files.some(claimsAudio);
    return fault ?? (hears ? limitFault(services, space, 'audio') : undefined);
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
    const content = composeFlagReply(translated, lack, languages, texts);
    const skip = lack && !translated.fault ? reasonOf(message, translated) : undefined;
    return asReply(row, message, translated, content, skip);
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
  ): Promise<Prepared> => {
    const { used, fault } = translated;
    const mirrors: WantedMirror[] = [];
    for (const { language, target } of placesOf(watch)) {
      const rendition = translated.renditions.find((one) => one.language === language);
      if (!rendition || (watch.mode === 'thread' && rendition.outcome === 'same')) continue;
      mirrors.push({
        target: await target(),
        compose: (attachments) =>
          composeAsAuthor(message, rendition, translated, languages, attachments),
      });
    }
    return mirrors.length === 0
      ? { ...nothing(row), message, watch, skip: reasonOf(message, translated), used, fault }
      : { ...nothing(row), message, watch, mirrors, files: message.files, used, fault };
  };

  const make = async (
    row: Row,
    message: Message,
    watch: ChannelWatch | undefined,
    isLast: boolean,
    progress: Progress | undefined,
    signal: AbortSignal,
  ): Promise<Prepared> => {
    const { channel } = message.ref;
    const { author, text } = message;
    const flagged = flaggedLanguage(row.purpose);
    const skip = await skipNow(row, message, watch);
    if (skip) return skipped(row, skip);
    const wanted = watch
      ? [...new Set(placesOf(watch).map(({ language }) => language))]
      : [flagged ?? ''];
    const transcribes = watch?.transcribes ?? true;
    const turn = { ref: row.ref, authorId: author.id, text: `${author.name}: ${text}` };
    const conversation = watch?.group ?? JSON.stringify([channel.space.platform, channel.id]);
    const before = watch && text !== '' ? context.next(conversation, turn) : [];
    const limit = await limitOver(message, wanted.length, transcribes);
    if (limit)
      return flagged === undefined
        ? skipped(row, 'daily-limit')
        : asFlagReply(row, message, untranslated(flagged, limit));
    const isReply = !watch || watch.mode === 'reply';
    const options = { message, languages: wanted, transcribes, context: before, isLast };
    const translated = await translate(
      row,
      isReply && progress ? { ...options, onHeard: progress.show } : options,
      signal,
    );
    if (flagged !== undefined) return asFlagReply(row, message, translated);
    return watch && !isReply
      ? asAuthor(row, message, translated, watch)
      : asReply(row, message, translated, composeReply(translated, languages));
  };

  /** A line that shows how much of a message's audio was transcribed; undefined where it has none. */
  const progressOf = (
    row: Row,
    { files }: Message,
    tenure: Tenure,
    signal: AbortSignal,
  ): Progress | undefined => {
    if (!files.some(claimsAudio)) return undefined;
    const flagged = flaggedLanguage(row.purpose);
    const label = flagged === undefined ? undefined : replyLabel(flagged, languages);
    const { mirrors } = platforms.of(row.ref.channel);
    return createProgress({ ...deps, mirrors }, row, tenure, signal, label);
  };

  return {
    prepare: async (
      row: Row,
      { isLast, tenure }: { readonly isLast: boolean; readonly tenure: Tenure },
      signal: AbortSignal,
    ): Promise<Prepared> => {
      if (row.message === 'skipped') return skipped(row, row.skip as SkipReason);
      const message = await messageOf(row);
      if (!message) {
        const targets = row.mayExist ? await orphanTargets(row) : [];
        return { ...skipped(row, 'deleted'), orphanTargets: targets };
      }
      const progress = progressOf(row, message, tenure, signal);
      try {
        const watch = watchOf(row);
        const made = await make(row, message, watch, isLast, progress, signal);
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
      const isLinked = ({ target }: WantedMirror): boolean =>
        now?.mode !== 'mirror' ||
        watches.group(now).some(({ channel }) => isSameChannel(channel, target.channel));
      if (!isSameWatch(watch, now) || !mirrors.every(isLinked)) return false;
      return (await skipNow(row, message, now, true)) === undefined;
    },

    /** Drops data in memory of a person's messages. */
    forget,
  };
};
