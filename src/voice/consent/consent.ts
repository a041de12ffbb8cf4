import { type Backoff, backoffMs, type Clock } from '../../async/clock.ts';
import { type AppError, toAppError } from '../../errors.ts';
import type { ConsentChoice, ConsentRule } from '../../model/room.ts';
import type { RoomMember } from '../../ports/voice.ts';
import type { Notice } from './notice.ts';

export interface ConsentDeps {
  readonly rule: ConsentRule;
  readonly clock: Clock;
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
  /** Informs people that they are listened to once they understood the notice. */
  readonly inform: Notice['inform'];
  readonly subscribe: (memberIds: readonly string[]) => void;
  /** Ids of people who were informed before a restart. Default: nobody. */
  readonly informed?: readonly string[] | undefined;
  readonly informedChanged: () => void;
  /** Reports why people were not informed, and are not listened to; undefined when they were. */
  readonly notInformed: (error: AppError | undefined) => void;
}

/** Time for which newcomers are collected, to be informed together. */
const GATHER_MS = 1_500;
/** Wait after a lookup that failed. */
const TRY_AGAIN_AFTER_MS = 10_000;
/** Waits after notices that failed: longer ones while the channel refuses them. */
const NOTICE_BACKOFF: Backoff = { firstMs: TRY_AGAIN_AFTER_MS, longestMs: 300_000 };

interface Person {
  readonly member: RoomMember;
  isInformed: boolean;
  /** The member's choice; until it was looked up, the member is not listened to. */
  choice: ConsentChoice | 'unknown';
  /** Cancels a further lookup. */
  cancelLookUp: (() => void) | undefined;
}

/** A notice on its way: posted, and understood. Both reject when it cannot be posted. */
interface Informing {
  readonly posted: Promise<unknown>;
  readonly understood: Promise<void>;
}

export type Consent = ReturnType<typeof createConsent>;

/** Limits listening to people who were informed and did not refuse; bots are never listened to. */
export const createConsent = (deps: ConsentDeps) => {
  const { rule, clock, choiceOf, inform, subscribe, informedChanged, notInformed } = deps;
  const people = new Map<string, Person>();
  /** Ids of people who were informed in this room, and need not be when they come back. */
  const everInformed = new Set(deps.informed);
  let subscribed: readonly string[] = [];
  let cancel: (() => void) | undefined;
  let informing: Informing | undefined;
  let isOver = false;
  /** Notices that were refused in a row. */
  let refusals = 0;

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
      person.cancelLookUp = clock.after(TRY_AGAIN_AFTER_MS, () => {
        if (person.choice === 'unknown') void lookUp(person);
      });
  };
  const remove = (id: string): void => {
    people.get(id)?.cancelLookUp?.();
    people.delete(id);
  };

  const markInformed = (members: readonly RoomMember[]): void => {
    for (const { id } of members) everInformed.add(id);
    // This includes people who left and came back meanwhile.
    for (const [id, person] of people) person.isInformed ||= everInformed.has(id);
    apply();
    if (members.length > 0) informedChanged();
  };
  const informWaiting = (): Informing => {
    const members = waiting().map(({ member }) => member);
    const notice =
      members.length === 0 || isOver ? { understood: Promise.resolve() } : inform(members);
    const posted = Promise.resolve(notice);
    const finish = async (): Promise<void> => {
      try {
        const { understood } = await posted;
        await understood;
        markInformed(members);
      } finally {
        informing = undefined;
      }
    };
    return { posted, understood: finish() };
  };
  const run = (): Informing => (informing ??= informWaiting());
  const informLater = (delayMs: number): void => {
    if (isOver || cancel || waiting().length === 0) return;
    const informNow = async (): Promise<void> => {
      cancel = undefined;
      try {
        await run().understood;
        notInformed(undefined);
        refusals = 0;
        informLater(GATHER_MS);
      } catch (thrown) {
        if (isOver) return;
        const error = toAppError(thrown);
        notInformed(error);
        informLater(backoffMs(NOTICE_BACKOFF, refusals));
        refusals = error.retryable ? 0 : refusals + 1;
      }
    };
    cancel = clock.after(delayMs, () => void informNow());
  };
  const stopWaiting = (): void => {
    cancel?.();
    cancel = undefined;
  };

  return {
    present: (members: readonly RoomMember[]): void => {
      const humans = members.filter(({ isBot }) => !isBot);
      const here = new Set(humans.map(({ id }) => id));
      for (const id of people.keys()) if (!here.has(id)) remove(id);
      for (const member of humans) {
        if (people.has(member.id)) continue;
        const isInformed = everInformed.has(member.id);
        const person: Person = { member, isInformed, choice: 'unknown', cancelLookUp: undefined };
        people.set(member.id, person);
        void lookUp(person);
      }
      apply();
      informLater(GATHER_MS);
    },
    /** Takes a member's choice. A refusal takes effect at once. */
    chosen: (memberId: string, choice: ConsentChoice): void => {
      // People who refused before are informed before they are listened to again.
      if (choice === 'refused' && everInformed.delete(memberId)) informedChanged();
      const person = people.get(memberId);
      if (!person) return;
      person.choice = choice;
      apply();
      informLater(GATHER_MS);
    },
    /**
     * Resolves when the notice for all who are present is posted; rejects when it cannot be. Each of them
     * is listened to once they understood it. After a restart it is there already: those who came meanwhile
     * are informed as newcomers are.
     */
    posted: async (): Promise<void> => {
      if (deps.informed) return informLater(GATHER_MS);
      stopWaiting();
      try {
        const { posted, understood } = run();
        understood.catch(() => undefined);
        await posted;
      } finally {
        informLater(GATHER_MS);
      }
    },
    /** Ids of people who were informed and did not refuse since. */
    informed: (): readonly string[] => [...everInformed],
    /** Informs people soon who could not be informed: permissions may have changed. */
    retry: (): void => {
      if (refusals === 0) return;
      stopWaiting();
      informLater(GATHER_MS);
    },
    isSubscribed: (memberId: string): boolean => subscribed.includes(memberId),
    [Symbol.dispose]: () => {
      isOver = true;
      stopWaiting();
      for (const id of people.keys()) remove(id);
      apply();
    },
  };
};
