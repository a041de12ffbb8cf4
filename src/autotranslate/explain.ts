import type { Sentence } from '../errors.ts';
import { writerOf, type Message } from '../model/message.ts';
import {
  channelAround,
  channelKey,
  isSameChannel,
  keyOf,
  messageKey,
  type Channel,
  type MessageRef,
  type Person,
  type Space,
} from '../model/place.ts';
import { cutOffBetween, isHeld, isPaused, isQuiet } from '../model/space.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { CopiedReactionStore, ReactionElsewhere } from '../store/channels/copied-reactions.ts';
import type { StoredMirror } from '../store/channels/mirror-rows.ts';
import { keptOutFor, type MirrorStore } from '../store/channels/mirrors.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { outcomesOf, type StoredOutcome } from '../store/inbox/outcomes.ts';
import { flaggedLanguage, lateIn, pausedIn, WATCH } from '../store/inbox/row.ts';
import { resetAfter } from '../usage/limits.ts';
import type { Store } from '../store/index.ts';
import type { InboxState } from '../store/schema-messages.ts';
import type { SpaceSettings } from '../store/settings.ts';
import { detectLanguage } from '../text/language/detect.ts';
import { languageText } from '../text/message-checks.ts';
import type { Outages } from './outages/outage.ts';
import { FLAG_REFUSALS, type FlagRefusals, type RefusedFlag } from './flags/refusals.ts';
import { claimsAudio, isWordless, SKIP_REASONS, type SkipReason } from './policy.ts';

/** Reasons for which nothing is stored of a message. */
export const UNKNOWN_REASONS = [
  'not-set',
  'own',
  'copy',
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
  readonly shownIn?: readonly Channel[];
  /** The linked channels where it never was, by the reason; that is undefined where none is stored. */
  readonly missing?: readonly {
    readonly channels: readonly Channel[];
    readonly reason?: Sentence;
  }[];
  /** The language of its words, as far as that can be told, where others are translated into: it was not translated into that one. */
  readonly alreadyIn?: string;
  /** The channels where somebody deleted what was shown: it is not shown again. */
  readonly removedIn?: readonly Channel[];
  /** The tries and the place of its row; undefined where there is none. */
  readonly stored?: Pick<StoredOutcome, 'attempts' | 'partition' | 'epoch'>;
}

/** All answers to what became of a message, one at least. */
export interface Explained {
  /** The message itself; a source where one of our messages was asked about. */
  readonly ref: MessageRef;
  /** Undefined where the author was forgotten. */
  readonly author: Person | undefined;
  readonly parts: readonly Explanation[];
  /** The reactions to other copies of the message that was asked about; omitted where there are none. */
  readonly elsewhere?: readonly ReactionElsewhere[];
}

/**
 * A message that somebody asks about; without its author where only its link is known. Of the source of a copy, its words
 * alone, as the copy has them.
 */
type AskedMessage = Partial<Message>;

export interface ExplainDeps {
  readonly store: Pick<Store, 'selectFrom'>;
  readonly stored: Pick<MirrorStore, 'of' | 'sourcesOf'>;
  readonly reactions: Pick<CopiedReactionStore, 'of'>;
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'joinedMs' | 'sinceMs'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly refusals: Pick<FlagRefusals, 'of'>;
  readonly outages: Pick<Outages, 'among'>;
  readonly platforms: {
    readonly find: (channel: Channel) => { readonly feed: Pick<ChannelFeed, 'timeOf'> } | undefined;
  };
  /** Resolves with the name of a server or workspace for people elsewhere. */
  readonly serverName: (space: Space) => Promise<string>;
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
  const isTold = ['posted', 'unknown'].includes(part.state) || reason?.key === 'why.after-pause';
  return {
    ...told,
    parts: [{ ...rest, ...(reason && isTold ? { reason } : {}), isOfElsewhere: true }],
  };
};

const isSkipReason = (reason: string | undefined): reason is SkipReason =>
  SKIP_REASONS.some((one) => one === reason);

const around = (channel: Channel): readonly string[] =>
  [channel, channelAround(channel)].map(channelKey);

/** Creates the function that tells what became of a message, and why. */
export const createExplain = (deps: ExplainDeps) => {
  const { store, stored, reactions, watches, spaces, outages, refusals, platforms, rowsSinceMs } =
    deps;

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

  /** Says why a linked channel took nothing of another one, and who had decided that where all were told of it. */
  const cutOffOf = async (
    ...[from, to, group, atMs]: Parameters<typeof cutOffBetween>
  ): Promise<Sentence | undefined> => {
    const way = cutOffBetween(from, to, group, atMs);
    if (way === undefined || way === 'unagreed') return way && { key: `why.skipped.${way}` };
    if (way === 'muted-there') return { key: `why.cut-off.${way}` };
    const held = way === 'held-here' ? from : to.channel;
    const holder = group.find((each) => isHeld(held, [each], atMs));
    const { channel } = (way === 'paused-there' && isPaused(to, atMs) ? to : holder) ?? to;
    const server = await deps.serverName(channel.space);
    return { key: `why.cut-off.${way}`, params: { server } };
  };

  /** The channels that are linked with that of a message, and what kept it out of each when it was written. */
  const linkedWith = async ({ channel }: MessageRef, position: string) => {
    const watch = watches.of(channel);
    if (watch?.group === undefined) return [];
    const group = watches.group(watch);
    const writtenMs = platforms.find(channel)?.feed.timeOf(position) ?? Number.NaN;
    const others = group.filter((to) => !around(channel).includes(channelKey(to.channel)));
    return Promise.all(
      others.map(async (to) => ({
        ...to,
        key: channelKey(to.channel),
        cutOff: await cutOffOf(channel, to, group, writtenMs),
        wasPaused: isPaused(watch, writtenMs),
        isOfBefore: writtenMs < Math.max(...[watch, to].map(watches.joinedMs)),
      })),
    );
  };

  const missingOf = (
    linked: Awaited<ReturnType<typeof linkedWith>>,
    known: readonly StoredMirror[],
  ): NonNullable<Explanation['missing']> => {
    const reasonIn = (to: (typeof linked)[number]): Sentence | undefined => {
      const copy = known.find(({ target }) => around(target.channel).includes(to.key));
      const skip = copy && keptOutFor(copy);
      if (isSkipReason(skip) && skip !== 'muted') return { key: `why.skipped.${skip}` };
      if (to.cutOff) return to.cutOff;
      if (skip !== undefined) return { key: 'why.skipped.muted' };
      return to.isOfBefore ? { key: 'why.skipped.before-link' } : undefined;
    };
    const told = linked.map((to) => ({ channel: to.channel, reason: reasonIn(to) }));
    return [...Map.groupBy(told, ({ reason }) => JSON.stringify(reason)).values()].map((of) => ({
      channels: of.map(({ channel }) => channel),
      ...(of[0]?.reason && { reason: of[0].reason }),
    }));
  };

  /** Tells where a message stands, where somebody deleted that, and in which linked channels it never was. */
  const placesOf = async (
    { channel, id }: MessageRef,
    { purpose, position }: StoredOutcome,
    known: AskedMessage | undefined,
    late: readonly (string | undefined)[],
  ): Promise<Partial<Explanation>> => {
    const all = await stored.of({ ref: { channel, id }, purpose });
    const mirrors = all.filter((each) => keptOutFor(each) === undefined);
    const channelsOf = (isShown: boolean): readonly Channel[] =>
      mirrors
        .filter(({ posted }) => (posted !== undefined) === isShown)
        .map(({ target }) => target.channel)
        .filter(
          (one, place, each) => each.findIndex((other) => isSameChannel(other, one)) === place,
        );
    const places = { shownIn: channelsOf(true), removedIn: channelsOf(false) };
    if (purpose !== WATCH) return places;
    const linked = await linkedWith({ channel, id }, position);
    const isElsewhere = (to: Channel): boolean =>
      channelKey(channelAround(to)) !== channelKey(channelAround(channel)) ||
      linked.some(({ key }) => key === channelKey(to));
    const isCopied =
      all.length === 0 ? linked.length > 0 : all.some(({ target }) => isElsewhere(target.channel));
    const { text, files } = known ?? {};
    const language = text && detectLanguage(languageText(text))?.language;
    // Only what no model translated can stand as it was written.
    const asIs = mirrors.flatMap(({ target, posted, models }) =>
      posted && models === undefined ? around(target.channel) : [],
    );
    const { languages = [] } = watches.of(channel) ?? {};
    const isAlready = isCopied
      ? linked.some((to) => asIs.includes(to.key) && to.languages[0] === language)
      : languages.length > 1 && languages.some((each) => each === language);
    const already = isAlready && language ? { alreadyIn: language } : {};
    if (!isCopied) return { ...places, ...already };
    const shown = mirrors.flatMap(({ target }) => around(target.channel));
    const isAsWritten = text && files && isWordless({ text }) && !files.some(claimsAudio);
    return {
      ...places,
      ...already,
      isCopied: true,
      missing: missingOf(
        linked.filter(({ key }) => ![...shown, ...late].includes(key)),
        all,
      ),
      ...(isAsWritten ? { reason: { key: 'why.skipped.no-words' } } : {}),
    };
  };

  const reasonOf = async (
    ref: MessageRef,
    { state, skip, sentence, purpose, changedMs, position }: StoredOutcome,
  ): Promise<Sentence | undefined> => {
    if (state === 'posted') return undefined;
    if (state === 'skipped') {
      const linked = skip === 'muted' ? await linkedWith(ref, position) : [];
      if (linked[0]?.wasPaused) return { key: 'why.skipped.paused' };
      const [way, ...others] = Map.groupBy(linked, ({ cutOff }) => JSON.stringify(cutOff)).values();
      if (way?.[0]?.cutOff && others.length === 0) return way[0].cutOff;
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
    late: readonly (string | undefined)[],
  ): Promise<Explanation> => {
    const { purpose, state, attempts, changedMs, dueMs, position, partition, epoch } = outcome;
    const flag = flaggedLanguage(purpose);
    const lateKey = lateIn(purpose);
    const isLate = lateKey !== undefined;
    const reason = await reasonOf(ref, outcome);
    const isTried = state === 'posted' || (state !== 'skipped' && attempts > 0 && !isLate);
    const mayStand = isTried || (state === 'skipped' && !isLate);
    const places = mayStand ? await placesOf(ref, outcome, known, late) : undefined;
    const { shownIn = [], isCopied } = places ?? {};
    const lateOnes = (await linkedWith(ref, position)).filter(({ key }) => key === lateKey);
    const missing = lateOnes.length > 0 ? missingOf(lateOnes, []) : isTried && places?.missing;
    return {
      ...(flag === undefined ? {} : { flag }),
      ...(isLate ? { isLate } : {}),
      ...(state === 'posted' ? places : missing && { missing }),
      ...(state === 'skipped' && shownIn.length > 0 && { shownIn, isCopied }),
      state,
      ...(reason ? { reason } : {}),
      sinceMs: changedMs,
      stored: { attempts, partition, epoch },
      ...(state === 'waiting' && attempts > 0
        ? { tries: { failed: attempts, nextMs: dueMs } }
        : {}),
    };
  };

  /** Tells where copies stand that follow an edit after a pause; nothing where none waits for that. */
  const pausedOf = async (
    ref: MessageRef,
    [first, ...others]: readonly StoredOutcome[],
  ): Promise<readonly Explanation[]> => {
    if (!first) return [];
    const keys = [first, ...others].map(({ purpose }) => lateIn(purpose));
    const shownIn = (await stored.of({ ref, purpose: WATCH })).flatMap(({ target, posted }) =>
      posted && around(target.channel).some((key) => keys.includes(key)) ? target.channel : [],
    );
    const reason = { key: 'why.after-pause' } as const;
    const sinceMs = first.changedMs;
    const isOwn = pausedIn(first.partition)?.group === '';
    const copied = isOwn ? {} : ({ isCopied: true } as const);
    return [{ state: 'waiting', ...copied, shownIn, reason, sinceMs, stored: first }];
  };

  const explain = async (
    ref: MessageRef,
    known: AskedMessage | undefined,
    flags: readonly RefusedFlag[],
    among?: readonly string[],
  ): Promise<Explained> => {
    const outcomes = await outcomesOf(store, ref);
    const written = known?.author && writerOf({ ref, author: known.author });
    const author = outcomes.length > 0 ? outcomes[0]?.author : written;
    const late = outcomes.map(({ purpose }) => lateIn(purpose));
    const inPause = outcomes.filter(
      ({ state, partition }) => state === 'waiting' && pausedIn(partition),
    );
    const isMeant = ({ purpose }: StoredOutcome): boolean =>
      among?.includes(lateIn(purpose) ?? '') ?? true;
    const paused = await pausedOf(ref, inPause.filter(isMeant));
    const kept = await Promise.all(
      outcomes
        .filter((one) => !inPause.includes(one))
        .filter(({ skip = '' }) => paused.length === 0 || !['paused', 'muted'].includes(skip))
        .map((outcome) => explanationOf(ref, outcome, known, late)),
    );
    const parts = [...paused, ...kept, ...flags.map(refusedFlag)];
    const isKnown = outcomes.some(({ purpose }) => flaggedLanguage(purpose) === undefined);
    // A flag says nothing of auto-translate, where that is set.
    if (isKnown || (parts.length > 0 && !watches.of(ref.channel))) return { ref, author, parts };
    const own = known?.author?.kind === 'ourselves' && (known.copied ? 'copy' : 'own');
    // The places of what was shown are stored for longer than its outcome.
    const position = known?.position;
    const reason = own || (position === undefined ? 'cleared' : await unknownReason(ref, position));
    const unknown = { state: 'unknown', reason: { key: `why.unknown.${reason}` } } as const;
    return { ref, author, parts: [unknown, ...parts] };
  };

  /** Explains what became of a source of one of our messages. A flag may be under the source or under the mirror that is asked about. */
  const explainSource = async (
    ref: MessageRef,
    { ref: mirror, text, files, copied }: { readonly ref: MessageRef } & AskedMessage,
  ): Promise<Explained> => {
    const own = refusals.of(mirror);
    const words = copied && text && files ? { text, files } : undefined;
    if (keyOf(ref.channel.space) === keyOf(mirror.channel.space))
      return explain(ref, words, [...own, ...refusals.of(ref)]);
    const told = fromElsewhere(await explain(ref, words, [], around(mirror.channel)));
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
              isForOperator ? explain(ref, undefined, []) : explainSource(ref, message),
            ),
          );
    return elsewhere.length === 0 ? explained : explained.map((each) => ({ ...each, elsewhere }));
  };
};
