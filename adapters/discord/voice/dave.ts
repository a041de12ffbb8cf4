/** End-to-end encryption (DAVE, daveprotocol.com) as a listener meets it. */
import { SILENCE_PACKET } from '../../../src/audio/opus.ts';
import { createBudget } from './counters.ts';
import type { DaveSession } from './wires.ts';

export interface DaveReader {
  /** The Opus packet of a frame; undefined where it cannot be had. */
  open(frame: Buffer, memberId: string): Buffer | undefined;
  /** The gateway said something that the library could not take in. */
  readonly choked: () => void;
  /** A new session: what failed before counts no more. */
  renewed(): void;
}

export interface DaveReaderParts {
  readonly dave: () => DaveSession | undefined;
  readonly nowMs: () => number;
  /** Nothing but a new connection is left to try. */
  readonly exhausted: () => void;
}

/** As the library's own, but for each speaker: one who can be heard says nothing about another. */
const FAILURE_TOLERANCE = 36;
/** A group made anew costs everybody some packets, so it is not made again and again. */
const RECOVERIES = { most: 3, windowMs: 30_000 };
/** Where others can be heard, the fault may be the speaker's alone, and they pay for each try. */
const RECOVERIES_FOR_ONE = { most: 1, windowMs: 60_000 };
const JUST_NOW_MS = 2_000;
/** The library ends no change of keys that goes wrong a second time: it waits for ever. */
const STUCK_MS = 10_000;
/** For so long after a change some still send what is not encrypted (protocol, "Passthrough Mode"). */
const PLAIN_MS = 10_000;
/** `MediaType.AUDIO` of the library, which is a constant of its types alone. */
const AUDIO = 0;
/** What every encrypted frame ends with (protocol, "Payload Format"). */
const MARKER = 0xfafa;

const isEncrypted = (frame: Buffer): boolean =>
  frame.length >= 2 && frame.readUInt16BE(frame.length - 2) === MARKER;

const isSilence = (frame: Buffer): boolean => frame.equals(SILENCE_PACKET);

export const createDaveReader = ({ dave, nowMs, exhausted }: DaveReaderParts): DaveReader => {
  const failures = new Map<string, number>();
  const forAll = createBudget(RECOVERIES.most, RECOVERIES.windowMs, nowMs);
  const forOne = createBudget(RECOVERIES_FOR_ONE.most, RECOVERIES_FOR_ONE.windowMs, nowMs);
  let openedMs = Number.NEGATIVE_INFINITY;
  let changingSinceMs: number | undefined;
  let version = 0;
  let plainUntilMs = Number.NEGATIVE_INFINITY;

  const makeAnew = (current: DaveSession): void => {
    failures.clear();
    // The library does so after no transition 0, and throws instead.
    current.recoverFromInvalidTransition(current.lastTransitionId ?? 0);
  };
  const recover = (): void => {
    const current = dave();
    if (current && forAll.take()) makeAnew(current);
    else exhausted();
  };

  const failed = (memberId: string, current: DaveSession): void => {
    if (current.reinitializing || current.pendingTransitions.size > 0) {
      // While keys change hands, packets of the old ones are to be expected.
      changingSinceMs ??= nowMs();
      if (nowMs() - changingSinceMs <= STUCK_MS) return;
      changingSinceMs = undefined;
      exhausted();
      return;
    }
    changingSinceMs = undefined;
    const count = (failures.get(memberId) ?? 0) + 1;
    failures.set(memberId, count);
    if (count <= FAILURE_TOLERANCE) return;
    if (nowMs() - openedMs > JUST_NOW_MS) recover();
    else if (forOne.take()) makeAnew(current);
  };

  return {
    open: (frame, memberId) => {
      const current = dave();
      const session = current?.session;
      if (!current || !session || isSilence(frame)) return isEncrypted(frame) ? undefined : frame;
      if (!session.ready) {
        if (!isEncrypted(frame)) return frame;
        failed(memberId, current);
        return undefined;
      }
      if (current.protocolVersion !== version) {
        version = current.protocolVersion;
        plainUntilMs = nowMs() + PLAIN_MS;
      }
      if (version === 0 && !session.canPassthrough(memberId)) return frame;
      // After a time without encryption the library lets plain frames pass for ever.
      if (version > 0 && !isEncrypted(frame) && nowMs() > plainUntilMs) return undefined;
      try {
        const packet = session.decrypt(memberId, AUDIO, frame);
        failures.delete(memberId);
        openedMs = nowMs();
        changingSinceMs = undefined;
        return packet;
      } catch {
        failed(memberId, current);
        return undefined;
      }
    },
    choked: recover,
    renewed: () => {
      failures.clear();
      changingSinceMs = undefined;
    },
  };
};
