import { describe, expect, it } from 'vitest';
import type { CallReport } from '../../../../src/api/call-report.ts';
import { createRecognitionSessions } from '../../../../src/api/realtime/recognition-session.ts';
import type { RealtimeText } from '../../../../src/api/realtime/results.ts';
import type { AppError } from '../../../../src/errors.ts';
import { ASKER } from '../../../fakes/asker.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { pcmOf, type RecognitionHabits } from '../../../fakes/realtime-recognition.ts';
import { createWire, type ServeSession, type WireFault } from '../../../fakes/realtime-wire.ts';

const APPEND_BYTES = 3_200;
const APPEND_MS = 100;

const setUp = (
  faults: WireFault[] = [],
  habits: RecognitionHabits | ServeSession = {},
  asksForWords?: boolean,
) => {
  const clock = createTestClock();
  const wire = createWire(clock, faults, habits);
  const texts: RealtimeText[] = [];
  const failures: AppError[] = [];
  const reports: CallReport[] = [];
  const open = createRecognitionSessions({
    openSocket: wire.openSocket,
    clock,
    random: () => 1,
    ...(asksForWords === undefined ? {} : { asksForWords }),
    onCall: (report) => void reports.push(report),
  });
  const session = open({
    asker: ASKER,
    changed: (text) => void texts.push(text),
    failed: (error) => void failures.push(error),
  });
  const hear = async (pcm: Uint8Array): Promise<void> => {
    for (let at = 0; at < pcm.length; at += APPEND_BYTES) {
      session.append(pcm.subarray(at, at + APPEND_BYTES));
      await clock.advance(APPEND_MS);
    }
  };
  const finish = async (): Promise<RealtimeText | AppError> => {
    const outcome = session.finish().catch((error: AppError) => error);
    await clock.advance(10_000);
    return outcome;
  };
  return { clock, wire, session, texts, failures, reports, hear, finish };
};

/** A minute of speech: 100 different words, with a pause after every seventh. */
const WORDS = Array.from({ length: 100 }, (_, at) => `w${at}`);
const MINUTE = Buffer.concat(
  WORDS.flatMap((word, at) => (at % 7 === 6 ? [pcmOf(word), pcmOf('', 20_000)] : [pcmOf(word)])),
);

const textOf = (outcome: RealtimeText | AppError): string[] =>
  'text' in outcome ? outcome.text.split(' ') : [outcome.code];

describe('a session of realtime recognition', () => {
  it('shows what is recognised while it is spoken, and all of it at the end', async () => {
    const { hear, finish, texts, wire, clock } = setUp();
    await hear(Buffer.concat([pcmOf('we'), pcmOf('meet'), pcmOf('', 8_000), pcmOf('at')]));
    expect(texts.map(({ text }) => text)).toContain('we meet');
    expect(await finish()).toMatchObject({ text: 'we meet at', language: 'en', confidence: 0.9 });
    expect(wire.open).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  it('of a minute in which the connection is cut three times loses and doubles no word', async () => {
    expect(MINUTE.length / 32_000).toBeGreaterThan(55);
    for (const shift of [0, 350, 700, 1_050, 1_400, 2_450]) {
      const faults = [9_000, 8_300, 20_000].map((cutAfterMs) => ({
        cutAfterMs: cutAfterMs + shift,
      }));
      const { hear, finish, wire, failures } = setUp(faults);
      await hear(MINUTE);
      expect(textOf(await finish())).toEqual(WORDS);
      expect(wire.opened).toBe(4);
      expect(failures).toEqual([]);
    }
  });

  it.each<RecognitionHabits>([
    { duplicates: true },
    { replaces: true },
    { reorders: true },
    { chatters: true },
    { duplicates: true, reorders: true, chatters: true },
  ])('the same from a service that has habits: %o', async (habits) => {
    const faults = [9_000, 12_350, 16_700].map((cutAfterMs) => ({ cutAfterMs }));
    const { hear, finish } = setUp(faults, habits);
    await hear(MINUTE);
    expect(textOf(await finish())).toEqual(WORDS);
  });

  it('sends again only what is not final yet', async () => {
    const { hear, wire, clock } = setUp();
    for (const word of ['we', 'meet', 'at', 'nine']) await hear(pcmOf(word));
    await hear(pcmOf('', 8_000));
    await hear(pcmOf('tomorrow'));
    wire.cut();
    await clock.advance(1_000);
    const [first = 0, second = 0] = wire.heardMs();
    expect(first).toBeGreaterThan(2_400);
    expect(second).toBeGreaterThanOrEqual(400);
    expect(second).toBeLessThanOrEqual(1_000);
  });

  it('sends again what a connection took that broke while it was closed', async () => {
    const { hear, session, clock, wire } = setUp();
    await hear(Buffer.concat([pcmOf('we'), pcmOf('meet')]));
    const outcome = session.finish();
    wire.cut();
    await clock.advance(5_000);
    expect((await outcome).text).toBe('we meet');
    expect(wire.opened).toBe(2);
  });

  it('fails, so that a request takes its place, where a short one is closed without any result', async () => {
    const { hear, finish, failures } = setUp([], (peer) => ({
      heardMs: 0,
      message: (text) => {
        if (text.includes('session.update')) peer.send({ type: 'session.created' });
        if (text.includes('session.close')) peer.close(1_000);
      },
    }));
    await hear(pcmOf('we'));
    expect(await finish()).toMatchObject({ code: 'bad-reply' });
    expect(failures).toEqual([]);
  });

  it('asks for the times of words where the service is known to tell them, and no other', async () => {
    for (const asks of [undefined, true]) {
      const updates: string[] = [];
      const serve: ServeSession = () => ({
        heardMs: 0,
        message: (text) => void (text.includes('session.update') && updates.push(text)),
      });
      const { hear } = setUp([], serve, asks);
      await hear(pcmOf('we'));
      const { session } = JSON.parse(updates[0]!) as { session: { words?: boolean } };
      expect(session.words).toBe(asks);
    }
  });

  it('has no words where the service says at the end that there were none', async () => {
    const { hear, finish } = setUp([], (peer) => ({
      heardMs: 0,
      message: (text) => {
        if (!text.includes('session.close')) return;
        peer.send({ type: 'session.usage', final: true, usage: { final_no_speech_count: 1 } });
        peer.close(1_000);
      },
    }));
    await hear(pcmOf('we'));
    expect(await finish()).toMatchObject({ text: '' });
  });

  it.each([401, 403, 404])('that is refused with %i fails at once', async (refuse) => {
    const { hear, failures, wire, clock } = setUp([{ refuse }]);
    await hear(pcmOf('we'));
    expect(failures).toHaveLength(1);
    expect(wire.opened).toBe(1);
    expect(clock.waiting).toBe(0);
  });

  it('is tried again after 429 and 503, and fails after four connections in vain', async () => {
    const { clock, failures, wire } = setUp([{ refuse: 429 }, { refuse: 503 }]);
    await clock.advance(5_000);
    expect([failures, wire.opened]).toEqual([[], 3]);
    const other = setUp([{ refuse: 503 }, { refuse: 503 }, { refuse: 503 }, { refuse: 503 }]);
    await other.clock.advance(10_000);
    expect(other.failures.map(({ code }) => code)).toEqual(['unavailable']);
    expect(other.wire.opened).toBe(4);
    expect(other.clock.waiting).toBe(0);
  });

  it('fails when the service says nothing while somebody speaks', async () => {
    const { hear, failures, wire } = setUp([], { isSilent: true });
    for (const word of WORDS.slice(0, 11)) await hear(pcmOf(word));
    expect(failures).toEqual([]);
    for (const word of WORDS.slice(0, 3)) await hear(pcmOf(word));
    expect(failures.map(({ code }) => code)).toEqual(['timeout']);
    expect(wire.open).toBe(0);
  });

  it('does not mind a service that says nothing while nobody speaks', async () => {
    const { hear, failures } = setUp([], { isSilent: true });
    await hear(pcmOf('', 320_000));
    expect(failures).toEqual([]);
  });

  it('does not wait for a service that never closes', async () => {
    const { hear, finish } = setUp([], { isSilent: true });
    await hear(pcmOf('we'));
    expect(await finish()).toMatchObject({ code: 'timeout' });
  });

  it('ends with a fatal error of the service, and goes on after one that is not', async () => {
    const { hear, failures } = setUp([{ fatalAfterMs: 300 }]);
    await hear(pcmOf('we'));
    expect(failures.map(({ code }) => code)).toEqual(['bad-reply']);
  });

  it('fails at its end when the service failed at some of the speech', async () => {
    const { hear, finish, failures } = setUp([], { fails: true });
    await hear(Buffer.concat([pcmOf('we'), pcmOf('', 8_000)]));
    expect(failures).toEqual([]);
    expect(await finish()).toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('leaves nothing behind when it is aborted', async () => {
    const { hear, session, wire, clock, texts } = setUp();
    await hear(pcmOf('we'));
    session.abort();
    await clock.advance(10_000);
    const before = texts.length;
    await hear(pcmOf('we'));
    expect(texts).toHaveLength(before);
    expect([wire.open, clock.waiting]).toEqual([0, 0]);
  });
});

describe('the report of a session', () => {
  it('tells the seconds of audio and the connections, once', async () => {
    const { hear, finish, reports } = setUp([{ cutAfterMs: 1_500 }]);
    await hear(Buffer.concat([pcmOf('we'), pcmOf('meet'), pcmOf('', 48_000)]));
    await finish();
    const audioSeconds =
      (pcmOf('we').length + pcmOf('meet').length + pcmOf('', 48_000).length) / 32_000;
    expect(reports).toEqual([
      {
        ...ASKER,
        endpoint: 'realtimeRecognition',
        waitingMs: 0,
        serviceMs: expect.any(Number) as number,
        attempts: 2,
        outcome: 'answered',
        characters: 0,
        audioSeconds,
      },
    ]);
    expect(reports[0]?.serviceMs).toBeGreaterThan(audioSeconds * 500);
  });

  it('tells why it failed, or that nobody wanted it', async () => {
    const failed = setUp([{ refuse: 403 }]);
    await failed.hear(pcmOf('we'));
    expect(failed.reports).toMatchObject([{ outcome: 'forbidden', attempts: 0 }]);
    const left = setUp();
    await left.hear(pcmOf('we'));
    left.session.abort();
    left.session.abort();
    expect(left.reports).toMatchObject([{ outcome: 'cancelled', attempts: 1 }]);
  });
});
