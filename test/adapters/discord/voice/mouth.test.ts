import { VoiceConnectionStatus } from '@discordjs/voice';
import { describe, expect, it } from 'vitest';
import { createMouth, type MouthParts } from '../../../../adapters/discord/voice/mouth.ts';

const PACKET = Buffer.of(0xf8, 1);

const start = () => {
  const time = { ms: 0 };
  const state = { status: VoiceConnectionStatus.Ready, version: 1, ready: true, suppressed: false };
  const sent: Buffer[] = [];
  let play = (packet: Buffer): boolean | undefined => sent.push(packet) > 0;
  const say = createMouth({
    connection: {
      get state() {
        return { status: state.status };
      },
      playOpusPacket: (packet: Buffer) => play(packet),
    } as unknown as MouthParts['connection'],
    dave: () =>
      ({
        protocolVersion: state.version,
        session: { ready: state.ready },
      }) as ReturnType<MouthParts['dave']>,
    isSuppressed: () => state.suppressed,
    nowMs: () => time.ms,
  });
  return { time, state, sent, say, library: (how: typeof play) => (play = how) };
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

  it.each(['ready', 'suppressed'] as const)('waits three seconds for being %s', (what) => {
    const { state, time, sent, say } = start();
    state[what] = what === 'suppressed';
    expect(say(PACKET)).toBe(false);
    time.ms = 2_999;
    expect(say(PACKET)).toBe(false);
    time.ms = 3_000;
    expect(say(PACKET)).toBe(true);
    expect(sent).toEqual([]);
    state[what] = what !== 'suppressed';
    expect(say(PACKET)).toBe(true);
    expect(sent).toHaveLength(1);
    state[what] = what === 'suppressed';
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
