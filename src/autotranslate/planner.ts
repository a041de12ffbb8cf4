import { AppError } from '../errors.ts';
import { limitFault } from '../usage/limits.ts';
import { countFinished } from '../usage/meter.ts';
import { isSameChannel } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { Texts } from '../i18n.ts';
import { isQuiet } from '../model/space-choices.ts';
import type { ChannelWatch } from '../model/watch.ts';
import type { Services } from '../command/services.ts';
import { createLru } from '../async/lru.ts';
import type { Row } from '../store/inbox/row.ts';
import { flaggedLanguage } from '../store/inbox/purpose.ts';
import { fromStored } from '../store/inbox/stored-message.ts';
import type { WatchStore } from '../store/watches.ts';
import { countCodePoints } from '../text/unicode.ts';
import type { Ready, Sweep } from './deliver.ts';
import { replyMarks } from './compose.ts';
import {
  placesOf,
  planCopies,
  planFlagged,
  planReply,
  unprepared,
  type Placed,
  type Plan,
} from './plan.ts';
import { claimsAudio, skipReason, type SkipReason } from './policy.ts';
import type { WatchPort } from '../ports/channel-feed.ts';
import { languagesOf, prepare, type Finished } from './prepare.ts';
import { createProgress, type Progress, type ProgressDeps } from './progress.ts';
import { readFlagged } from './reactions.ts';
import type { TranslationContext } from './context.ts';

export interface PlannerParts {
  readonly services: Pick<
    Services,
    'translator' | 'transcriber' | 'languages' | 'spaces' | 'usage' | 'privacy'
  >;
  readonly watches: Pick<WatchStore, 'of' | 'group'>;
  readonly texts: Pick<Texts, 'in'>;
  readonly talk: Pick<TranslationContext, 'next'>;
  readonly progress: Omit<ProgressDeps, 'port'>;
  /** Throws a retryable `AppError` while the platform is off. */
  readonly portOf: (row: Row) => WatchPort;
}

/** Rows that failed in part, whose finished parts are kept for their next try. */
const MOST_REMEMBERED = 500;

const nothing = {
  placed: [],
  carries: [],
  used: { characters: 0, audioMs: 0 },
  fault: undefined,
} as const;

/** Reasons for which what stands is left as it is; for the others it is taken away. */
const LEAVING: ReadonlySet<string> = new Set<SkipReason>([
  'not-watched',
  'channel-gone',
  'space-gone',
  'forgotten',
]);

const none = (skip: SkipReason): Plan => ({ ...nothing, skip, leaves: LEAVING.has(skip) });

/** What cannot be prepared: nothing of it is to stand that is unfinished. */
export const planOfFault = (fault: AppError): Plan => ({ ...nothing, fault, leaves: true });

/** Threads have a watch made anew of their channel's each time: what it says is compared. */
const isSameWatch = (a: ChannelWatch | undefined, b: ChannelWatch | undefined): boolean =>
  a?.languages === b?.languages &&
  a?.mode === b?.mode &&
  a?.group === b?.group &&
  a?.transcribes === b?.transcribes;

/** Makes of a row what is to stand where. */
export const createPlanner = (parts: PlannerParts) => {
  const { services, watches, texts, talk, progress, portOf } = parts;
  const { languages, privacy, spaces } = services;
  const remembered = createLru<string, Finished>(MOST_REMEMBERED);

  /** What was finished of this state of a message in a try before. */
  const finishedOf = (key: string, authorId: string): Finished => {
    const finished = remembered.get(key) ?? {
      authorId,
      translations: new Map(),
      transcripts: new Map(),
      used: { characters: 0, audioMs: 0 },
    };
    remembered.set(key, finished);
    return finished;
  };

  /** The message of a row; undefined when it is gone. */
  const messageOf = async (row: Row): Promise<Message | undefined> => {
    if (row.message === 'gone' || row.message === 'skipped') return undefined;
    const from = portOf(row);
    if (row.message === 'unread')
      return flaggedLanguage(row.purpose) === undefined
        ? from.read(row.ref)
        : readFlagged(row.ref, progress.copies, from);
    return fromStored(
      row.ref,
      row.message,
      ({ id }) =>
        async function* (signal) {
          // Read anew, because the addresses of files are good for a while only.
          const message = await from.read(row.ref);
          const file = message?.files.find((one) => one.id === id);
          if (!file) throw new AppError('not-found', 'the file is gone with its message');
          yield* file.open(signal);
        },
    );
  };

  /** Where a row may have had copies. */
  const sweepOf = async (row: Row): Promise<readonly Sweep[]> => {
    const { channel } = row.ref;
    const flagged = flaggedLanguage(row.purpose);
    // Other replies to the same message stay.
    if (flagged !== undefined)
      return [{ from: channel, marks: replyMarks(flagged, [], languages) }];
    const watch = watches.of(channel);
    if (!watch) return [];
    const places = placesOf(watch, watches.group(watch), channel, portOf(row), languages);
    return Promise.all(places.map(async ({ target }) => ({ from: await target() })));
  };

  /** The limit of the day that the work on a message would go over. */
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

  /** Asked again and again: the answer may be another one than when the message came. */
  const skipNow = async (
    { purpose, authorId }: Row,
    message: Message,
    watch: ChannelWatch | undefined,
  ): Promise<SkipReason | undefined> => {
    if (authorId === '') return 'forgotten';
    const { channel } = message.ref;
    const person = { platform: channel.space.platform, id: message.author.id };
    const optedOut = await privacy.optedOut(person);
    const choices = await spaces.of(channel.space);
    if (watch) return skipReason(message, watch, choices, optedOut);
    if (flaggedLanguage(purpose) === undefined) return 'not-watched';
    if (optedOut) return 'opted-out';
    return isQuiet(channel, choices) ? 'quiet-channel' : undefined;
  };

  const planOf = async (
    row: Row,
    message: Message,
    watch: ChannelWatch | undefined,
    last: boolean,
    line: Progress,
    signal: AbortSignal,
  ): Promise<Plan> => {
    const { channel } = message.ref;
    const { author, text } = message;
    const flagged = flaggedLanguage(row.purpose);
    const skip = await skipNow(row, message, watch);
    if (skip) return none(skip);
    const turn = { id: row.ref.id, authorId: author.id, text: `${author.name}: ${text}` };
    const context = watch && text !== '' ? talk.next(watch.group ?? channel.id, turn) : [];
    const group = watch ? watches.group(watch) : [];
    const wanted = watch ? languagesOf(watch, group, channel) : [flagged ?? ''];
    const transcribes = watch?.transcribes ?? true;
    const limit = await limitOver(message, wanted.length, transcribes);
    if (limit)
      return flagged === undefined
        ? none('daily-limit')
        : planFlagged(message, flagged, unprepared(flagged, limit), { languages, texts });
    const key = `${row.purpose} ${channel.id} ${row.ref.id} ${row.revision}`;
    const finished = finishedOf(key, row.authorId);
    const task = { message, languages: wanted, transcribes, context, last, finished };
    const copied = watch && watch.mode !== 'reply' ? watch : undefined;
    const prepared = await prepare(
      { services: countFinished(services, finished.used) },
      copied ? task : { ...task, onHeard: line.show },
      signal,
    );
    remembered.delete(key);
    if (flagged !== undefined) return planFlagged(message, flagged, prepared, { languages, texts });
    return copied
      ? planCopies(message, prepared, copied, group, { languages, port: portOf(row) })
      : planReply(message, prepared, { languages });
  };

  return {
    prepare: async (
      row: Row,
      { last }: { readonly last: boolean },
      signal: AbortSignal,
    ): Promise<Ready> => {
      const { again } = row;
      if (row.message === 'skipped') {
        const plan = none(row.skip as SkipReason);
        return { row, message: undefined, plan, watch: undefined, again, sweep: [] };
      }
      const message = await messageOf(row);
      if (!message) {
        const sweep = again ? await sweepOf(row) : [];
        return { row, message, plan: none('deleted'), watch: undefined, again, sweep };
      }
      const [mark] = replyMarks(flaggedLanguage(row.purpose), [], languages);
      const line = createProgress({ ...progress, port: portOf(row) }, row, message, signal, mark);
      try {
        const watch = watchOf(row);
        const plan = await planOf(row, message, watch, last, line, signal);
        await line.settled();
        return { row, message, plan, watch, again: again || line.isUncertain(), sweep: [] };
      } finally {
        await line.settled();
      }
    },

    /** Whether what was prepared is still to stand: people choose anew, and so do moderators. */
    isWanted: async ({ row, message, plan, watch }: Ready): Promise<boolean> => {
      if (!message || plan.placed.length === 0) return true;
      const now = watchOf(row);
      const isLinked = ({ target }: Placed): boolean =>
        now?.mode !== 'mirror' ||
        watches.group(now).some(({ channel }) => isSameChannel(channel, target));
      if (!isSameWatch(watch, now) || !plan.placed.every(isLinked)) return false;
      return (await skipNow(row, message, now)) === undefined;
    },

    /** Drops what is held of somebody's words. */
    forget: (authorId: string): void => {
      for (const [key, finished] of remembered)
        if (finished.authorId === authorId) remembered.delete(key);
    },
  };
};
