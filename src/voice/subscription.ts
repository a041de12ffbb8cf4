import type { AppError } from '../errors.ts';
import { waitUntil, type Clock } from '../async/clock.ts';
import { createConsent, type Consent, type ConsentChoice } from './consent/consent.ts';
import type { SttPipeline } from './stt/pipeline.ts';
import type { TranscriptListener } from './stt/transcript-emitter.ts';
import type { RoomMember, VoiceLink, VoicePacket } from '../ports/voice.ts';
import type { ListeningMode } from './listening-mode.ts';

export interface SubscriptionDeps {
  readonly clock: Clock;
  readonly hear: VoiceLink['hear'];
  readonly people: () => readonly RoomMember[];
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
  readonly openEar: (
    manner: Omit<ListeningMode, 'rule'>,
    listener: TranscriptListener,
  ) => SttPipeline;
  /** Makes what tells people that they are heard, and what for. */
  readonly noticeOf: (manner: ListeningMode) => (members: readonly RoomMember[]) => Promise<void>;
  readonly untold: (error: AppError | undefined) => void;
  /** How the room is to be listened to now; undefined: not at all. */
  readonly wanted: () => ListeningMode | undefined;
  /** Is told what is heard for captions. */
  readonly captions: TranscriptListener;
  /** Is told what is heard for anything else. */
  readonly others: TranscriptListener;
}

/** Hears those who may be heard, for what they were told, as long as somebody wants it. */
export interface Subscription {
  readonly packet: (packet: VoicePacket) => void;
  readonly peopleChanged: () => void;
  chosen(memberId: string, choice: ConsentChoice): void;
  /**
   * To be called when what is wanted has changed. What was said for a purpose that is over is told
   * before it resolves, as far as that takes no longer than `patienceMs`.
   */
  adjust(patienceMs?: number): Promise<void>;
  /** Resolves when everybody who is there now was told, or rejects where they could not be. */
  told(): Promise<void>;
  /** Hears a member who asked for it, told or not, until the result is disposed of. */
  lend(memberId: string): Disposable;
}

/** How long what was said last is waited for. */
const LAST_WORDS_MS = 5_000;

interface Room extends ListeningMode {
  readonly consent: Consent;
  ear: SttPipeline;
}

export const createSubscription = (deps: SubscriptionDeps): Subscription => {
  const { clock, hear, people, choiceOf, openEar, noticeOf, untold, wanted } = deps;
  let room: Room | undefined;
  let heard: readonly string[] = [];
  /** Who is heard for a question → how many questions. */
  const lent = new Map<string, number>();
  let questionEar: SttPipeline | undefined;
  /** Those that hear nothing new and still tell what they heard. */
  const ending = new Set<SttPipeline>();

  /** Whatever is wanted when a line is told: it was said for what its speaker was told then. */
  const earOf = (manner: ListeningMode): SttPipeline =>
    openEar(manner, manner.purpose === 'captions' ? deps.captions : deps.others);
  const apply = (): void => hear([...new Set([...heard, ...lent.keys()])]);
  const open = (manner: ListeningMode): Room => ({
    ...manner,
    ear: earOf(manner),
    consent: createConsent({
      rule: manner.rule,
      clock,
      choiceOf,
      tell: noticeOf(manner),
      hear: (memberIds) => {
        heard = memberIds;
        apply();
      },
      untold,
    }),
  });
  const finish = async (ear: SttPipeline, patienceMs: number): Promise<void> => {
    ending.add(ear);
    await waitUntil(clock, clock.nowMs() + patienceMs, ear.settled());
    ending.delete(ear);
    await ear[Symbol.asyncDispose]();
  };

  /** Whether what a member says is heard as everybody's is. */
  const isOfRoom = (memberId: string): boolean =>
    room !== undefined &&
    (!lent.has(memberId) || (room.purpose !== 'voices' && room.consent.isHeard(memberId)));

  const giveBack = (memberId: string): void => {
    const left = (lent.get(memberId) ?? 0) - 1;
    if (left > 0) {
      lent.set(memberId, left);
      return;
    }
    lent.delete(memberId);
    apply();
    questionEar?.forget(memberId);
    if (lent.size > 0) return;
    void questionEar?.[Symbol.asyncDispose]();
    questionEar = undefined;
  };

  return {
    packet: (packet) => (isOfRoom(packet.speakerId) ? room?.ear : questionEar)?.packet(packet),
    peopleChanged: () => room?.consent.present(people()),
    chosen: (memberId, choice) => {
      room?.consent.chosen(memberId, choice);
      if (choice !== 'unheard') return;
      room?.ear.forget(memberId);
      for (const ear of ending) ear.forget(memberId);
      if (!lent.has(memberId)) return;
      lent.set(memberId, 1);
      giveBack(memberId);
    },
    adjust: async (patienceMs = LAST_WORDS_MS) => {
      const before = room;
      const next = wanted();
      const isSame = before?.purpose === next?.purpose && before?.rule === next?.rule;
      if (isSame && before?.partials === next?.partials && before?.pauseMs === next?.pauseMs)
        return;
      if (isSame && before && next) {
        // They were told already.
        room = { ...before, ...next, ear: earOf(next) };
      } else {
        before?.consent[Symbol.dispose]();
        room = next && open(next);
        room?.consent.present(people());
      }
      if (before) await finish(before.ear, patienceMs);
    },
    told: async () => room?.consent.told(),
    lend: (memberId) => {
      lent.set(memberId, (lent.get(memberId) ?? 0) + 1);
      questionEar ??= openEar({ purpose: 'name', partials: false }, deps.others);
      apply();
      let isLent = true;
      return {
        [Symbol.dispose]: () => {
          if (isLent && lent.has(memberId)) giveBack(memberId);
          isLent = false;
        },
      };
    },
  };
};
