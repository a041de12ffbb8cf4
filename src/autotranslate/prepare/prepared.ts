import type { AppError } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { MessageFile, Message } from '../../model/message.ts';
import { isInPlace, type ChannelWatch } from '../../model/space.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { LateRow } from '../../store/inbox/late-rows.ts';
import { type Row, flaggedLanguage, isFor, isOfQuote } from '../../store/inbox/row.ts';
import { claimsAudio, isWordless, type SkipReason } from '../policy.ts';
import { type Attachments, type MirrorContent, threadName, withoutFiles } from './compose.ts';
import type { Rendition, Translated } from './translate.ts';
import type { Services } from '../../command/services.ts';
import { channelAround, isSameChannel, type Channel } from '../../model/place.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { LinkedThreadStore } from '../../store/channels/linked-threads.ts';
import { isSameTarget, type QuotingMirror } from '../../store/channels/mirrors.ts';
import type { StandingThreads } from '../../store/channels/standing-threads.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface WantedMirror {
  readonly target: MirrorTarget;
  /** Composes its content, once its files are read. */
  readonly compose: (attachments: Attachments) => MirrorContent;
  /** Names of the models that translated it, joined by `+`; empty where none did. */
  readonly models: string;
  /** True where a part of it could not be translated. Default: false. */
  readonly isFailed?: boolean;
}

/** A channel that a message does not come into for good, also by no later edit. */
export interface KeptOut {
  readonly channel: Channel;
  readonly reason: SkipReason;
}

/** Mirrors that a deleted message is taken out of with one try; those that are left come with the next. */
export const MOST_QUOTING = 500;

/** The mirrors that should exist for a row's message; reconciling creates them. */
export interface Prepared {
  readonly row: Row;
  /** The message; undefined when it is deleted or may not be read. */
  readonly message: Message | undefined;
  /** The watch for which it was prepared; undefined for a flag. */
  readonly watch: ChannelWatch | undefined;
  readonly mirrors: readonly WantedMirror[];
  /** Keys of channels that are late: the message waits for them behind others, and need not be among the mirrors. */
  readonly late: readonly string[];
  /** Keys of those of them in which something may have been begun. Default: none. */
  readonly tried?: readonly string[];
  /** Files of the mirrors, which are read only when these are posted. */
  readonly files: readonly MessageFile[];
  /** The reason for which nothing was translated. */
  readonly skip?: SkipReason | undefined;
  /** True when finished mirrors that are no longer wanted are kept as they are. */
  readonly leavesStanding: boolean;
  /** True of a channel, by its key, in which they are kept all the same. Default: of none. */
  readonly keeps?: ((key: string) => boolean) | undefined;
  readonly keptOut: readonly KeptOut[];
  /** Channels whose copies follow the edit once a pause is over. Default: none. */
  readonly paused?: readonly Pick<LateRow, 'to' | 'partition'>[] | undefined;
  /** True when mirrors may exist that are not stored. */
  readonly mayExist: boolean;
  /** Places in which mirrors of a deleted message are searched for. */
  readonly orphanTargets: readonly MirrorTarget[];
  /** Mirrors of other messages that quote the deleted one. */
  readonly quoting: readonly QuotingMirror[];
  readonly used: Translated['used'];
  readonly fault: AppError | undefined;
  /** True when what failed is to be tried again. */
  readonly willRetry: boolean;
}

/** Reasons for which existing mirrors are kept; for all others they are deleted. */
const LEAVING: ReadonlySet<string> = new Set<SkipReason>([
  'not-watched',
  'on-request',
  'paused',
  'muted',
  'unagreed',
  'before-link',
  'channel-gone',
  'thread-gone',
  'forgotten',
]);

/** The result for a row of which nothing is prepared. */
export const nothingFor = (row: Row) =>
  ({
    row,
    message: undefined,
    watch: undefined,
    mirrors: [],
    late: [],
    files: [],
    leavesStanding: false,
    keptOut: [],
    mayExist: row.mayExist,
    orphanTargets: [],
    quoting: [],
    used: { characters: 0, audioMs: 0 },
    fault: undefined,
    willRetry: false,
  }) satisfies Prepared;

export const skipped = (row: Row, skip: SkipReason): Prepared => ({
  ...nothingFor(row),
  skip,
  leavesStanding: LEAVING.has(skip),
});

/** The result for a row that cannot be prepared: its unfinished mirrors are deleted. */
export const givenUp = (row: Row, fault: AppError): Prepared => ({
  ...nothingFor(row),
  fault,
  leavesStanding: !isOfQuote(row),
  mayExist: false,
});

export const reasonOf = (
  message: Message,
  { transcript, renditions, isExempt }: Translated,
): SkipReason => {
  if (isExempt) return 'rule-languages';
  if (!transcript && isWordless(message))
    return message.files.some(claimsAudio) ? 'nothing-heard' : 'no-words';
  return renditions.some(({ outcome }) => outcome === 'wordless') ? 'no-language' : 'same-language';
};

/** The mirrors of a message with their files, or the reason why there are none. */
export const withMirrors = (
  row: Row,
  message: Message,
  translated: Translated,
  mirrors: readonly WantedMirror[],
  late: readonly string[] = [],
): Prepared => {
  const { used, fault, willRetry } = translated;
  const made = { ...nothingFor(row), used, fault, willRetry, late };
  return mirrors.length + late.length === 0
    ? { ...made, skip: reasonOf(message, translated) }
    : { ...made, mirrors, files: message.files };
};

/** Names of the models that translated renditions, each once, joined by `+`. */
export const modelNames = (renditions: readonly Rendition[]): string =>
  [...new Set(renditions.flatMap(({ models = [] }) => models))].join('+');

/** One reply under the message, or none with the reason. */
export const asReply = (
  row: Row,
  message: Message,
  translated: Translated,
  content: MirrorContent | undefined,
  texts: Pick<Texts, 'rich'>,
): Prepared => {
  const target = { channel: message.ref.channel };
  const models = modelNames(translated.renditions);
  const compose =
    content &&
    (({ leftOut }: Attachments) =>
      leftOut.length > 0 ? withoutFiles(content, translated, leftOut, texts) : content);
  const mirrors = compose ? [{ target, compose, models }] : [];
  return { ...withMirrors(row, message, translated, mirrors), files: [] };
};

export interface PlacesDeps {
  readonly watches: Pick<WatchStore, 'of' | 'isOwn' | 'group'>;
  readonly linkedThreads: Pick<LinkedThreadStore, 'of'>;
  readonly threads: Pick<StandingThreads, 'of' | 'put'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly languages: Pick<Services['languages'], 'name'>;
}

/** A place for the mirror of a message in one language. */
export interface Place {
  readonly language: string;
  /** The channel in which it is, or in a thread of which. */
  readonly channel: Channel;
  /** Finds the place; makes its thread where there is none yet. */
  readonly target: () => Promise<MirrorTarget>;
}

/** The thread in which a message of linked channels stands. */
export interface Within {
  /** False for a channel in which people deleted the copy of the thread. */
  readonly isShownIn: (to: Channel) => boolean;
  /** Finds the copy of the thread in a channel; begins it where there is none yet. */
  readonly target: (to: ChannelWatch) => Promise<MirrorTarget>;
}

export type Places = ReturnType<typeof createPlaces>;

/** Creates the functions that say where the mirrors of messages belong. */
export const createPlaces = ({
  watches,
  threads,
  linkedThreads,
  platforms,
  languages,
}: PlacesDeps) => {
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

  const others = (watch: ChannelWatch): readonly ChannelWatch[] => {
    const own = watches.isOwn(watch.channel) ? watch.channel : channelAround(watch.channel);
    return watches.group(watch).filter((other) => !isSameChannel(other.channel, own));
  };

  /**
   * The places of a watch's mirrors.
   *
   * @param within the thread in which the message stands, and finds those that are linked with it
   */
  const of = (watch: ChannelWatch, tenure: Tenure, within?: Within): readonly Place[] => {
    const { channel, mode } = watch;
    if (mode === 'mirror')
      return others(watch)
        .filter((to) => within?.isShownIn(to.channel) ?? true)
        .map((to) => ({
          language: to.languages[0] ?? '',
          channel: to.channel,
          target: async () => within?.target(to) ?? { channel: to.channel },
        }));
    return watch.languages.map((language) => ({
      language,
      channel,
      target: async () =>
        isInPlace(mode) ? { channel } : standingThread(channel, language, tenure),
    }));
  };

  return {
    of,
    /**
     * Lists the places in which mirrors of a deleted row may exist. A flag's are replies to a
     * message that may still exist.
     */
    ofDeleted: async (row: Row, tenure: Tenure): Promise<readonly MirrorTarget[]> => {
      const { ref, purpose } = row;
      if (flaggedLanguage(purpose) !== undefined) return [{ channel: ref.channel }];
      const watch = watches.of(ref.channel);
      if (!watch) return [];
      if (watch.mode !== 'thread') {
        const { group = '' } = watch;
        const { threads: copies } = await linkedThreads.of(group, { channel: ref.channel });
        const all = await Promise.all(of(watch, tenure).map(({ target }) => target()));
        return [...all, ...copies.map(({ target }) => target)].filter(({ channel }) =>
          isFor(row, channel),
        );
      }
      // A thread is recorded before anything is posted in it.
      const known = watch.languages.map((language) => threads.of(ref.channel, language));
      return (await Promise.all(known)).filter((target) => target !== undefined);
    },
    /** False for a channel that was taken out of the watch's group. */
    isLinked: (watch: ChannelWatch | undefined, target: MirrorTarget): boolean =>
      watch?.mode !== 'mirror' ||
      watches
        .group(watch)
        .some(({ channel }) =>
          [target.channel, channelAround(target.channel)].some((one) =>
            isSameChannel(channel, one),
          ),
        ),
  };
};
