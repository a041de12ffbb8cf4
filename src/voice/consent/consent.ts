import { type Platform } from '../../ports/platform.ts';
import { type Channel } from '../../model/place.ts';
import { type Speaking } from '../tts/speaking.ts';
import { type RoomTexts } from '../texts.ts';
import { type ListeningMode } from '../listening-mode.ts';
import { type ConsentRule } from '../../model/space-choices.ts';
import { type AppError, toAppError } from '../../errors.ts';
import type { Clock } from '../../async/clock.ts';
import type { RoomMember } from '../../ports/voice.ts';

export interface NoticeDeps {
  readonly platform: Pick<Platform, 'post'>;
  readonly channel: () => Channel;
  readonly speaking: Pick<Speaking, 'announce'>;
  readonly isSpoken: () => boolean;
  readonly texts: RoomTexts;
}

/** More than so many who come at once are told as everybody is: not by their names. */
const MOST_NAMED = 10;

/**
 * Tells people, before they are heard, what for: in writing, and aloud where the room wants that. In
 * each room everybody is told first, then those who come later. Rejects where it cannot be written.
 */
export const createNotice = (
  { platform, channel, speaking, isSpoken, texts }: NoticeDeps,
  { purpose, rule }: Pick<ListeningMode, 'purpose' | 'rule'>,
): ((members: readonly RoomMember[]) => Promise<void>) => {
  let toldIn: string | undefined;
  return async (members) => {
    const to = channel();
    const isLate = toldIn === to.id && members.length <= MOST_NAMED;
    await platform.post(to, texts.notice(purpose, rule, isLate ? members : undefined));
    toldIn = to.id;
    if (isSpoken()) await speaking.announce(texts.spokenNotice(purpose, rule, isLate));
  };
};

/** What somebody chose for a space; undefined: nothing yet. */
export type ConsentChoice = 'heard' | 'unheard' | undefined;

export interface ConsentDeps {
  readonly rule: ConsentRule;
  readonly clock: Clock;
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
  /** Tells people that they are heard from now on; resolves when they can know it. */
  readonly tell: (members: readonly RoomMember[]) => Promise<void>;
  /** These and nobody else are to be heard. */
  readonly hear: (memberIds: readonly string[]) => void;
  /** People could not be told, and are not heard until they are; undefined: they were. */
  readonly untold: (error: AppError | undefined) => void;
}

/** Lets nobody be heard who was not told, who said no, or who is no human being. */
export interface Consent extends Disposable {
  /** Everybody who is there now. */
  present(members: readonly RoomMember[]): void;
  /** Somebody chose. A no holds from this moment. */
  chosen(memberId: string, choice: ConsentChoice): void;
  /** Resolves when everybody who is there now was told, or rejects where they could not be. */
  readonly told: () => Promise<void>;
  readonly isHeard: (memberId: string) => boolean;
}

/** Who comes together is told together. */
const GATHER_MS = 1_500;
const RETRY_MS = 10_000;

interface Person {
  readonly member: RoomMember;
  isTold: boolean;
  /** Unknown until it was looked up; until then nobody is heard. */
  choice: ConsentChoice | 'unknown';
}

export const createConsent = (deps: ConsentDeps): Consent => {
  const { rule, clock, choiceOf, tell, hear, untold } = deps;
  const people = new Map<string, Person>();
  /** Who was told once in this room need not be told again when they come back. */
  const everTold = new Set<string>();
  let heard: readonly string[] = [];
  let cancel: (() => void) | undefined;
  let cancelLookUp: (() => void) | undefined;
  let telling: Promise<void> | undefined;
  let isOver = false;

  const mayHear = ({ isTold, choice }: Person): boolean =>
    isTold && (rule === 'agreed' ? choice === 'heard' : choice === 'heard' || choice === undefined);
  const apply = (): void => {
    const next = [...people.values()].filter(mayHear).map(({ member }) => member.id);
    if (next.length === heard.length && next.every((id, at) => id === heard[at])) return;
    heard = next;
    hear(next);
  };
  /** Who said no is not heard, and need not be told. */
  const waiting = (): Person[] =>
    [...people.values()].filter(({ isTold, choice }) => !isTold && choice !== 'unheard');

  const lookUp = async (person: Person): Promise<void> => {
    const { id } = person.member;
    const choice = await choiceOf(id).catch(() => 'unknown' as const);
    // What they chose meanwhile counts.
    if (person.choice === 'unknown') person.choice = choice;
    apply();
    if (person.choice === 'unknown' && people.get(id) === person)
      cancelLookUp ??= clock.after(RETRY_MS, lookUpAgain);
  };
  const lookUpAgain = (): void => {
    cancelLookUp = undefined;
    for (const person of people.values()) if (person.choice === 'unknown') void lookUp(person);
  };

  const tellWaiting = async (): Promise<void> => {
    const untoldYet = waiting();
    if (untoldYet.length === 0 || isOver) return;
    await tell(untoldYet.map(({ member }) => member));
    for (const { member } of untoldYet) everTold.add(member.id);
    // Also those who went out and came in again meanwhile.
    for (const [id, person] of people) person.isTold ||= everTold.has(id);
    apply();
  };
  const run = (): Promise<void> => {
    telling ??= tellWaiting().finally(() => {
      telling = undefined;
    });
    return telling;
  };
  const tellLater = (delayMs: number): void => {
    if (isOver || cancel || waiting().length === 0) return;
    cancel = clock.after(delayMs, () => {
      cancel = undefined;
      void tellNow();
    });
  };
  const tellNow = async (): Promise<void> => {
    try {
      await run();
      untold(undefined);
      tellLater(GATHER_MS);
    } catch (thrown) {
      if (isOver) return;
      untold(toAppError(thrown));
      tellLater(RETRY_MS);
    }
  };

  return {
    present: (members) => {
      const humans = members.filter(({ isBot }) => !isBot);
      const here = new Set(humans.map(({ id }) => id));
      for (const id of people.keys()) if (!here.has(id)) people.delete(id);
      for (const member of humans) {
        if (people.has(member.id)) continue;
        const person: Person = { member, isTold: everTold.has(member.id), choice: 'unknown' };
        people.set(member.id, person);
        void lookUp(person);
      }
      apply();
      tellLater(GATHER_MS);
    },
    chosen: (memberId, choice) => {
      // Whoever was taken out is to know it before they are heard again.
      if (choice === 'unheard') everTold.delete(memberId);
      const person = people.get(memberId);
      if (!person) return;
      person.choice = choice;
      apply();
      tellLater(GATHER_MS);
    },
    told: async () => {
      cancel?.();
      cancel = undefined;
      try {
        await run();
        // Some may have come while others were being told.
        await run();
      } finally {
        tellLater(GATHER_MS);
      }
    },
    isHeard: (memberId) => heard.includes(memberId),
    [Symbol.dispose]: () => {
      isOver = true;
      cancel?.();
      cancelLookUp?.();
      people.clear();
      apply();
    },
  };
};
