import type { VoiceState } from '../state.ts';
import type { Refusal } from './bot-stream.ts';
import type { VoiceRoom } from './room.ts';
import type { VoiceSession } from './session.ts';

/** So much later than a packet its op 5 may come: the two take different ways. */
const SPEAKING_LATE_MS = 1000;

/** Where a session of the bot is: how it stands there, and who is there. */
export interface Whereabouts {
  readonly state: VoiceState;
  readonly room: VoiceRoom;
}

/** Takes what the bot sends, and counts what is refused. */
export class Intake {
  readonly #changed: () => void;
  readonly #find: (session: VoiceSession) => Whereabouts | undefined;
  readonly refused: Partial<Record<Refusal, number>> = {};

  constructor(find: (session: VoiceSession) => Whereabouts | undefined, changed: () => void) {
    this.#find = find;
    this.#changed = changed;
  }
  refuse(why: Refusal, times = 1): void {
    if (times > 0) this.refused[why] = (this.refused[why] ?? 0) + times;
    this.#changed();
  }
  take(session: VoiceSession, datagram: Buffer): void {
    const atMs = performance.now();
    if (session.announced) this.#record(session, datagram, atMs);
    else session.early.push({ atMs, datagram });
  }
  /** It has said that it speaks. */
  announce(session: VoiceSession): void {
    session.announced = true;
    for (const { atMs, datagram } of session.early.splice(0)) {
      if (performance.now() - atMs > SPEAKING_LATE_MS) this.refuse('speaking');
      else this.#record(session, datagram, atMs);
    }
  }
  /** It will not say any more that it speaks. */
  end(session: VoiceSession): void {
    this.refuse('speaking', session.early.length);
  }
  #record(session: VoiceSession, datagram: Buffer, atMs: number): void {
    const place = this.#find(session);
    if (place === undefined) return this.refuse('ssrc');
    const packet = session.stream.take(datagram);
    if (typeof packet === 'string') return this.refuse(packet);
    const { mute, selfMute, suppress } = place.state;
    const refusal = mute || selfMute || suppress ? 'muted' : place.room.record(packet, atMs);
    if (refusal) return this.refuse(refusal);
    this.#changed();
  }
}
