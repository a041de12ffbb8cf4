import type { Sentence } from '../errors.ts';
import type { Message } from '../model/message.ts';
import { isSameChannel, keyOf, messageKey, type Channel, type MessageRef } from '../model/place.ts';
import { isQuiet } from '../model/space.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { CopiedReactionStore, ReactionElsewhere } from '../store/channels/copied-reactions.ts';
import { keptOutFor, type MirrorStore } from '../store/channels/mirrors.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { outcomesOf, type StoredOutcome } from '../store/inbox/outcomes.ts';
import { flaggedLanguage, lateIn, WATCH } from '../store/inbox/row.ts';
import { resetAfter } from '../usage/limits.ts';
import type { Store } from '../store/index.ts';
import type { InboxState } from '../store/schema.ts';
import type { SpaceSettings } from '../store/settings.ts';
import type { Outages } from './outages/outage.ts';
import { FLAG_REFUSALS, type FlagRefusals, type RefusedFlag } from './flags/refusals.ts';
import { claimsAudio, isWordless, SKIP_REASONS, type SkipReason } from './policy.ts';

/** Reasons for which nothing is stored of a message. */
export const UNKNOWN_REASONS = [
  'not-set',
  'own',
  'quiet-channel',
  'before',
  'cleared',
  'unreported',
] as const;

/** An answer to what became of a message, for one purpose. */
export interface Explanation {
  /** The language of the flag that asked; undefined for auto-translate. */
  readonly flag?: string;
  /** The flag that asked, where it stands for no language. */
  readonly emoji?: string;
  /** True of what waits for one linked channel that is late. */
  readonly isLate?: true;
  /** True of a source in another space than that of the copy that was asked about: its reasons are told there alone. */
  readonly isOfElsewhere?: true;
  readonly state: InboxState | 'unknown';
  /** True of what was copied into linked channels, translated where it was in another language. */
  readonly isCopied?: true;
  /** The reason of every state but `posted`; of that one, why it stands as it was written. */
  readonly reason?: Sentence;
  /** The time since which that is so, ms since 1970. */
  readonly sinceMs?: number;
  /** The failed tries, and the time of the next one, ms since 1970; undefined where nothing failed or waits. */
  readonly tries?: { readonly failed: number; readonly nextMs: number };
  /** The channels where it is shown now. */
  readonly shownIn?: readonly Channel[];
  /** The linked channels where it never was. */
  readonly missingIn?: readonly Channel[];
  /** The channels where somebody deleted what was shown: it is not shown again. */
  readonly removedIn?: readonly Channel[];
  /** The tries and the place of its row; undefined where there is none. */
  readonly stored?: Pick<StoredOutcome, 'attempts' | 'partition' | 'epoch'>;
}

/** All answers to what became of a message, one at least. */
export interface Explained {
  /** The message itself; a source where one of our messages was asked about. */
  readonly ref: MessageRef;
  /** Empty where the author was forgotten. */
  readonly authorId: string;
  readonly parts: readonly Explanation[];
  /** The reactions to other copies of the message that was asked about; omitted where there are none. */
  readonly elsewhere?: readonly ReactionElsewhere[];
}

/** A message that somebody asks about; without its author where only its link is known. */
type AskedMessage = Pick<Message, 'position'> & Partial<Message>;

export interface ExplainDeps {
  readonly store: Pick<Store, 'selectFrom'>;
  readonly stored: Pick<MirrorStore, 'of' | 'sourcesOf'>;
  readonly reactions: Pick<CopiedReactionStore, 'of'>;
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'sinceMs'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly refusals: Pick<FlagRefusals, 'of'>;
  readonly outages: Pick<Outages, 'among'>;
  readonly platforms: {
    readonly find: (channel: Channel) => { readonly feed: Pick<ChannelFeed, 'timeOf'> } | undefined;
  };
  /** The time since which no row has been cleared, ms since 1970. */
  readonly rowsSinceMs: () => number;
}

export type Explain = ReturnType<typeof createExplain>;

const refusedFlag = ({ emoji, language, refusal }: RefusedFlag): Explanation => ({
  ...(language === undefined ? { emoji } : { flag: language }),
  state: 'skipped',
  reason: { key: FLAG_REFUSALS[refusal] },
});

/** Keeps of a source what is told where only its copy stands, in another space: of auto-translate, without the affairs of its own. */
const fromElsewhere = ({ parts, ...told }: Explained): Explained => {
  const [part = { state: 'unknown', reason: { key: 'why.unknown.cleared' } } as const] =
    parts.filter(({ flag, emoji, isLate }) => flag === undefined && !emoji && !isLate);
  const { reason, tries: _, stored: __, ...rest } = part;
  const isOpen = part.isCopied || part.state === 'unknown';
  return {
    ...told,
    parts: [{ ...rest, ...(reason && isOpen ? { reason } : {}), isOfElsewhere: true }],
  };
};

const isSkipReason = (reason: string | undefined): reason is SkipReason =>
  SKIP_REASONS.some((one) => one === reason);

/** Creates the function that tells what became of a message, and why. */
export const createExplain = (deps: ExplainDeps) => {
  const { store, stored, reactions, watches, spaces, outages, refusals, platforms, rowsSinceMs } =
    deps;

  /** The reason for which nothing is stored of a message. */
  const unknownReason = async (
    ref: MessageRef,
    position: string,
  ): Promise<(typeof UNKNOWN_REASONS)[number]> => {
    const watch = watches.of(ref.channel);
    if (!watch) return 'not-set';
    if (isQuiet(ref.channel, await spaces.of(ref.channel.space))) return 'quiet-channel';
    const feed = platforms.find(ref.channel)?.feed;
    if (!feed) return 'unreported';
    const writtenMs = feed.timeOf(position);
    if (writtenMs < watches.sinceMs(watch)) return 'before';
    return writtenMs < rowsSinceMs() ? 'cleared' : 'unreported';
  };

  const placesOf = async (ref: MessageRef, purpose: string) => {
    const known = await stored.of({ ref, purpose });
    const mirrors = known.filter((each) => keptOutFor(each) === undefined);
    const channelsOf = (isShown: boolean): readonly Channel[] =>
      mirrors
        .filter(({ posted }) => (posted !== undefined) === isShown)
        .map(({ target }) => target.channel)
        .filter((one, place, all) => all.findIndex((each) => isSameChannel(each, one)) === place);
    return { shownIn: channelsOf(true), removedIn: channelsOf(false) };
  };

  /** Tells of a message that was copied into linked channels; nothing of any other. */
  const copyOf = (
    { channel }: MessageRef,
    known: AskedMessage | undefined,
    { shownIn, removedIn }: Awaited<ReturnType<typeof placesOf>>,
  ): Pick<Explanation, 'isCopied' | 'missingIn' | 'reason'> => {
    const watch = watches.of(channel);
    if (watch?.group === undefined) return {};
    const there = [channel, ...shownIn, ...removedIn];
    const missingIn = watches
      .group(watch)
      .map((each) => each.channel)
      .filter((each) => !there.some((one) => isSameChannel(one, each)));
    const { text, files } = known ?? {};
    const isAsWritten = text && files && isWordless({ text }) && !files.some(claimsAudio);
    return {
      isCopied: true,
      missingIn,
      ...(isAsWritten ? { reason: { key: 'why.skipped.no-words' } } : {}),
    };
  };

  const reasonOf = async (
    ref: MessageRef,
    { state, skip, sentence, purpose, changedMs }: StoredOutcome,
  ): Promise<Sentence | undefined> => {
    if (state === 'posted') return undefined;
    if (state === 'skipped') {
      const params = skip === 'daily-limit' && { params: { reset: resetAfter(changedMs) } };
      return { key: `why.skipped.${isSkipReason(skip) ? skip : 'not-watched'}`, ...params };
    }
    if (sentence) return sentence;
    const flag = flaggedLanguage(purpose);
    const languages = flag === undefined ? (watches.of(ref.channel)?.languages ?? []) : [flag];
    const outage = await outages.among(languages, ref.channel.space);
    return outage?.reason ?? { key: lateIn(purpose) === undefined ? 'why.turn' : 'why.late' };
  };

  const explanationOf = async (
    ref: MessageRef,
    outcome: StoredOutcome,
    known: AskedMessage | undefined,
  ): Promise<Explanation> => {
    const { purpose, state, attempts, changedMs, dueMs, partition, epoch } = outcome;
    const flag = flaggedLanguage(purpose);
    const isLate = lateIn(purpose) !== undefined;
    const reason = await reasonOf(ref, outcome);
    const places = state === 'posted' ? await placesOf(ref, purpose) : undefined;
    return {
      ...(flag === undefined ? {} : { flag }),
      ...(isLate ? { isLate } : {}),
      state,
      ...(reason ? { reason } : {}),
      sinceMs: changedMs,
      stored: { attempts, partition, epoch },
      ...(state === 'waiting' && attempts > 0
        ? { tries: { failed: attempts, nextMs: dueMs } }
        : {}),
      ...places,
      ...(places && purpose === WATCH ? copyOf(ref, known, places) : {}),
    };
  };

  const explain = async (
    ref: MessageRef,
    known: AskedMessage | undefined,
    flags: readonly RefusedFlag[],
  ): Promise<Explained> => {
    const outcomes = await outcomesOf(store, ref);
    const authorId = outcomes[0]?.authorId ?? known?.author?.id ?? '';
    const kept = await Promise.all(outcomes.map((outcome) => explanationOf(ref, outcome, known)));
    const parts = [...kept, ...flags.map(refusedFlag)];
    const isKnown = outcomes.some(({ purpose }) => purpose === WATCH);
    // A flag says nothing of auto-translate, where that is set.
    if (isKnown || (parts.length > 0 && !watches.of(ref.channel))) return { ref, authorId, parts };
    const isOwn = known?.author?.kind === 'ourselves';
    // The places of what was shown are stored for longer than its outcome.
    const reason = isOwn ? 'own' : known ? await unknownReason(ref, known.position) : 'cleared';
    const unknown = { state: 'unknown', reason: { key: `why.unknown.${reason}` } } as const;
    return { ref, authorId, parts: [unknown, ...parts] };
  };

  /** Explains what became of a source of one of our messages. A flag may be under the source or under the mirror that is asked about. */
  const explainSource = async (ref: MessageRef, mirror: MessageRef): Promise<Explained> => {
    const own = refusals.of(mirror);
    if (keyOf(ref.channel.space) === keyOf(mirror.channel.space))
      return explain(ref, undefined, [...own, ...refusals.of(ref)]);
    const told = fromElsewhere(await explain(ref, undefined, []));
    return { ...told, parts: [...told.parts, ...own.map(refusedFlag)] };
  };

  /**
   * Explains what became of a message, or of the sources of one of our messages.
   *
   * @param isForOperator true where nothing of a source in another space is left out
   */
  return async (
    message: { readonly ref: MessageRef } & AskedMessage,
    isForOperator = false,
  ): Promise<readonly Explained[]> => {
    const sources = await stored.sourcesOf(message.ref);
    const refs = new Map(sources.map(({ ref }) => [messageKey(ref), ref]));
    const elsewhere = await reactions.of(message.ref);
    const explained =
      refs.size === 0
        ? [await explain(message.ref, message, refusals.of(message.ref))]
        : await Promise.all(
            [...refs.values()].map(async (ref) =>
              isForOperator ? explain(ref, undefined, []) : explainSource(ref, message.ref),
            ),
          );
    return elsewhere.length === 0 ? explained : explained.map((each) => ({ ...each, elsewhere }));
  };
};
