import { isDeepStrictEqual } from 'node:util';
import { readSource, textFor, type WatchedPlatforms } from '../watched-platforms.ts';
import { claimsAudio, refusal, ruleAgainst, skipReason, type SkipReason } from '../policy.ts';
import {
  belowOf,
  composeAsAuthor,
  composeBelow,
  composeFlagReply,
  composeReply,
  isWorthShowing,
  lackOf,
  replyLabel,
  type CompactLine,
  type MirrorWording,
} from './compose.ts';
import { composeCompact } from './compose-compact.ts';
import type { TranslationContext } from './context.ts';
import type { LinkedConversation, LinkedThreads } from './linked-threads.ts';
import {
  asReply,
  modelNames,
  reasonOf,
  skipped,
  withMirrors,
  type Prepared,
  type WantedMirror,
  type Place,
  type Places,
} from './prepared.ts';
import { rulesOf } from '../rules.ts';
import { createMessageTranslator, untranslated, type Translated } from './translate.ts';
import type { Outages } from '../outage.ts';
import type { RecognitionOutages } from '../recognition-outage.ts';
import type { FlagPressers } from '../flag-pressers.ts';
import type { AuthorNames } from './author-names.ts';
import type { BotLoops } from './bot-loops.ts';
import type { Floods } from './floods.ts';
import type { Bars } from '../bars.ts';
import type { LateTargets } from '../mirror/late-targets.ts';
import type { Progress, ProgressLine } from './progress.ts';
import type { Services } from '../../command/services.ts';
import { recover, toAppError, type AppError } from '../../errors.ts';
import { say, type Texts } from '../../i18n/texts.ts';
import type { Message } from '../../model/message.ts';
import { plainText } from '../../rich-text/walk.ts';
import { isInPlace, isMuted, isPaused, type ChannelWatch } from '../../model/space.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import {
  flaggedLanguage,
  groupOf,
  isFor,
  isOfQuote,
  WATCH,
  type Row,
} from '../../store/inbox/row.ts';
import { charactersOf, limitForOthers } from '../../usage/limits.ts';
import { channelKey, type Channel, type MessageRef } from '../../model/place.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import type { WatchStore } from '../../store/channels/watches.ts';

export interface PrepareDeps {
  readonly services: Pick<
    Services,
    'translator' | 'transcriber' | 'languages' | 'spaces' | 'limits' | 'privacy'
  >;
  readonly watches: Pick<WatchStore, 'of' | 'refresh'>;
  readonly places: Places;
  readonly linkedThreads: LinkedThreads;
  readonly platforms: WatchedPlatforms;
  readonly stored: Pick<MirrorStore, 'sourceOf'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly context: Pick<TranslationContext, 'next' | 'forget'>;
  readonly outages: Pick<Outages, 'of'>;
  readonly recognitions: Pick<RecognitionOutages, 'of'>;
  readonly botLoops: BotLoops;
  readonly pressers: Pick<FlagPressers, 'tell'>;
  readonly bars: Bars;
  readonly floods: Pick<Floods, 'within'>;
  readonly names: Pick<AuthorNames, 'note' | 'shownIn'>;
  readonly late: Pick<LateTargets, 'isLate' | 'take'>;
  readonly inbox: Pick<InboxStore, 'waitsFor'>;
  /** Makes the progress line of a recording. */
  readonly progressOf: (
    row: Row,
    tenure: Tenure,
    signal: AbortSignal,
    line: ProgressLine,
  ) => Progress;
}

/** Creates the functions that prepare rows: which mirrors should exist, and where. */
export const createPrepare = (deps: PrepareDeps) => {
  const { services, watches, places, linkedThreads, context, platforms } = deps;
  const { languages, limits, privacy, spaces } = services;
  const { translate, forget, forgetAll, forgetSpace } = createMessageTranslator(
    services,
    deps.outages,
    deps.recognitions,
  );

  /** The words for readers of a channel, with commands named as they type them. */
  const wordingOf = (channel: Channel): MirrorWording => ({
    languages,
    texts: { rich: (language) => deps.texts.rich(language, platforms.of(channel).naming) },
  });

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

  const writtenMs = ({ ref, position }: Pick<Message, 'ref' | 'position'>): number =>
    platforms.of(ref.channel).feed.timeOf(position);

  /** True where what was written then in the message's channel is shown in the channel of a watch. */
  const takesFrom = (to: ChannelWatch, message: Message): boolean =>
    !isPaused(to, writtenMs(message)) && !isMuted(to, message.ref.channel, writtenMs(message));

  /** The places whose space lets the author of a message be shown there. */
  const notBarred = async (
    message: Message,
    among: readonly Place[],
  ): Promise<readonly Place[]> => {
    const barred = await Promise.all(
      among.map(({ channel }) => deps.bars.isBarred(message, channel)),
    );
    return among.filter((_, index) => !barred[index]);
  };

  const watchOf = ({ ref, purpose }: Row): ChannelWatch | undefined =>
    flaggedLanguage(purpose) === undefined ? watches.of(ref.channel) : undefined;

  /**
   * The current reason to skip a message; it may have changed since the message came.
   *
   * @param isJudged true when `skipReason` was already applied with the same watch
   */
  const skipNow = async (
    { purpose, authorId, partition }: Row,
    message: Message,
    watch: ChannelWatch | undefined,
    isJudged = false,
  ): Promise<SkipReason | undefined> => {
    if (authorId === '' && !isOfQuote(partition)) return 'forgotten';
    const { space } = message.ref.channel;
    const optedOut = await privacy.optedOut({ platform: space.platform, id: message.author.id });
    const choices = await spaces.of(space);
    if (watch && !isJudged)
      return skipReason(message, watch, choices, optedOut, writtenMs(message));
    if (!watch && flaggedLanguage(purpose) === undefined) return 'not-watched';
    return refusal(message, choices, optedOut) ?? (watch && ruleAgainst(message, watch, choices));
  };

  /**
   * The reply to a flag: the translation, or the reason why there is none. That the message is in its language is told to
   * the one who pressed it, alone.
   */
  const asFlagReply = (row: Row, message: Message, translated: Translated): Prepared => {
    const lack = lackOf(message, translated);
    const wording = wordingOf(message.ref.channel);
    if (lack?.key === 'translate.same-language' && !translated.fault) {
      const t = wording.texts.rich(flaggedLanguage(row.purpose) ?? '');
      void deps.pressers.tell(row, message, say(t, lack));
      return skipped(row, 'same-language');
    }
    const content = composeFlagReply(translated, lack, wording);
    const reply = asReply(row, message, translated, content, wording.texts);
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
    wanted: readonly Place[],
    late: readonly string[],
  ): Promise<Prepared> => {
    const mirrors: WantedMirror[] = [];
    const waiting = [...late];
    for (const { language, channel: place, target } of wanted) {
      const rendition = translated.renditions.find((one) => one.language === language);
      const isShown =
        watch.mode !== 'thread' ||
        translated.unheard.length > 0 ||
        (rendition && isWorthShowing(rendition));
      if (!rendition || !isShown) continue;
      // A thread that cannot be begun now keeps the message from no other channel.
      const mayWait = watch.group !== undefined && row.to === undefined;
      const to = await recover(
        target(),
        (thrown) => mayWait && toAppError(thrown).code !== 'cancelled',
      );
      if (!to) {
        waiting.push(channelKey(place));
        continue;
      }
      const { text: written } = rendition;
      const text = written && (await textFor(written, message.ref.channel, to.channel, platforms));
      const author = await deps.names.shownIn(to.channel, message, watch);
      mirrors.push({
        target: to,
        models: modelNames([rendition]),
        compose: (attachments) =>
          composeAsAuthor(
            { ...message, author },
            { ...rendition, text },
            translated,
            wordingOf(to.channel),
            attachments,
          ),
      });
    }
    return withMirrors(row, message, translated, mirrors, waiting);
  };

  /**
   * The places of a message that can take it: outside of a thread, a forum takes none; in a thread, a channel in which
   * none may be begun.
   */
  const reachable = async (
    all: readonly Place[],
    { mode }: ChannelWatch,
    thread: LinkedConversation | undefined,
  ): Promise<readonly Place[]> => {
    if (mode !== 'mirror') return all;
    const takes = async ({ channel }: Place): Promise<boolean> => {
      const feed = platforms.find(channel)?.feed;
      if (!thread) return !((await feed?.holdsPosts?.(channel)) ?? false);
      return (
        linkedThreads.isBegun(thread, channel) || ((await feed?.mayBeginThreads?.(channel)) ?? true)
      );
    };
    const taking = await Promise.all(all.map(takes));
    return all.filter((_, at) => taking[at]);
  };

  /** The keys of the channels for which a message has to wait behind others. */
  const lateFor = async (
    { ref, partition, to }: Row,
    { group }: ChannelWatch,
    among: readonly Place[],
    tenure: Tenure,
  ): Promise<readonly string[]> => {
    if (group === undefined || to !== undefined) return [];
    // In a partition of its own, nothing overtakes it but what waits of itself.
    if (!groupOf(partition)) return deps.inbox.waitsFor(ref);
    const keys = among.map(({ channel }) => channelKey(channel));
    return keys.filter((key) => deps.late.isLate(group, key, tenure));
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
    const thread = watch && (await linkedThreads.of(message, watch));
    if (thread === 'private') return skipped(row, 'private-thread');
    if (watch) deps.names.note(message, watch);
    const isNew = !row.isMissed && row.to === undefined;
    if (watch && isNew && (await deps.botLoops.isLoop(message, watch, row.sinceMs)))
      return skipped(row, 'bot-loop');
    const transcribes = watch?.transcribes ?? true;
    const held = { tenure, signal };
    const within = thread && {
      isShownIn: (to: Channel) => linkedThreads.isShownIn(thread, to),
      target: async (to: ChannelWatch) => linkedThreads.target(thread, { row, to }, held),
    };
    const standing = watch ? places.of(watch, tenure, within) : [];
    if (watch?.mode === 'mirror' && thread && standing.length === 0)
      return skipped(row, 'thread-gone');
    const linked = watch ? await reachable(standing, watch, thread) : [];
    if (watch?.mode === 'mirror' && linked.length === 0)
      return skipped(row, thread ? 'threads-refused' : 'posts-only');
    const taking = watch
      ? linked.filter(
          ({ channel: to }) => isFor(row, to) && takesFrom(watches.of(to) ?? watch, message),
        )
      : [];
    if (watch?.mode === 'mirror' && row.to === undefined && taking.length === 0)
      return skipped(row, 'muted');
    const allowed = await notBarred(message, taking);
    if (taking.length > 0 && allowed.length === 0) return skipped(row, 'blocked');
    const mayStand = row.mayExist || row.to !== undefined;
    const all = watch ? deps.floods.within(message, watch, allowed, mayStand) : allowed;
    if (allowed.length > 0 && all.length === 0) return skipped(row, 'flood');
    const late = watch ? await lateFor(row, watch, all, tenure) : [];
    const own = all.map(({ channel: to }) => to).filter((to) => !late.includes(channelKey(to)));
    if (thread) await linkedThreads.demandTurn(thread, row, own);
    // What is heard of a recording is not heard again for them.
    const isHeard = transcribes && message.files.some(claimsAudio);
    const open = isHeard ? all : all.filter((place) => !late.includes(channelKey(place.channel)));
    const wanted = watch ? [...new Set(open.map(({ language }) => language))] : [flagged ?? ''];
    const turn = { ref: row.ref, authorId: author.id, text: `${author.name}: ${plainText(text)}` };
    const conversation =
      thread?.origin ?? watch?.group ?? JSON.stringify([channel.space.platform, channel.id]);
    // What failed once is tried without its context, which may be what the service fails at; what is late comes after it.
    const isFirst = row.attempts === 1 && row.to === undefined;
    const hasContext = watch && text.length > 0 && isFirst;
    const before = hasContext ? context.next(conversation, turn) : [];
    const limit = await limitOver(message, wanted.length, transcribes, flagged !== undefined);
    if (limit) {
      const asWritten = untranslated(message, wanted, limitForOthers(limit, author.name));
      if (flagged !== undefined) return asFlagReply(row, message, asWritten);
      // Linked channels are one conversation: nothing of it may be missing.
      return watch?.mode === 'mirror'
        ? asAuthor(row, message, asWritten, watch, open, late)
        : skipped(row, 'daily-limit');
    }
    const isReply = !watch || isInPlace(watch.mode);
    const onHeard = isReply ? progress?.show : undefined;
    const expected = [...wanted, ...(watches.of(channel)?.languages ?? [])];
    const options = {
      message,
      languages: wanted,
      expected,
      transcribes,
      context: before,
      isLast,
      onHeard,
      ...(watch ? { rules: rulesOf(watch, await spaces.of(channel.space)) } : {}),
    };
    const translated = await translate({ ...row, authorId: author.id }, options, signal).catch(
      (thrown: unknown) => {
        context.forget(row.ref);
        throw thrown;
      },
    );
    // A line that fails would make those after it fail too.
    if (translated.fault) context.forget(row.ref);
    if (flagged !== undefined) return asFlagReply(row, message, translated);
    if (watch && !isReply) return asAuthor(row, message, translated, watch, open, late);
    const wording = wordingOf(channel);
    const content = watch?.below
      ? composeBelow(message, translated, wording)
      : watch?.mode === 'compact'
        ? composeCompact(message, translated, wording)
        : composeReply(translated, wording);
    return asReply(row, message, translated, content, wording.texts);
  };

  return {
    prepare: async (
      row: Row,
      { isLast, tenure }: { readonly isLast: boolean; readonly tenure: Tenure },
      signal: AbortSignal,
    ): Promise<Prepared> => {
      if (row.message === 'skipped') return skipped(row, row.skip as SkipReason);
      await watches.refresh();
      const kept = deps.late.take(row);
      if (kept) return kept;
      const message = await readSource(row, deps.stored, platforms);
      if (!message) {
        const targets = row.mayExist ? await places.ofDeleted(row, tenure) : [];
        return { ...skipped(row, 'deleted'), orphanTargets: targets };
      }
      const flagged = flaggedLanguage(row.purpose);
      const label = flagged === undefined ? undefined : replyLabel(flagged, languages);
      const watch = watchOf(row);
      const progress = message.files.some(claimsAudio)
        ? deps.progressOf(row, tenure, signal, {
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
        isDeepStrictEqual(watch, now) &&
        mirrors.every(({ target }) => places.isLinked(now, target));
      if (!isSame || (await skipNow(row, message, now, true)) !== undefined) return false;
      const barred = mirrors.map(({ target }) => deps.bars.isBarred(message, target.channel));
      return !(await Promise.all(barred)).includes(true);
    },

    /** Makes the line of a message in a compact reply anew; undefined where it has none any more. */
    lineOf: async (ref: MessageRef, signal: AbortSignal): Promise<CompactLine | undefined> => {
      const { channel } = ref;
      const watch = watches.of(channel);
      const message = watch && (await platforms.of(channel).feed.read(ref));
      // Linked channels have no languages beside their own.
      if (!message || watch.mode === 'mirror') return undefined;
      const { id: authorId } = message.author;
      const choices = await spaces.of(channel.space);
      const optedOut = await privacy.optedOut({ platform: channel.space.platform, id: authorId });
      // A line that stands is kept, whatever the rules have become.
      if (optedOut) return undefined;
      const translated = await translate(
        { ref, purpose: WATCH, revision: 0, authorId, isMissed: true },
        {
          message,
          languages: watch.languages,
          expected: watch.languages,
          transcribes: false,
          context: [],
          isLast: true,
          rules: { ...rulesOf(watch, choices), shortest: 0, languages: [] },
        },
        signal,
      );
      return composeCompact(message, translated, wordingOf(channel))?.line;
    },

    /** Drops data in memory of a person's messages. */
    forget,
    /** Drops data in memory of all messages. */
    forgetAll,
    /** Drops data in memory of a space's messages. */
    forgetSpace,
  };
};
