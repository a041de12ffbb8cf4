import type { Clock } from '../../async/clock.ts';
import { type AppError, toAppError } from '../../errors.ts';
import type { ConsentChoice, ConsentRule } from '../../model/space-choices.ts';
import type { RoomMember } from '../../ports/voice.ts';

export interface ConsentDeps {
  readonly rule: ConsentRule;
  readonly clock: Clock;
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
  /**
   * Informs people that they are listened to from now on; resolves when they have been informed.
   */
  readonly inform: (members: readonly RoomMember[]) => Promise<void>;
  /** Subscribes to exactly these members. */
  readonly subscribe: (memberIds: readonly string[]) => void;
  /**
   * Reports why people could not be informed and are not listened to; undefined when they were
   * informed.
   */
  readonly notInformed: (error: AppError | undefined) => void;
}

/** Limits listening to people who were informed and did not refuse; bots are never listened to. */
export interface Consent extends Disposable {
  /** Takes all members who are present now. */
  present(members: readonly RoomMember[]): void;
  /** Takes a member's choice. A refusal takes effect at once. */
  chosen(memberId: string, choice: ConsentChoice): void;
  /** Resolves when all who are present were informed; rejects when they could not be. */
  readonly informed: () => Promise<void>;
  readonly isSubscribed: (memberId: string) => boolean;
}

/** Time for which newcomers are collected, to be informed together. */
const GATHER_MS = 1_500;
const RETRY_MS = 10_000;

interface Person {
  readonly member: RoomMember;
  isInformed: boolean;
  /** The member's choice; until it was looked up, the member is not listened to. */
  choice: ConsentChoice | 'unknown';
}

export const createConsent = (deps: ConsentDeps): Consent => {
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
  /**
   * People who must still be informed; those who refused need not be, for they are not listened to.
   */
  const waiting = (): Person[] =>
    [...people.values()].filter(({ isInformed, choice }) => !isInformed && choice !== 'refused');

  const lookUp = async (person: Person): Promise<void> => {
    const { id } = person.member;
    const choice = await choiceOf(id).catch(() => 'unknown' as const);
    // A choice that was made meanwhile takes precedence.
    if (person.choice === 'unknown') person.choice = choice;
    apply();
    if (person.choice === 'unknown' && people.get(id) === person)
      cancelLookUp ??= clock.after(RETRY_MS, lookUpAgain);
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
      informLater(RETRY_MS);
    }
  };

  return {
    present: (members) => {
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
    chosen: (memberId, choice) => {
      // People who refused before are informed before they are listened to again.
      if (choice === 'refused') everInformed.delete(memberId);
      const person = people.get(memberId);
      if (!person) return;
      person.choice = choice;
      apply();
      informLater(GATHER_MS);
    },
    informed: async () => {
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
    isSubscribed: (memberId) => subscribed.includes(memberId),
    [Symbol.dispose]: () => {
      isOver = true;
      cancel?.();
      cancelLookUp?.();
      people.clear();
      apply();
    },
  };
};
