import { setTimeout as sleep } from 'node:timers/promises';
import { orAborted } from '../../../src/async/abort.ts';
import { SILENCE_PACKET } from '../../../src/audio/opus/packet.ts';
import { AppError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/async/clock.ts';
import { VoiceConnectionStatus, type VoiceConnection } from '@discordjs/voice';
import type { DaveSession } from './library-internals.ts';

export interface PacketSinkDeps {
  readonly connection: Pick<VoiceConnection, 'state' | 'playOpusPacket'>;
  readonly dave: () => Pick<DaveSession, 'protocolVersion' | 'session'> | undefined;
  /** The reason why the bot may not speak here; undefined when it may. */
  readonly silenced: () => AppError | undefined;
  readonly nowMs: () => number;
}

/** Longest wait for keys and for a stage: both take less or never come. */
const HOLD_MS = 3_000;
/** Pause between packets after which a new wait begins; waiting packets are retried every 20 ms. */
const PAUSE_MS = 1_000;

/**
 * Creates a function that sends a packet where people can receive it. It returns false when the
 * packet must be retried, and throws when the bot has been kept from speaking for three seconds.
 * Nothing is ever sent unencrypted into an encrypted channel, as the library does until its keys
 * are ready.
 */
export const createPacketSink = ({ connection, dave, nowMs, ...deps }: PacketSinkDeps) => {
  let held: { readonly sinceMs: number; lastMs: number } | undefined;

  const isKeyed = (): boolean => {
    const current = dave();
    return !current || current.protocolVersion === 0 || current.session?.ready === true;
  };
  const isHeldForLong = (): boolean => {
    const now = nowMs();
    if (!held || now - held.lastMs > PAUSE_MS) held = { sinceMs: now, lastMs: now };
    held.lastMs = now;
    return now - held.sinceMs >= HOLD_MS;
  };

  return (packet: Buffer): boolean => {
    if (connection.state.status !== VoiceConnectionStatus.Ready) return false;
    const silenced = deps.silenced();
    if (silenced || !isKeyed()) {
      if (!isHeldForLong()) return false;
      if (silenced) throw silenced;
      return true;
    }
    held = undefined;
    try {
      return connection.playOpusPacket(packet) === true;
    } catch {
      // A packet that cannot be encrypted is treated as lost on the network.
      return true;
    }
  };
};

export interface PlayerDeps {
  readonly clock: Clock;
  /** Sends one packet; returns false when it cannot be sent yet. Throws when it may not be sent. */
  readonly send: (packet: Buffer) => boolean;
  /** Shows that the bot no longer speaks. */
  readonly silence: () => void;
}

const PACKET_MS = 20;
/** Packets that are fetched ahead, so that a short delay of their source makes no gap. */
const AHEAD = 10;
/** Longest delay of a timer that a burst of packets makes up for. */
const LATEST_MS = 100;
/** Silent packets after speech, so that decoders do not take its end for a loss. */
const TRAILING = 5;

const SILENCE = Buffer.from(SILENCE_PACKET);

interface Playing {
  readonly ahead: Buffer[];
  isWhole: boolean;
  wantMore: () => void;
  readonly done: PromiseWithResolvers<void>;
}

const gone = (): AppError => new AppError('cancelled', 'the voice channel was left');

/** Sends packets in real time, on a clock of its own that does not drift. */
export const createPlayer = ({ clock, send, silence }: PlayerDeps) => {
  let playing: Playing | undefined;
  let cancelTimer: (() => void) | undefined;
  let dueMs = 0;
  /** Silent packets that are still to be sent after speech. */
  let trailing = 0;
  let isSpeaking = false;
  let isGone = false;

  const schedule = (): void => {
    const now = clock.nowMs();
    if (now - dueMs > LATEST_MS) dueMs = now + PACKET_MS;
    cancelTimer = clock.after(Math.max(0, dueMs - now), tick);
  };
  /** The next packet, or silence after speech; undefined when there is nothing to send. */
  const nextPacket = (): Buffer | undefined => {
    const packet = playing?.ahead[0];
    if (packet) return packet;
    return trailing > 0 ? SILENCE : undefined;
  };
  const sent = (packet: Buffer): void => {
    dueMs += PACKET_MS;
    if (packet === SILENCE) {
      trailing -= 1;
      return;
    }
    isSpeaking = true;
    trailing = TRAILING;
    playing?.ahead.shift();
    playing?.wantMore();
    if (playing?.isWhole && playing.ahead.length === 0) playing.done.resolve();
  };
  const offer = (packet: Buffer): boolean => {
    try {
      return send(packet);
    } catch (thrown) {
      trailing = 0;
      playing?.done.reject(thrown);
      return false;
    }
  };
  const tick = (): void => {
    cancelTimer = undefined;
    const packet = nextPacket();
    if (!packet) {
      if (isSpeaking) silence();
      isSpeaking = false;
      return;
    }
    if (offer(packet)) sent(packet);
    // Speech before the connection broke needs no silence after it.
    else if (packet === SILENCE) trailing = 0;
    // Without a connection the clock does not advance.
    else dueMs = clock.nowMs() + PACKET_MS;
    schedule();
  };
  const wake = (): void => {
    if (cancelTimer || isGone) return;
    dueMs = clock.nowMs();
    tick();
  };

  const fetch = async (
    current: Playing,
    packets: AsyncIterator<Uint8Array>,
    isOver: () => boolean,
  ): Promise<void> => {
    while (!isOver()) {
      const { done, value } = await packets.next();
      if (isOver()) return;
      if (done) {
        current.isWhole = true;
        if (current.ahead.length === 0) current.done.resolve();
        return;
      }
      current.ahead.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      wake();
      if (current.ahead.length < AHEAD) continue;
      const more = Promise.withResolvers<void>();
      current.wantMore = more.resolve;
      await more.promise;
    }
  };

  return {
    /** Plays packets, as `VoiceLink.play` does. */
    play: async (packets: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> => {
      signal.throwIfAborted();
      if (isGone) throw gone();
      if (playing) throw new Error('one speech at a time');
      const current: Playing = {
        ahead: [],
        isWhole: false,
        wantMore: () => {},
        done: Promise.withResolvers(),
      };
      playing = current;
      const iterator = packets[Symbol.asyncIterator]();
      let isOver = false;
      fetch(current, iterator, () => isOver).catch((thrown: unknown) =>
        current.done.reject(thrown),
      );
      try {
        await orAborted(current.done.promise, signal);
      } finally {
        isOver = true;
        current.wantMore();
        playing = undefined;
        // A source that does not end at once is not awaited.
        await Promise.race([Promise.resolve(iterator.return?.()).catch(() => undefined), sleep(0)]);
      }
    },
    [Symbol.dispose]: () => {
      isGone = true;
      cancelTimer?.();
      playing?.done.reject(gone());
    },
  };
};
