import { isDeepStrictEqual } from 'node:util';
import { readSource, type FlaggedDeps } from '../read-source.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { claimsAudio, refusal, ruleAgainst, skipReason, type SkipReason } from '../policy.ts';
import { belowOf, replyLabel, type CompactLine } from './compose.ts';
import { createContents, type ContentsDeps } from './contents.ts';
import type { TranslationContext } from './context.ts';
import { MOST_QUOTING, nothingFor, skipped, type Prepared, type Places } from './prepared.ts';
import { createReceivers, type ReceiversDeps } from './receivers.ts';
import { rulesOf } from '../rules.ts';
import { createMessageTranslator, untranslated } from './translate.ts';
import type { Outages } from '../outages/outage.ts';
import type { RecognitionOutages } from '../outages/recognition.ts';
import type { AuthorNames } from './author-names.ts';
import type { BotLoops } from './bot-loops.ts';
import type { LateTargets } from '../mirror/late-targets.ts';
import type { Progress, ProgressLine } from './progress.ts';
import type { Services } from '../../command/services.ts';
import type { AppError } from '../../errors.ts';
import { writerOf, type Message } from '../../model/message.ts';
import { plainText } from '../../rich-text/walk.ts';
import { isInPlace, isKeptOut, type ChannelWatch } from '../../model/space.ts';
import type { Tenure } from '../../ports/processes.ts';
import { flaggedLanguage, isOfQuote, WATCH, type Row } from '../../store/inbox/row.ts';
import { charactersOf, limitForOthers } from '../../usage/limits.ts';
import { isSameChannel, type MessageRef } from '../../model/place.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import type { WatchStore } from '../../store/channels/watches.ts';

export interface PrepareDeps extends ReceiversDeps, ContentsDeps, Pick<FlaggedDeps, 'openSources'> {
  readonly stored: ReceiversDeps['stored'] & FlaggedDeps['stored'] & Pick<MirrorStore, 'quoting'>;
  readonly services: Pick<
    Services,
    'translator' | 'transcriber' | 'languages' | 'spaces' | 'limits' | 'privacy'
  >;
  readonly watches: ReceiversDeps['watches'] & Pick<WatchStore, 'refresh'>;
  readonly places: Places;
  readonly platforms: WatchedPlatforms;
  readonly context: Pick<TranslationContext, 'next' | 'forget'>;
  readonly outages: Pick<Outages, 'of'>;
  readonly recognitions: Pick<RecognitionOutages, 'of'>;
  readonly botLoops: BotLoops;
  readonly names: Pick<AuthorNames, 'note' | 'shownIn'>;
  readonly late: Pick<LateTargets, 'isLate' | 'take'>;
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
  const contents = createContents(deps);
  const receiversOf = createReceivers(deps);
  const { languages, limits, privacy, spaces } = services;
  const { translate, forget, forgetAll, forgetSpace } = createMessageTranslator(
    services,
    deps.outages,
    deps.recognitions,
  );

  /**
   * The daily limit that the work on a message would exceed; undefined where there is none. That of
   * the author does not apply to a flag, which somebody else may have pressed, nor where what it quotes changed.
   */
  const limitOver = async (
    { ref, author, text, files }: Message,
    targets: number,
    transcribes: boolean,
    isOwn: boolean,
  ): Promise<AppError | undefined> => {
    const { space } = ref.channel;
    const consumer = isOwn ? { space, memberId: author.id } : { space };
    const characters = charactersOf(text) * targets;
    const fault = characters > 0 ? await limits.fault(consumer, { characters }) : undefined;
    const hears = transcribes && files.some(claimsAudio);
    return fault ?? (hears ? limits.fault(consumer, 'audio') : undefined);
  };

  const writtenMs = ({ ref, position }: Pick<Message, 'ref' | 'position'>): number =>
    platforms.of(ref.channel).feed.timeOf(position);

  const watchOf = ({ ref, purpose }: Row): ChannelWatch | undefined =>
    flaggedLanguage(purpose) === undefined ? watches.of(ref.channel) : undefined;

  /** True where a message that can't be read may not be deleted. */
  const mayStand = async ({ ref, purpose, message, position }: Row): Promise<boolean> =>
    message === 'unread' &&
    purpose === WATCH &&
    // The rows of messages are cleared before their platform hides them.
    ((position === '' && platforms.of(ref.channel).feed.hidesOld === true) ||
      !watches.of(ref.channel) ||
      (await platforms.of(ref.channel).feed.isGone?.(ref.channel)) === true);

  /**
   * The current reason to skip a message; it may have changed since the message came.
   *
   * @param isJudged true when `skipReason` was already applied with the same watch
   */
  const skipNow = async (
    row: Row,
    message: Message,
    watch: ChannelWatch | undefined,
    isJudged = false,
  ): Promise<SkipReason | undefined> => {
    const { purpose, authorId } = row;
    if (authorId === '' && !isOfQuote(row)) return 'forgotten';
    const { space } = message.ref.channel;
    const optedOut = await privacy.optedOut(writerOf(message));
    const choices = await spaces.of(space);
    if (watch && !isJudged)
      return skipReason(message, watch, choices, optedOut, writtenMs(message));
    if (!watch && flaggedLanguage(purpose) === undefined) return 'not-watched';
    return refusal(message, choices, optedOut) ?? (watch && ruleAgainst(message, watch, choices));
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
    const receivers = watch
      ? await receiversOf(row, message, { watch, thread }, { tenure, signal })
      : { open: [], late: [], keeps: () => false, keptOut: [], paused: [] };
    const { keeps, keptOut, paused } = receivers;
    const kept = { keeps, keptOut, paused };
    if ('skip' in receivers) return { ...skipped(row, receivers.skip), ...kept };
    const transcribes = watch?.transcribes ?? true;
    const wanted = watch
      ? [...new Set(receivers.open.map(({ language }) => language))]
      : [flagged ?? ''];
    const turn = {
      ref: row.ref,
      writtenMs: writtenMs(message),
      authorId: author.id,
      text: `${author.name}: ${plainText(text)}`,
    };
    const group = watch ? watches.group(watch) : [];
    const readers = group.filter((to) =>
      receivers.open.some((place) => isSameChannel(place.channel, to.channel)),
    );
    // What is kept out of a channel is shown there by no translation either.
    const isOpen = ({ ref, writtenMs: atMs }: typeof turn): boolean =>
      !readers.some((to) => isKeptOut(ref.channel, to, group, atMs));
    const conversation =
      thread?.origin ?? watch?.group ?? JSON.stringify([channel.space.platform, channel.id]);
    // What failed once is tried without its context, which may be what the service fails at; what is late comes after it.
    const isFirst = row.attempts === 1 && row.to === undefined;
    const hasContext = watch && text.length > 0 && isFirst;
    const before = hasContext ? context.next(conversation, turn, isOpen) : [];
    const isOwn = flagged === undefined && !isOfQuote(row);
    const limit = await limitOver(message, wanted.length, transcribes, isOwn);
    if (limit) {
      // What stands is better than what is not translated.
      if (isOfQuote(row)) return { ...nothingFor(row), keeps };
      const asWritten = untranslated(message, wanted, limitForOthers(limit, author.name));
      if (!watch) return contents.asFlagReply(row, message, asWritten);
      // Linked channels are one conversation: nothing of it may be missing.
      return watch.mode === 'mirror'
        ? {
            ...(await contents.asAuthor(row, message, asWritten, watch, receivers)),
            ...kept,
          }
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
    if (!watch) return contents.asFlagReply(row, message, translated);
    const made = isReply
      ? contents.inPlace(row, message, translated, watch)
      : await contents.asAuthor(row, message, translated, watch, receivers);
    return { ...made, ...kept };
  };

  return {
    prepare: async (
      row: Row,
      { isLast, tenure }: { readonly isLast: boolean; readonly tenure: Tenure },
      signal: AbortSignal,
    ): Promise<Prepared> => {
      if (row.message === 'skipped') return skipped(row, row.skip as SkipReason);
      await watches.refresh(row.ref.channel.space);
      const kept = deps.late.take(row);
      if (kept) return kept;
      const message = await readSource(row, deps);
      if (!message && (await mayStand(row)))
        return isOfQuote(row) ? nothingFor(row) : skipped(row, 'channel-gone');
      if (!message) {
        const targets = row.mayExist ? await places.ofDeleted(row, tenure) : [];
        const quoting = row.purpose === WATCH ? await deps.stored.quoting(row, MOST_QUOTING) : [];
        return { ...skipped(row, 'deleted'), orphanTargets: targets, quoting };
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

    /**
     * Makes the line of a message in a compact reply anew; undefined where it has none any more, or auto-translate was
     * turned off: its languages are not known then.
     */
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
      return contents.line(message, translated);
    },

    forget,
    forgetAll,
    forgetSpace,
  };
};
