import { VoiceConnectionStatus } from '@discordjs/voice';
import { describe, expect, it } from 'vitest';
import {
  createPacketSink,
  type PacketSinkDeps,
} from '../../../../adapters/discord/voice/player.ts';
import { AppError } from '../../../../src/errors.ts';

const PACKET = Buffer.of(0xf8, 1);
const SILENCED = new AppError('forbidden', 'we may not speak');

const start = () => {
  const time = { ms: 0 };
  const state = { status: VoiceConnectionStatus.Ready, version: 1, ready: true, suppressed: false };
  const sent: Buffer[] = [];
  let play = (packet: Buffer): boolean | undefined => sent.push(packet) > 0;
  const say = createPacketSink({
    connection: {
      get state() {
        return { status: state.status };
      },
      playOpusPacket: (packet: Buffer) => play(packet),
    } as unknown as PacketSinkDeps['connection'],
    dave: () =>
      ({
        protocolVersion: state.version,
        session: { ready: state.ready },
      }) as ReturnType<PacketSinkDeps['dave']>,
    silenced: () => (state.suppressed ? SILENCED : undefined),
    nowMs: () => time.ms,
  });
  /** Tries it again and again, as the player does; tells how long it was held. */
  const holdsMs = (): number => {
    const fromMs = time.ms;
    while (!say(PACKET)) time.ms += 20;
    return time.ms - fromMs;
  };
  return { time, state, sent, say, holdsMs, library: (how: typeof play) => (play = how) };
};

describe('what we say', () => {
  it('goes out where there is a connection, and waits where there is none', () => {
    const { state, sent, say, library } = start();
    expect(say(PACKET)).toBe(true);
    expect(sent).toEqual([PACKET]);
    state.status = VoiceConnectionStatus.Connecting;
    expect(say(PACKET)).toBe(false);
    expect(sent).toHaveLength(1);
    state.status = VoiceConnectionStatus.Ready;
    library(() => undefined);
    expect(say(PACKET)).toBe(false);
  });

  it('waits three seconds for keys, and then is heard by nobody until they are there', () => {
    const { state, sent, say, holdsMs } = start();
    state.ready = false;
    expect(holdsMs()).toBe(3_000);
    expect(say(PACKET)).toBe(true);
    expect(sent).toEqual([]);
    state.ready = true;
    expect(say(PACKET)).toBe(true);
    expect(sent).toHaveLength(1);
    state.ready = false;
    expect(say(PACKET)).toBe(false);
  });

  it('waits anew for keys that were not there when it spoke last', () => {
    const { time, state, say, holdsMs } = start();
    state.ready = false;
    say(PACKET);
    time.ms += 60_000;
    expect(holdsMs()).toBe(3_000);
  });

  it('waits three seconds for leave to speak, and then tells that there is none', () => {
    const { time, state, sent, say, holdsMs } = start();
    state.suppressed = true;
    expect(holdsMs).toThrow(SILENCED);
    expect(time.ms).toBe(3_000);
    state.suppressed = false;
    expect(say(PACKET)).toBe(true);
    expect(sent).toHaveLength(1);
    state.suppressed = true;
    expect(say(PACKET)).toBe(false);
  });

  it('goes out without keys where nothing is encrypted', () => {
    const { state, sent, say } = start();
    Object.assign(state, { version: 0, ready: false });
    expect(say(PACKET)).toBe(true);
    expect(sent).toHaveLength(1);
  });

  it('ends nothing where the library throws', () => {
    const { say, library } = start();
    library(() => {
      throw new Error('encryption failed');
    });
    expect(say(PACKET)).toBe(true);
  });
});
