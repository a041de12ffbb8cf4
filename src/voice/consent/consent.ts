import type { Clock } from '../../async/clock.ts';
import { type AppError, toAppError } from '../../errors.ts';
import type { ConsentChoice, ConsentRule } from '../../model/space-choices.ts';
import type { RoomMember } from '../../ports/voice.ts';
import type { Channel } from '../../model/place.ts';
import type { Platform } from '../../ports/platform.ts';
import type { ListeningMode } from '../listening-mode.ts';
import type { RoomTexts } from '../texts.ts';
import type { Speaking } from '../tts/speaking.ts';

export interface ConsentDeps {
  readonly rule: ConsentRule;
  readonly clock: Clock;
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
  /** Informs people that they are listened to from now on; resolves when they know. */
  readonly inform: (members: readonly RoomMember[]) => Promise<void>;
  readonly subscribe: (memberIds: readonly string[]) => void;
  /** Reports why people were not informed, and are not listened to; undefined when they were. */
  readonly notInformed: (error: AppError | undefined) => void;
}

/** Time for which newcomers are collected, to be informed together. */
const GATHER_MS = 1_500;
/** Wait after a lookup or a notice that failed. */
const TRY_AGAIN_AFTER_MS = 10_000;

interface Person {
  readonly member: RoomMember;
  isInformed: boolean;
  /** The member's choice; until it was looked up, the member is not listened to. */
  choice: ConsentChoice | 'unknown';
}

export type Consent = ReturnType<typeof createConsent>;

/** Limits listening to people who were informed and did not refuse; bots are never listened to. */
export const createConsent = (deps: ConsentDeps) => {
  const { rule, clock, choiceOf, inform, subscribe, notInformed } = deps;
  const people = new Map<string, Person>();
  /** Ids of people who were informed in this room, and need not be when they come back. */
  const everInformed = new Set<string>();
  let subscribed: readonly string[] = [];
  let cancel: (() => void) | undefined;
  let cancelLookUp: (() => void) | undefined;
  let informing: Promise<void> | undefined;
  let isOver = false;

  const isAllowed = ({ isInformed, choice }: Person): boolean =>
    isInformed && (choice === 'allowed' || (rule === 'told' && choice === undefined));
  const apply = (): void => {
    const allowed = [...people.values()].filter(isAllowed).map(({ member }) => member.id);
    if (allowed.length === subscribed.length && allowed.every((id, at) => id === subscribed[at]))
      return;
    subscribed = allowed;
    subscribe(allowed);
  };
  /** People who must still be informed: not those who refused, for nobody listens to them. */
  const waiting = (): Person[] =>
    [...people.values()].filter(({ isInformed, choice }) => !isInformed && choice !== 'refused');

  const lookUp = async (person: Person): Promise<void> => {
    const { id } = person.member;
    const choice = await choiceOf(id).catch(() => 'unknown' as const);
    // A choice that was made meanwhile takes precedence.
    if (person.choice === 'unknown') person.choice = choice;
    apply();
    if (person.choice === 'unknown' && people.get(id) === person)
      cancelLookUp ??= clock.after(TRY_AGAIN_AFTER_MS, lookUpAgain);
  };
  const lookUpAgain = (): void => {
    cancelLookUp = undefined;
    for (const person of people.values()) if (person.choice === 'unknown') void lookUp(person);
  };

  const informWaiting = async (): Promise<void> => {
    const members = waiting().map(({ member }) => member);
    if (members.length === 0 || isOver) return;
    await inform(members);
    for (const { id } of members) everInformed.add(id);
    // This includes people who left and came back meanwhile.
    for (const [id, person] of people) person.isInformed ||= everInformed.has(id);
    apply();
  };
  const run = (): Promise<void> => {
    informing ??= informWaiting().finally(() => {
      informing = undefined;
    });
    return informing;
  };
  const informLater = (delayMs: number): void => {
    if (isOver || cancel || waiting().length === 0) return;
    cancel = clock.after(delayMs, () => {
      cancel = undefined;
      void informNow();
    });
  };
  const informNow = async (): Promise<void> => {
    try {
      await run();
      notInformed(undefined);
      informLater(GATHER_MS);
    } catch (thrown) {
      if (isOver) return;
      notInformed(toAppError(thrown));
      informLater(TRY_AGAIN_AFTER_MS);
    }
  };

  return {
    present: (members: readonly RoomMember[]): void => {
      const humans = members.filter(({ isBot }) => !isBot);
      const here = new Set(humans.map(({ id }) => id));
      for (const id of people.keys()) if (!here.has(id)) people.delete(id);
      for (const member of humans) {
        if (people.has(member.id)) continue;
        const isInformed = everInformed.has(member.id);
        const person: Person = { member, isInformed, choice: 'unknown' };
        people.set(member.id, person);
        void lookUp(person);
      }
      apply();
      informLater(GATHER_MS);
    },
    /** Takes a member's choice. A refusal takes effect at once. */
    chosen: (memberId: string, choice: ConsentChoice): void => {
      // People who refused before are informed before they are listened to again.
      if (choice === 'refused') everInformed.delete(memberId);
      const person = people.get(memberId);
      if (!person) return;
      person.choice = choice;
      apply();
      informLater(GATHER_MS);
    },
    /** Resolves when all who are present were informed; rejects when they could not be. */
    informed: async (): Promise<void> => {
      cancel?.();
      cancel = undefined;
      try {
        await run();
        // Some may have come while others were being informed.
        await run();
      } finally {
        informLater(GATHER_MS);
      }
    },
    isSubscribed: (memberId: string): boolean => subscribed.includes(memberId),
    [Symbol.dispose]: () => {
      isOver = true;
      cancel?.();
      cancelLookUp?.();
      people.clear();
      apply();
    },
  };
};

export interface NoticeDeps {
  readonly platform: Pick<Platform, 'post'>;
  readonly channel: () => Channel;
  readonly speaking: Pick<Speaking, 'announce'>;
  readonly isSpoken: () => boolean;
  readonly texts: RoomTexts;
}

/** Most people whom a notice names; for more it addresses everybody. */
const MOST_NAMED = 10;

/**
 * Informs people of the use before they are listened to: in writing, and aloud where the room wants
 * that. The first notice in a room is for everybody, later ones are for newcomers. Rejects when the
 * notice cannot be posted.
 */
export const createNotice = (
  { platform, channel, speaking, isSpoken, texts }: NoticeDeps,
  { use, rule }: Pick<ListeningMode, 'use' | 'rule'>,
): ((members: readonly RoomMember[]) => Promise<void>) => {
  let postedIn: string | undefined;
  return async (members) => {
    const to = channel();
    const isLate = postedIn === to.id && members.length <= MOST_NAMED;
    await platform.post(to, texts.notice(use, rule, isLate ? members : undefined));
    postedIn = to.id;
    if (isSpoken()) await speaking.announce(texts.spokenNotice(use, rule, isLate));
  };
};
