/** End-to-end encryption (DAVE, daveprotocol.com), as far as receiving needs it. */
import { SILENCE_PACKET } from '../../../src/audio/opus/packet.ts';
import { createBudget } from './recovery.ts';
import type { DaveSession } from './library-internals.ts';

export interface DaveReaderDeps {
  readonly dave: () => DaveSession | undefined;
  readonly nowMs: () => number;
  /** Reports that only a new connection is left to try. */
  readonly exhausted: () => void;
}

/** Failures in a row that are tolerated for each speaker; the library tolerates as many in all. */
const FAILURE_TOLERANCE = 36;
/** Most renewals of the group: each loses some packets of everybody. */
const RECOVERIES = { most: 3, windowMs: 30_000 };
/** Most renewals for one speaker: when others can be received, the error may be theirs alone. */
const RECOVERIES_FOR_ONE = { most: 1, windowMs: 300_000 };
const JUST_NOW_MS = 2_000;
/** Longest change of keys: the library waits for ever for one that fails a second time. */
const STUCK_MS = 10_000;
/** Time after a change in which some still send unencrypted (protocol, "Passthrough Mode"). */
const PLAIN_MS = 10_000;
/** The value of `MediaType.AUDIO`, which the library declares only in its types. */
const AUDIO = 0;
/** The end of every encrypted frame (protocol, "Payload Format"). */
const MARKER = 0xfafa;

const isEncrypted = (frame: Buffer): boolean =>
  frame.length >= 2 && frame.readUInt16BE(frame.length - 2) === MARKER;

const isSilence = (frame: Buffer): boolean => frame.equals(SILENCE_PACKET);

const changeOf = ({ session, reinitializing, pendingTransitions }: DaveSession): string =>
  [session?.ready, reinitializing, ...pendingTransitions.keys()].join(' ');
/** The name for the state of a group that is ready and does not change. */
const AT_REST = 'true false';

export type DaveReader = ReturnType<typeof createDaveReader>;

export const createDaveReader = ({ dave, nowMs, exhausted }: DaveReaderDeps) => {
  const failures = new Map<string, number>();
  const forAll = createBudget(RECOVERIES.most, RECOVERIES.windowMs, nowMs);
  const forOne = createBudget(RECOVERIES_FOR_ONE.most, RECOVERIES_FOR_ONE.windowMs, nowMs);
  let openedMs = Number.NEGATIVE_INFINITY;
  let change = { name: AT_REST, sinceMs: 0 };
  let version: number | undefined;
  let plainUntilMs = Number.NEGATIVE_INFINITY;

  const makeAnew = (current: DaveSession): void => {
    failures.clear();
    try {
      // The library itself does not recover after transition 0, and throws instead.
      current.recoverFromInvalidTransition(current.lastTransitionId ?? 0);
    } catch {
      exhausted();
    }
  };
  const recover = (): void => {
    const current = dave();
    if (current && forAll.take()) makeAnew(current);
    else exhausted();
  };

  /** True while keys change: packets with the old keys are expected then, but not for ever. */
  const isChanging = (current: DaveSession): boolean => {
    const name = changeOf(current);
    if (name !== change.name) change = { name, sinceMs: nowMs() };
    return name !== AT_REST && nowMs() - change.sinceMs <= STUCK_MS;
  };
  const failed = (memberId: string, current: DaveSession): void => {
    if (isChanging(current)) return;
    const count = (failures.get(memberId) ?? 0) + 1;
    failures.set(memberId, count);
    if (count <= FAILURE_TOLERANCE) return;
    // A group that is already being renewed is not renewed once more.
    if (current.reinitializing) exhausted();
    else if (nowMs() - openedMs > JUST_NOW_MS) recover();
    else if (forOne.take()) makeAnew(current);
  };

  /** Accepts unencrypted frames for a time only: the library would accept them for ever. */
  const takesPlain = (current: DaveSession): boolean => {
    if (version !== undefined && version !== current.protocolVersion)
      plainUntilMs = nowMs() + PLAIN_MS;
    version = current.protocolVersion;
    // Others may learn before the bot that the encryption ends.
    const isEnding = current.pendingTransitions.values().some((next) => next === 0);
    return version === 0 || isEnding || nowMs() <= plainUntilMs;
  };

  return {
    /** Decrypts a frame; undefined where that fails. */
    open: (frame: Buffer, memberId: string): Buffer | undefined => {
      const current = dave();
      // Silence is never encrypted.
      if (!current || isSilence(frame)) return isEncrypted(frame) ? undefined : frame;
      const isPlainTaken = takesPlain(current);
      if (!isEncrypted(frame)) return isPlainTaken ? frame : undefined;
      try {
        if (!current.session?.ready) throw new Error('there is no group yet');
        const packet = current.session.decrypt(memberId, AUDIO, frame);
        failures.delete(memberId);
        openedMs = nowMs();
        change.name = AT_REST;
        return packet;
      } catch {
        // Without encryption there is nothing to recover.
        if (current.protocolVersion > 0) failed(memberId, current);
        return undefined;
      }
    },
    /** True of an encrypted frame that the keys of a member decrypt; counts as no failure. */
    isFrom: (frame: Buffer, memberId: string): boolean => {
      const session = dave()?.session;
      if (!session?.ready || !isEncrypted(frame)) return false;
      try {
        session.decrypt(memberId, AUDIO, frame);
        return true;
      } catch {
        return false;
      }
    },
    /** True when a decrypted frame proves which member sent it. */
    proves: (): boolean => {
      const current = dave();
      return current !== undefined && !takesPlain(current);
    },
    /** Reports a gateway message on which the library failed. */
    failedMessage: recover,
    /** Reports a new session, which resets the count of failures. */
    renewed: (): void => {
      failures.clear();
      change.name = AT_REST;
      version = undefined;
      plainUntilMs = Number.NEGATIVE_INFINITY;
    },
  };
};
