import { describe, expect, it } from 'vitest';
import { UnreadableKeyError } from '../../../../src/api/keys.ts';
import type { RecognitionResult, Utterance } from '../../../../src/ports/recogniser.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import {
  createTestRealtime,
  type TestRealtimeOptions,
} from '../../../fakes/realtime-recogniser.ts';
import { speechOf, WORD_PACKETS } from '../../../fakes/recogniser.ts';

const WORDS = ['we', 'meet', 'at', 'nine', 'tomorrow'];
const STEP_PACKETS = 5;
const STEP_MS = 100;
const DEADLINE_MS = 45_000;

const setUp = (options: Omit<TestRealtimeOptions, 'clock'> = {}, language?: string) => {
  const clock = createTestClock();
  const lines: string[] = [];
  const log = {
    warn: (_: unknown, line: string) => void lines.push(line),
    info: (_: unknown, line: string) => void lines.push(line),
  } as never;
  const realtime = createTestRealtime({ ...options, clock, log });
  const start = () => {
    const stop = new AbortController();
    const partials: string[] = [];
    const recognition = realtime.recogniser.start({
      hints: async () => ({ hotwords: ['Acme'], language, expected: 'pt' }),
      signal: stop.signal,
      partial: ({ text }) => void partials.push(text),
      final: () => undefined,
    });
    const grow = async (whole: Utterance, from = 0): Promise<void> => {
      for (let count = from + STEP_PACKETS; count <= whole.packets.length; count += STEP_PACKETS) {
        const packets = whole.packets.slice(0, count);
        const ms = count * 20;
        recognition.grow({ ...whole, packets, endMs: ms, spanMs: ms, voiceMs: ms });
        await clock.advance(STEP_MS);
      }
    };
    const finish = async (whole: Utterance): Promise<RecognitionResult & { tookMs: number }> => {
      const startedMs = clock.nowMs();
      let tookMs = 0;
      const outcome = recognition.finish(whole, DEADLINE_MS).finally(() => {
        tookMs = clock.nowMs() - startedMs;
      });
      outcome.catch(() => undefined);
      await clock.advance(15_000);
      return { ...(await outcome), tookMs };
    };
    return { stop, partials, recognition, grow, finish };
  };
  const recognise = async (): Promise<string> => {
    const one = start();
    const whole = speechOf(['we']);
    await one.grow(whole);
    return (await one.finish(whole)).text;
  };
  return { ...realtime, clock, lines, start, recognise };
};

describe('a realtime recogniser', () => {
  it('sends speech while it is spoken, and has the text right after its end', async () => {
    const { start, requests, wire, clock, decoders } = setUp();
    const { grow, finish, partials } = start();
    const whole = speechOf(WORDS);
    await grow(whole);
    expect(partials[0]).toBe('we');
    expect(partials.at(-1)).toBe('we meet at nine tomorrow');
    const { text, tookMs, language } = await finish(whole);
    expect([text, language]).toEqual(['we meet at nine tomorrow', 'en']);
    expect(tookMs).toBeLessThanOrEqual(100);
    expect([requests(), wire.opened, wire.open]).toEqual([0, 1, 0]);
    expect([decoders(), clock.waiting]).toEqual([0, 0]);
  });

  it('hears its first word 1.2 s after it began at the latest', async () => {
    const { start, clock } = setUp();
    const { recognition, partials } = start();
    const whole = speechOf(WORDS);
    let ms = 0;
    for (let count = STEP_PACKETS; partials.length === 0; count += STEP_PACKETS) {
      recognition.grow({ ...whole, packets: whole.packets.slice(0, count) });
      await clock.advance(STEP_MS);
      ms += STEP_MS;
    }
    expect(ms).toBeLessThanOrEqual(1_200);
  });

  it('goes on over another connection when one breaks, without a request', async () => {
    const { start, requests, wire } = setUp({
      faults: [{ cutAfterMs: 1_500 }, { cutAfterMs: 2_000 }],
    });
    const { grow, finish, partials } = start();
    const whole = speechOf(WORDS);
    await grow(whole);
    expect((await finish(whole)).text).toBe('we meet at nine tomorrow');
    expect([requests(), wire.opened]).toEqual([0, 3]);
    for (const [at, text] of partials.entries())
      expect(text.startsWith(partials[at - 1] ?? '')).toBe(true);
  });

  it.each([401, 403, 404])(
    'that is refused with %i recognises by requests, says so once, and tries again later',
    async (refuse) => {
      const { recognise, requests, wire, clock, lines } = setUp({ faults: [{ refuse }] });
      expect(await recognise()).toBe('we');
      expect(await recognise()).toBe('we');
      expect([requests() >= 2, wire.opened]).toEqual([true, 1]);
      expect(lines).toEqual(['a realtime path is off: requests take its place']);
      await clock.advance(60_000);
      const before = requests();
      expect(await recognise()).toBe('we');
      expect([requests(), wire.opened]).toEqual([before, 2]);
      expect(lines.at(-1)).toBe('a realtime path works again');
    },
  );

  it('that is away is left alone after three utterances, longer each time', async () => {
    const faults = Array.from({ length: 100 }, () => ({ refuse: 503 }));
    const { recognise, wire, clock, lines } = setUp({ faults });
    for (let round = 0; round < 5; round += 1) expect(await recognise()).toBe('we');
    const opened = wire.opened;
    await clock.advance(60_000);
    await recognise();
    expect(wire.opened).toBeGreaterThan(opened);
    const again = wire.opened;
    await clock.advance(60_000);
    await recognise();
    expect(wire.opened).toBe(again);
    expect(lines).toHaveLength(1);
  });

  it('that cannot read the key of its space counts that against no key', async () => {
    const { recognise, lines, wire, requests, availability } = setUp({
      keyFault: new UnreadableKeyError(new Error('locked')),
    });
    for (let time = 0; time < 4; time += 1) expect(await recognise()).toBe('we');
    expect([wire.opened, lines, availability.mayTry()]).toEqual([0, [], true]);
    expect(requests()).toBeGreaterThanOrEqual(4);
  });

  it('recognises by a request what a silent service says nothing about', async () => {
    const { start, requests, decoders } = setUp({ habits: { isSilent: true } });
    const { grow, finish } = start();
    const whole = speechOf(WORDS);
    await grow(whole);
    expect((await finish(whole)).text).toBe('we meet at nine tomorrow');
    expect(requests()).toBeGreaterThan(0);
    expect(decoders()).toBe(0);
  });

  it('takes no text for an utterance whose end was cut off afterwards', async () => {
    const { start, requests } = setUp();
    const { grow, finish } = start();
    await grow(speechOf(WORDS));
    const cut = speechOf(WORDS, { packets: 2 * WORD_PACKETS });
    expect((await finish(cut)).text).toBe('we meet');
    expect(requests()).toBe(1);
  });

  it('overlooks a late packet or two, and no more', async () => {
    for (const [late, expected] of [
      [2, 0],
      [4, 1],
    ] as const) {
      const { start, requests } = setUp();
      const { grow, finish } = start();
      const whole = speechOf(WORDS);
      const packets = [...whole.packets.slice(0, 70), ...whole.packets.slice(70 + late)];
      await grow({ ...whole, packets });
      expect((await finish(whole)).text).toBe('we meet at nine tomorrow');
      expect(requests()).toBe(expected);
    }
  });

  it('opens no more sessions than it may: others are recognised by requests', async () => {
    const { start, requests, wire } = setUp({ sessions: 1 });
    const [one, other] = [start(), start()];
    const whole = speechOf(['we']);
    await one.grow(whole);
    await other.grow(whole);
    expect((await other.finish(whole)).text).toBe('we');
    const before = requests();
    expect(before).toBeGreaterThan(0);
    expect((await one.finish(whole)).text).toBe('we');
    expect([requests(), wire.opened]).toEqual([before, 1]);
    const next = start();
    await next.grow(whole);
    expect((await next.finish(whole)).text).toBe('we');
    expect(wire.opened).toBe(2);
  });

  it('requests the whole of what the service follows no more, and no part of it', async () => {
    const { start, requests, wire, decoders } = setUp({ habits: { late: true }, isFollowed: true });
    const { grow, finish, partials } = start();
    const whole = speechOf(WORDS);
    await grow(whole);
    expect([partials, requests(), wire.open]).toEqual([[], 0, 0]);
    expect((await finish(whole)).text).toBe('we meet at nine tomorrow');
    expect([requests(), wire.opened, decoders()]).toEqual([1, 1, 0]);
  });

  it('requests what the service stops following, and uses the path for the next', async () => {
    const habits = { stopsAt: 'at' };
    const { start, lines, requests, wire } = setUp({ habits, isFollowed: true });
    const whole = speechOf(WORDS);
    const said = [1, 2, 3, 4];
    for (const count of said) {
      const { grow, finish, partials } = start();
      await grow(whole);
      expect([partials.length > 0, requests(), wire.open]).toEqual([true, count - 1, 0]);
      expect((await finish(whole)).text).toBe('we meet at nine tomorrow');
    }
    expect([lines, requests(), wire.opened]).toEqual([[], said.length, said.length]);
  });

  it('leaves the session of one who is late to others', async () => {
    const habits = { late: true };
    const { start, wire } = setUp({ habits, isFollowed: true, sessions: 1 });
    const whole = speechOf(WORDS);
    await start().grow(whole);
    await start().grow(whole);
    expect(wire.opened).toBe(2);
  });

  it('requests at once what the service tells to be late when it has ended', async () => {
    const { start, requests } = setUp({ habits: { late: true }, isFollowed: true });
    const { recognition, finish } = start();
    const whole = speechOf(['we']);
    recognition.grow(whole);
    const { text, tookMs } = await finish(whole);
    expect([text, requests()]).toEqual(['we', 1]);
    expect(tookMs).toBeLessThanOrEqual(500);
  });

  it('requests no part of what has no session where the service follows speech', async () => {
    const { start, requests } = setUp({ sessions: 0, isFollowed: true });
    const { grow, finish } = start();
    const whole = speechOf(WORDS);
    await grow(whole);
    expect(requests()).toBe(0);
    expect((await finish(whole)).text).toBe('we meet at nine tomorrow');
    expect(requests()).toBe(1);
  });

  it('opens no session where the service does not follow speech', async () => {
    const { start, requests, wire } = setUp({ isFollowed: false });
    const { grow, finish } = start();
    const whole = speechOf(WORDS);
    await grow(whole);
    expect(requests()).toBeGreaterThan(0);
    expect((await finish(whole)).text).toBe('we meet at nine tomorrow');
    expect([requests() > 1, wire.opened]).toEqual([true, 0]);
  });

  it.each([
    [undefined, { language: 'auto', default_language: 'pt' }],
    ['en', { language: 'en' }],
  ])('tells the language that is likely where none is known: %s', async (language, told) => {
    const { start, wire } = setUp({}, language);
    const { grow } = start();
    await grow(speechOf(['we']));
    expect(wire.settings()[0]).toMatchObject(told);
    expect('default_language' in wire.settings()[0]!).toBe('default_language' in told);
  });

  it('leaves nothing open when nobody wants the text any more', async () => {
    const { start, wire, decoders, clock } = setUp();
    for (const afterMs of [0, 50, 1_000]) {
      const { recognition, grow, stop } = start();
      const whole = speechOf(WORDS);
      if (afterMs > 0) await grow(speechOf(WORDS, { packets: 60 }));
      recognition.grow(whole);
      await clock.advance(afterMs);
      stop.abort(new Error('not wanted'));
      await clock.advance(10_000);
      expect([wire.open, decoders(), clock.waiting]).toEqual([0, 0, 0]);
    }
  });
});
