import { AppError } from '../errors.ts';
import type { Channel, Message } from '../model.ts';
import type { Services } from '../services.ts';
import type { Row } from '../store/inbox/index.ts';
import { fromStored } from '../store/inbox/stored-message.ts';
import type { WatchStore } from '../store/watches.ts';
import type { Ready } from './deliver.ts';
import { placesOf, planCopies, planReply, type Plan } from './plan.ts';
import { claimsAudio, type SkipReason } from './policy.ts';
import type { WatchPort } from './port.ts';
import { languagesOf, prepare } from './prepare.ts';
import { createProgress, type ProgressParts } from './progress.ts';
import { flaggedLanguage } from './reactions.ts';
import { createTalk } from './talk.ts';

export interface PlannerParts {
  readonly services: Pick<
    Services,
    'translator' | 'transcriber' | 'languages' | 'spaces' | 'usage'
  >;
  readonly watches: Pick<WatchStore, 'of' | 'group'>;
  readonly progress: Omit<ProgressParts, 'port'>;
  /** Throws a retryable `AppError` while the platform is off. */
  readonly portOf: (row: Row) => WatchPort;
}

const nothing = { placed: [], used: { characters: 0, audioMs: 0 }, fault: undefined } as const;

/** Nothing is to stand. */
const none = (skip: SkipReason): Plan => ({ ...nothing, skip });
/** What stands is left as it is. */
const leave = (skip: SkipReason): Plan => ({ ...nothing, skip, leaves: true });

const MINUTE_MS = 60_000;

/** Makes of a row what is to stand where. */
export const createPlanner = ({ services, watches, progress, portOf }: PlannerParts) => {
  const { languages, spaces, usage } = services;
  const talk = createTalk();

  /** The message of a row; undefined when it is gone. */
  const messageOf = async (row: Row): Promise<Message | undefined> => {
    if (row.message === 'gone') return undefined;
    const from = portOf(row);
    if (row.message === 'unread') return from.read(row.ref);
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

  const overLimit = async ({ space }: Message['ref']['channel']): Promise<boolean> => {
    const { dailyCharacters, dailyAudioMinutes } = await spaces.of(space);
    if (dailyCharacters === undefined && dailyAudioMinutes === undefined) return false;
    const { characters, audioMs } = await usage.today(space);
    return (
      characters >= (dailyCharacters ?? Infinity) ||
      audioMs >= (dailyAudioMinutes ?? Infinity) * MINUTE_MS
    );
  };

  /** Where a row of a watched channel may have had copies. */
  const targetsOf = async (row: Row): Promise<readonly Channel[]> => {
    const { channel } = row.ref;
    const watch = flaggedLanguage(row.purpose) === undefined ? watches.of(channel) : undefined;
    if (!watch) return [];
    const places = placesOf(watch, watches.group(watch), channel, portOf(row), languages);
    return Promise.all(places.map(({ target }) => target()));
  };

  const planOf = async (
    row: Row,
    message: Message,
    last: boolean,
    signal: AbortSignal,
  ): Promise<Plan> => {
    const { channel } = message.ref;
    const flagged = flaggedLanguage(row.purpose);
    const watch = flagged === undefined ? watches.of(channel) : undefined;
    if (flagged === undefined && !watch) return leave('not-watched');
    const context =
      message.text === '' || flagged !== undefined
        ? []
        : talk.next(row.lane, {
            id: row.ref.id,
            text: `${message.author.name}: ${message.text}`,
          });
    if (await overLimit(channel)) return leave('daily-limit');
    const group = watch ? watches.group(watch) : [];
    const wanted = watch ? languagesOf(watch, group, channel) : [flagged ?? ''];
    const task = {
      message,
      languages: wanted,
      transcribes: watch?.transcribes ?? true,
      context,
      last,
    };
    const from = portOf(row);
    if (watch && watch.mode !== 'reply') {
      const prepared = await prepare({ services }, task, signal);
      return planCopies(message, prepared, watch, group, { languages, port: from, last }, signal);
    }
    const line = createProgress({ ...progress, port: from }, row, message, signal);
    try {
      const prepared = await prepare({ services }, { ...task, onHeard: line.show }, signal);
      return planReply(message, prepared, { languages });
    } finally {
      await line.settled();
    }
  };

  return {
    prepare: async (
      row: Row,
      { last }: { readonly last: boolean },
      signal: AbortSignal,
    ): Promise<Ready> => {
      const message = await messageOf(row);
      if (!message) {
        const sweep = row.again ? await targetsOf(row) : [];
        return { row, message, plan: none('deleted'), sweep, isFirst: false };
      }
      const plan = await planOf(row, message, last, signal);
      // A line of progress is a copy too, made meanwhile.
      const isFirst = row.revision === 1 && !row.again && !message.files.some(claimsAudio);
      return { row, message, plan, sweep: [], isFirst };
    },
  };
};
