import { describe, expect, it } from 'vitest';
import { startDictationSession } from '../../../adapters/web/dictation-session.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { fixture } from '../../src/audio/support.ts';

const RECORDING = fixture('recorded.webm');
const MINUTE_MS = 60_000;

const setUp = () => {
  const clock = createTestClock();
  const log: (string | number)[] = [];
  const counts = { packets: 0 };
  const session = startDictationSession({
    peer: { send: () => undefined, close: (code) => void log.push(code) },
    dictation: {
      packet: () => void (counts.packets += 1),
      finish: async () => ({ text: 'one', language: 'en', segments: [] }),
      [Symbol.dispose]: () => void log.push('dropped'),
    },
    clock,
    recorded: ({ sizeBytes }) => void log.push(`recorded ${sizeBytes}`),
    over: () => void log.push('over'),
  });
  return { clock, log, counts, session };
};

describe('a session of a recording', () => {
  it('is over when nothing comes for long', async () => {
    const { clock, log, session } = setUp();
    session.bytes(RECORDING.subarray(0, 1_000));
    await clock.advance(29_999);
    expect(log).toEqual([]);
    await clock.advance(1);
    expect(log).toEqual(['dropped', 'over', 1001]);
    expect(clock.waiting).toBe(0);
  });

  it('is over when somebody records for longer than anybody speaks', async () => {
    const { clock, log, session } = setUp();
    for (let minute = 0; minute < 15; minute += 1) {
      for (const halfway of [0, 1, 2]) {
        session.bytes(minute + halfway === 0 ? RECORDING : new Uint8Array(0));
        await clock.advance(MINUTE_MS / 3);
      }
    }
    expect(log).toEqual([]);
    await clock.advance(1);
    session.bytes(new Uint8Array(1));
    expect(log).toEqual(['dropped', 'over', 1008]);
  });

  it('is over when audio comes faster than it can be spoken', async () => {
    const { clock, log, counts, session } = setUp();
    for (let time = 0; time < 20; time += 1) session.bytes(RECORDING);
    await clock.advance(0);
    expect(log).toEqual(['dropped', 'over', 1008]);
    const heard = counts.packets;
    session.bytes(RECORDING);
    await clock.advance(0);
    expect(counts.packets).toBe(heard);
  });

  it('takes what was held up on the way, however much it is', async () => {
    const { clock, log, session } = setUp();
    session.bytes(RECORDING);
    await clock.advance(25_000);
    for (let time = 0; time < 6; time += 1) session.bytes(RECORDING);
    await clock.advance(0);
    expect(log).toEqual([]);
  });

  it('closes when the last words are there, and waits for no more bytes', async () => {
    const { clock, log, session } = setUp();
    session.bytes(RECORDING);
    session.text('end');
    expect(session.isRecording()).toBe(false);
    await clock.advance(0);
    expect(log).toEqual([`recorded ${RECORDING.length}`, 'dropped', 'over', 1000]);
    expect(clock.waiting).toBe(0);
  });
});
