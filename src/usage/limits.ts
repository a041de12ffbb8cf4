import { keyOf, type Space } from '../model/place.ts';
import { type UsageAmounts, usedTogether, type Usage } from '../store/usage.ts';
import { createKeyedMutex } from '../async/locks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../async/clock.ts';
import { type AppError, userError, type MessageKey } from '../errors.ts';
import {
  LIMITED_USES,
  type DailyLimits,
  type LimitedUse,
  type SpaceLimits,
  type SpaceChoices,
} from '../model/space.ts';
import { timestamp, type RichText, type Timestamp } from '../rich-text/rich-text.ts';
import { plainText } from '../rich-text/walk.ts';
import type { SpaceSettings } from '../store/settings.ts';
import { quotedWords } from '../text/quoted-words.ts';
import { countCodePoints } from '../text/unicode.ts';

/** Amounts of use to which limits apply. */
export type PendingAmounts = Partial<Omit<UsageAmounts, 'messages'>>;

/** Use that counts against the limits until it is disposed of: it was given up, or is recorded. */
export interface Reservation extends Disposable {
  /** Replaces what it holds. */
  change(amounts: PendingAmounts): void;
}

interface Held {
  readonly memberId: string;
  amounts: PendingAmounts;
}

const sumOf = (all: readonly Held[]): UsageAmounts => {
  const sum = { characters: 0, audioMs: 0, chatTokens: 0, messages: 0 };
  for (const { amounts } of all) {
    sum.characters += amounts.characters ?? 0;
    sum.audioMs += amounts.audioMs ?? 0;
    sum.chatTokens += amounts.chatTokens ?? 0;
  }
  return sum;
};

/** Creates the count of use that is under way, or has ended and is not recorded yet. */
const createPendingUse = () => {
  const spaces = new Map<string, Set<Held>>();

  return {
    of: (space: Space): UsageAmounts => sumOf([...(spaces.get(keyOf(space)) ?? [])]),
    /** Adds up the use of one member of a platform, in all spaces. */
    ofMember: (platform: string, memberId: string): UsageAmounts =>
      sumOf(
        [...spaces]
          .filter(([key]) => key.startsWith(keyOf({ platform, id: '' })))
          .flatMap(([, all]) => [...all].filter((held) => held.memberId === memberId)),
      ),
    hold: (space: Space, memberId: string, amounts: PendingAmounts): Reservation => {
      const key = keyOf(space);
      const all = spaces.get(key) ?? new Set<Held>();
      const held: Held = { memberId, amounts };
      all.add(held);
      spaces.set(key, all);
      return {
        change: (changed) => {
          held.amounts = changed;
        },
        [Symbol.dispose]: () => {
          all.delete(held);
          if (all.size === 0 && spaces.get(key) === all) spaces.delete(key);
        },
      };
    },
  };
};

/** An intended use: a number of code points, audio of unknown length, or a question. */
export type Demand = { readonly characters: number } | 'audio' | 'chat';

/** A space, and the person whose own limits apply, too: these hold over all spaces together. */
export interface LimitedConsumer {
  readonly space: Space;
  readonly memberId?: string | undefined;
}

/** Limits of a day that the operator sets: of each space, and of each person over all spaces of a platform. */
export interface OperatorLimits {
  readonly space: DailyLimits;
  readonly person: DailyLimits;
}

export interface LimitsDeps {
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly usage: Pick<Usage, 'today' | 'todayEverywhere'>;
  readonly operator?: OperatorLimits;
  /** True for a space that pays the service itself: the operator's limits don't bind it. */
  readonly ownsKey?: (space: Space) => Promise<boolean>;
  /** Clock: ms since 1970. */
  readonly now?: () => number;
}

const NO_LIMITS: OperatorLimits = { space: {}, person: {} };

const SENTENCES = {
  characters: { space: 'limits.characters', person: 'limits.characters-each' },
  audioMinutes: { space: 'limits.audio', person: 'limits.audio-each' },
  chatTokens: { space: 'limits.chat', person: 'limits.chat-each' },
} as const satisfies Record<LimitedUse, Record<'space' | 'person', MessageKey>>;

/** The sentences of limits per person. */
const OF_A_PERSON: ReadonlySet<MessageKey> = new Set(
  LIMITED_USES.map((use) => SENTENCES[use].person),
);

/** True for the limit of one person, which does not keep others from anything. */
export const isOfPerson = ({ sentence }: AppError): boolean => OF_A_PERSON.has(sentence.key);

/** The error as other people read it, who used nothing: it names the person whose limit it is. */
export const limitForOthers = (error: AppError, name: string): AppError =>
  isOfPerson(error)
    ? userError('rate-limited', 'limits.of-another', { name: quotedWords(name) })
    : error;

/** The end of a day in UTC, when counts begin anew, as people read it at their places. */
export const resetAfter = (timeMs: number): Timestamp =>
  timestamp((Math.floor(timeMs / DAY_MS) + 1) * (DAY_MS / 1_000), 't');

/** Counts the code points of a text: of rich text those of its words, without markup. */
export const charactersOf = (text: RichText | string): number =>
  countCodePoints(typeof text === 'string' ? text : plainText(text));

const limitedUseOf = (demand: Demand): LimitedUse => {
  if (demand === 'audio') return 'audioMinutes';
  return demand === 'chat' ? 'chatTokens' : 'characters';
};

const amountsOf = (demand: Demand): PendingAmounts => {
  if (demand === 'audio') return { audioMs: MINUTE_MS };
  return demand === 'chat' ? { chatTokens: 1 } : demand;
};

const usedOf = ({ characters, audioMs, chatTokens }: UsageAmounts): Record<LimitedUse, number> => ({
  characters,
  audioMinutes: Math.floor(audioMs / MINUTE_MS),
  chatTokens,
});

const lower = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** The lower one of each pair of limits. */
const lowerOf = (a: DailyLimits, b: DailyLimits): DailyLimits =>
  Object.fromEntries(LIMITED_USES.map((use) => [use, lower(a[use], b[use])]));

const remainingOf = (limits: DailyLimits, amounts: UsageAmounts): DailyLimits => {
  const used = usedOf(amounts);
  const remaining = (use: LimitedUse): number | undefined => {
    const limit = limits[use];
    return limit === undefined ? undefined : Math.max(0, limit - used[use]);
  };
  return Object.fromEntries(LIMITED_USES.map((use) => [use, remaining(use)]));
};

const chosenBy = (choices: SpaceChoices): DailyLimits => ({
  characters: choices.dailyCharacters,
  audioMinutes: choices.dailyAudioMinutes,
  chatTokens: choices.dailyChatTokens,
});

export type Limits = ReturnType<typeof createLimits>;

/** Creates the limits of a day: those of the operator, and of moderators for their space. */
export const createLimits = ({
  spaces,
  usage,
  operator: given = NO_LIMITS,
  ownsKey = async () => false,
  now = Date.now,
}: LimitsDeps) => {
  const of = async (space: Space): Promise<SpaceLimits> => {
    const operator = (await ownsKey(space)) ? NO_LIMITS : given;
    const chosen = chosenBy(await spaces.of(space));
    return {
      operator: operator.space,
      person: operator.person,
      space: lowerOf(operator.space, chosen),
      reset: resetAfter(now()),
    };
  };

  const pending = createPendingUse();
  const mutex = createKeyedMutex();

  /**
   * Resolves with `rate-limited`, with the use so far, reserved use included, and the time of the
   * next count, or with undefined when more may be used. Characters must fit whole; audio may begin
   * while a minute is left, and a question may be asked while a token is left.
   */
  const fault = async (
    { space, memberId }: LimitedConsumer,
    demand: Demand,
  ): Promise<AppError | undefined> => {
    const use = limitedUseOf(demand);
    const amount = typeof demand === 'string' ? 1 : demand.characters;
    const over = (
      limit: number | undefined,
      amounts: UsageAmounts,
      whose: 'space' | 'person',
    ): AppError | undefined => {
      const used = usedOf(amounts)[use];
      if (limit === undefined || used + amount <= limit) return undefined;
      const leftMs = DAY_MS - (now() % DAY_MS);
      const hours = Math.ceil(leftMs / HOUR_MS);
      return userError(
        'rate-limited',
        SENTENCES[use][whose],
        { used, limit, hours },
        { retryAfterMs: leftMs },
      );
    };
    const limits = await of(space);
    const ofPerson = memberId === undefined ? undefined : limits.person[use];
    const ofSpace = limits.space[use];
    // Read before what is recorded: use that is recorded meanwhile is counted twice rather than not at all.
    if (ofPerson !== undefined && memberId !== undefined) {
      const underWay = pending.ofMember(space.platform, memberId);
      const recorded = await usage.todayEverywhere(space.platform, memberId);
      const found = over(ofPerson, usedTogether(recorded, underWay), 'person');
      if (found) return found;
    }
    if (ofSpace === undefined) return undefined;
    const underWay = pending.of(space);
    return over(ofSpace, usedTogether(await usage.today(space), underWay), 'space');
  };

  return {
    of,
    fault,
    /**
     * Reserves use that may begin: the characters, a minute or a token. Otherwise rejects with what
     * `fault` resolves with.
     *
     * @param memberId the person for whom it is going to be recorded. Default: that of the consumer
     */
    reserve: async (
      consumer: LimitedConsumer,
      demand: Demand,
      memberId = consumer.memberId ?? '',
    ): Promise<Reservation> => {
      const { space, memberId: person } = consumer;
      const keys = [
        keyOf(space),
        ...(person === undefined ? [] : [`member ${space.platform} ${person}`]),
      ];
      // Of those who ask side by side, each sees what the one before was given.
      using turns = new DisposableStack();
      for (const key of keys) turns.use(await mutex.take(key));
      const found = await fault(consumer, demand);
      if (found) throw found;
      return pending.hold(space, memberId, amountsOf(demand));
    },
    /** Resolves with what may still be used today, of each use that is limited. */
    remaining: async ({ space, memberId }: LimitedConsumer): Promise<DailyLimits> => {
      const limits = await of(space);
      const ofSpace = remainingOf(limits.space, await usage.today(space));
      if (memberId === undefined) return ofSpace;
      return lowerOf(
        ofSpace,
        remainingOf(limits.person, await usage.todayEverywhere(space.platform, memberId)),
      );
    },
  };
};
