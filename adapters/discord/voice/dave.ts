/** End-to-end encryption (DAVE, daveprotocol.com), as far as receiving needs it. */
import { SILENCE_PACKET } from '../../../src/audio/opus/packet.ts';
import { createBudget } from './budget.ts';
import type { DaveSession } from './library-internals.ts';

export interface DaveReader {
  /** Decrypts a frame; undefined where that fails. */
  open(frame: Buffer, memberId: string): Buffer | undefined;
  /** True when a decrypted frame is surely of the member for whom it was decrypted. */
  proves(): boolean;
  /** Reports a gateway message on which the library failed. */
  readonly failedMessage: () => void;
  /** Reports a new session: earlier failures count no more. */
  renewed(): void;
}

export interface DaveReaderDeps {
  readonly dave: () => DaveSession | undefined;
  readonly nowMs: () => number;
  /** Reports that nothing but a new connection is left to try. */
  readonly exhausted: () => void;
}

/** Failures in a row as the library tolerates them, but for each speaker. */
const FAILURE_TOLERANCE = 36;
/** Renewals of the group: each costs everybody some packets. */
const RECOVERIES = { most: 3, windowMs: 30_000 };
/** Renewals for one speaker: where others can be received, the fault may be theirs alone. */
const RECOVERIES_FOR_ONE = { most: 1, windowMs: 300_000 };
const JUST_NOW_MS = 2_000;
/** Longest change of keys: the library waits for ever for one that goes wrong a second time. */
const STUCK_MS = 10_000;
/** Time after a change in which some still send unencrypted (protocol, "Passthrough Mode"). */
const PLAIN_MS = 10_000;
/** `MediaType.AUDIO` of the library, which is a constant of its types alone. */
const AUDIO = 0;
/** The end of every encrypted frame (protocol, "Payload Format"). */
const MARKER = 0xfafa;

const isEncrypted = (frame: Buffer): boolean =>
  frame.length >= 2 && frame.readUInt16BE(frame.length - 2) === MARKER;

const isSilence = (frame: Buffer): boolean => frame.equals(SILENCE_PACKET);

/** Identifies a change of keys as long as it goes on. */
const changeOf = ({ session, reinitializing, pendingTransitions }: DaveSession): string =>
  [session?.ready, reinitializing, ...pendingTransitions.keys()].join(' ');
/** The state of a group that is ready and at rest. */
const AT_REST = 'true false';

export const createDaveReader = ({ dave, nowMs, exhausted }: DaveReaderDeps): DaveReader => {
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
      // The library does so after no transition 0, and throws instead.
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

  /** True while keys change: packets of the old ones are to be expected, but not for ever. */
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
    // What it makes anew already it does not make anew once more.
    if (current.reinitializing) exhausted();
    else if (nowMs() - openedMs > JUST_NOW_MS) recover();
    else if (forOne.take()) makeAnew(current);
  };

  /** True when a plain frame may pass: after a time without encryption the library lets them pass for ever. */
  const takesPlain = (current: DaveSession): boolean => {
    if (version !== undefined && version !== current.protocolVersion)
      plainUntilMs = nowMs() + PLAIN_MS;
    version = current.protocolVersion;
    // Others may be told a moment before us that the encryption ends.
    const isEnding = current.pendingTransitions.values().some((next) => next === 0);
    return version === 0 || isEnding || nowMs() <= plainUntilMs;
  };

  return {
    open: (frame, memberId) => {
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
        // Where nothing is encrypted any more there is nothing to mend.
        if (current.protocolVersion > 0) failed(memberId, current);
        return undefined;
      }
    },
    proves: () => {
      const current = dave();
      return current !== undefined && !takesPlain(current);
    },
    failedMessage: recover,
    renewed: () => {
      failures.clear();
      change.name = AT_REST;
      version = undefined;
      plainUntilMs = Number.NEGATIVE_INFINITY;
    },
  };
};
