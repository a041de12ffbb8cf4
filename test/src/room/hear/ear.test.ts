import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { HeardLine } from '../../../../src/room/heard.ts';
import { createEar, type EarHints, type EarOptions } from '../../../../src/room/hear/ear.ts';
import type { Recognised, RecognitionRequest } from '../../../../src/room/hear/recogniser.ts';
import type { Utterance } from '../../../../src/room/hear/utterance.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { createSender, sequencesOf } from './support.ts';

/** One utterance as the recogniser sees it. */
interface Asked {
  readonly request: RecognitionRequest;
  readonly grown: Utterance[];
  ended: Utterance | undefined;
  leftMs: number;
  /** How often it was asked for all of it. */
  times: number;
  answer(text: string, more?: Partial<Recognised>): void;
  fail(error: Error): void;
}

interface SetUp {
  readonly options?: EarOptions;
  readonly hints?: (speakerId: string) => Promise<EarHints>;
  /** Hears these at once, in place of waiting for the test. */
  readonly isPrompt?: boolean;
  /** A line for which the listener throws. */
  readonly throwsOn?: string;
}

const setUp = ({ options = {}, hints, isPrompt = false, throwsOn }: SetUp = {}) => {
  const clock = createTestClock();
  const asked: Asked[] = [];
  const told: string[] = [];
  const lines: HeardLine[] = [];
  const ear = createEar({
    recogniser: {
      growEveryMs: 200,
      begin: (request) => {
        const begin = () => {
          const result = Promise.withResolvers<Recognised>();
          result.promise.catch(() => undefined);
          return result;
        };
        let result = begin();
        const fail = (error: Error): void => result.reject(error);
        request.signal.addEventListener('abort', () => fail(request.signal.reason as Error));
        const one: Asked = {
          request,
          grown: [],
          ended: undefined,
          leftMs: 0,
          times: 0,
          answer: (text, more) =>
            result.resolve({ text, language: 'en', confidence: 0.9, ...more }),
          fail,
        };
        asked.push(one);
        return {
          grow: (utterance) => void one.grown.push(utterance),
          end: async (utterance, leftMs) => {
            one.ended = utterance;
            one.leftMs = leftMs;
            one.times += 1;
            if (one.times > 1) result = begin();
            if (isPrompt) one.answer(`line ${utterance.id} of ${utterance.speakerId}`);
            return result.promise;
          },
        };
      },
    },
    clock,
    listener: {
      began: (speakerId) => void told.push(`${speakerId} began`),
      heard: (line) => {
        if (line.text === throwsOn) throw new Error('the listener is broken');
        lines.push(line);
        told.push(`${line.speakerId}${line.isFinal ? '' : '…'}: ${line.text}`);
      },
      trouble: (error) => void told.push(error ? `trouble: ${error.code}` : 'no trouble'),
    },
    hints: hints ?? (async () => ({ hotwords: ['Dragoman'], languages: ['en'] })),
    options,
  });
  const sender = (speakerId: string) => {
    const from = createSender(speakerId, clock.nowMs());
    return {
      /** Says something as time passes, and falls silent for so long that it is over. */
      say: async (voicePackets: number, isOver = true) => {
        for (const packet of from.say('voice', voicePackets)) {
          ear.packet(packet);
          await clock.advance(20);
        }
        if (!isOver) return;
        await clock.advance(600);
        from.pause(600);
      },
      /** Says it at once, without a moment passing. */
      burst: (voicePackets: number) => {
        for (const packet of from.say('voice', voicePackets))
          ear.packet({ ...packet, arrivedMs: clock.nowMs() });
      },
    };
  };
  return { clock, asked, told, lines, ear, sender };
};

describe('the ear', () => {
  it('tells that somebody speaks, what is sure of it, and all of it when it has ended', async () => {
    const { told, asked, sender, lines, ear } = setUp();
    const ann = sender('ann');
    await ann.say(30, false);
    expect(told).toEqual(['ann began']);
    expect(await asked[0]!.request.hints).toMatchObject({ hotwords: ['Dragoman'] });
    expect(asked[0]!.grown.length).toBeGreaterThan(1);
    asked[0]!.request.partial({ text: 'We meet', language: 'en', confidence: 0.9 });
    await ann.say(10);
    expect(asked[0]!.leftMs).toBe(45_000);
    asked[0]!.answer('We meet at nine.');
    await ear.settled();
    expect(told).toEqual(['ann began', 'ann…: We meet', 'ann: We meet at nine.']);
    expect(lines[1]).toEqual({
      id: lines[0]!.id,
      speakerId: 'ann',
      startMs: 1_000_000 - 20,
      endMs: 1_000_000 + 39 * 20,
      text: 'We meet at nine.',
      language: 'en',
      isFinal: true,
    });
    expect(ear.counts).toMatchObject({
      utterances: 1,
      lines: 1,
      failed: 0,
      packets: { taken: 40 },
    });
  });

  it('recognises different speakers at the same time, and tells of one in order', async () => {
    const { told, asked, sender, ear } = setUp();
    const ann = sender('ann');
    await ann.say(30);
    await ann.say(30);
    await sender('ben').say(30);
    expect(asked.map(({ ended }) => ended !== undefined)).toEqual([true, true, true]);
    asked[1]!.answer('And at ten.');
    asked[2]!.answer('Where?');
    await new Promise(setImmediate);
    asked[0]!.answer('We meet at nine.');
    await ear.settled();
    expect(told.filter((line) => line.includes(':'))).toEqual([
      'ben: Where?',
      'ann: We meet at nine.',
      'ann: And at ten.',
    ]);
  });

  it('tells of a monologue while it goes on, as one beginning', async () => {
    const { told, asked, sender, ear } = setUp({
      options: { longestMs: 2_000 },
      isPrompt: true,
    });
    await sender('ann').say(250);
    await ear.settled();
    expect(told.filter((line) => line === 'ann began')).toHaveLength(1);
    expect(asked.length).toBeGreaterThan(2);
    const sequences = asked.flatMap(({ ended }) => sequencesOf(ended!));
    expect(sequences).toEqual(Array.from({ length: 250 }, (_, index) => 100 + index));
  });

  it('does not tell of a click', async () => {
    const { told, asked, sender, ear } = setUp();
    await sender('ann').say(4);
    expect(told).toEqual([]);
    expect(asked).toEqual([]);
    expect(ear.counts).toMatchObject({ dropped: 1, utterances: 0 });
  });

  it('takes back what it showed of something that was not said', async () => {
    const { told, asked, sender, ear } = setUp();
    await sender('ann').say(30, false);
    await new Promise(setImmediate);
    asked[0]!.request.partial({ text: 'Thanks for watching', language: 'en', confidence: 0.9 });
    asked[0]!.request.partial({ text: 'Thanks for the fish', language: 'en', confidence: 0.9 });
    asked[0]!.answer('[Music]');
    await ear.settled();
    expect(told).toEqual(['ann began', 'ann…: Thanks for the fish', 'ann: ']);
    expect(ear.counts.refused).toMatchObject({ 'no-words': 1, loop: 0 });
  });

  it('ends what is being said when it is to settle', async () => {
    const { told, sender, ear } = setUp({ isPrompt: true });
    await sender('ann').say(30, false);
    await ear.settled();
    expect(told).toEqual(['ann began', 'ann: line 1 of ann']);
  });

  it('does without hints that cannot be had', async () => {
    const { told, asked, sender, ear } = setUp({
      hints: () => Promise.reject(new Error('no database')),
      isPrompt: true,
    });
    await sender('ann').say(30);
    await ear.settled();
    expect(await asked[0]!.request.hints).toEqual({ hotwords: [], languages: [] });
    expect(told).toContain('ann: line 1 of ann');
  });

  it('goes on when nobody can be told', async () => {
    const { told, sender, ear } = setUp({ isPrompt: true, throwsOn: 'line 1 of ann' });
    await sender('ann').say(30);
    await sender('ben').say(30);
    await ear.settled();
    expect(told).toEqual(['ann began', 'ben began', 'ben: line 2 of ben']);
  });

  it('has one timer however many speak, and none when nobody does', async () => {
    const { clock, sender, ear } = setUp({ isPrompt: true });
    for (const id of ['ann', 'ben', 'cid']) await sender(id).say(20, false);
    expect(clock.waiting).toBe(1);
    await clock.advance(60_000);
    expect(clock.waiting).toBe(0);
    await ear[Symbol.asyncDispose]();
  });
});

describe('a service that fails', () => {
  const down = () => new AppError('unavailable', 'down', { retryable: true });

  it('is told of once, and again when it works', async () => {
    const { told, asked, sender, ear } = setUp();
    const ann = sender('ann');
    for (let line = 0; line < 3; line += 1) await ann.say(30);
    asked[0]!.fail(down());
    asked[1]!.fail(new Error('odd'));
    asked[2]!.answer('We meet at nine.');
    await ear.settled();
    expect(told.filter((line) => line !== 'ann began')).toEqual([
      'trouble: unavailable',
      'no trouble',
      'ann: We meet at nine.',
    ]);
    expect(ear.counts).toMatchObject({ failed: 2, lines: 1 });
  });

  it('is asked again until the deadline, and told of at once', async () => {
    const { told, asked, sender, clock, ear } = setUp();
    await sender('ann').say(30);
    const [first] = asked;
    for (const time of [1, 2, 3]) {
      expect(first!.times).toBe(time);
      first!.fail(down());
      await clock.advance(2_000);
    }
    expect(told).toEqual(['ann began', 'trouble: unavailable']);
    first!.answer('After all');
    await clock.advance(0);
    expect(told.slice(2)).toEqual(['no trouble', 'ann: After all']);
    expect(first!.leftMs).toBeLessThanOrEqual(45_000 - 3 * 2_000);

    await sender('ben').say(30);
    for (let time = 0; time < 30; time += 1) {
      asked[1]!.fail(down());
      await clock.advance(2_000);
    }
    expect(asked[1]!.times).toBe(23);
    expect(ear.counts).toMatchObject({ failed: 1, lines: 1 });
    await clock.advance(10_000);
    expect(clock.waiting).toBe(0);
    await ear[Symbol.asyncDispose]();
  });

  it('is asked again for what hangs while others are answered', async () => {
    const { told, asked, sender, clock, ear } = setUp();
    await sender('ann').say(30);
    await clock.advance(2_000);
    await sender('ben').say(30);
    asked[1]!.answer('Here I am');
    await clock.advance(0);
    expect(asked[0]!.times).toBe(1);
    await clock.advance(3_000);
    await sender('ben').say(30);
    asked[2]!.answer('Who else');
    await clock.advance(0);
    expect(asked.map(({ times }) => times)).toEqual([2, 1, 1]);
    asked[0]!.answer('I am here as well');
    await ear.settled();
    expect(told.at(-1)).toBe('ann: I am here as well');
    expect(asked[0]!.request.signal.aborted).toBe(true);
    expect(told.join()).not.toContain('trouble');
  });

  it('leaves standing what was sure by then', async () => {
    const { told, asked, sender, ear } = setUp();
    await sender('ann').say(30, false);
    await new Promise(setImmediate);
    asked[0]!.request.partial({ text: 'We meet', language: 'en', confidence: 0.9 });
    asked[0]!.fail(down());
    await ear.settled();
    expect(told).toEqual(['ann began', 'ann…: We meet', 'ann: We meet', 'trouble: unavailable']);
  });

  it('is given up at the deadline, and hangs nobody else', async () => {
    const { told, asked, clock, sender, ear } = setUp({ options: { atOnce: 1 } });
    await sender('ann').say(30);
    await sender('ben').say(30);
    expect(asked[1]!.ended).toBeUndefined();
    await clock.advance(45_000 - 1_220 - 1);
    expect(ear.counts.failed).toBe(0);
    await clock.advance(1);
    expect(ear.counts.failed).toBe(1);
    expect(told.filter((line) => line.startsWith('trouble'))).toEqual(['trouble: timeout']);
    expect(asked[0]!.request.signal.aborted).toBe(true);
    expect(asked[1]!.leftMs).toBe(1_200);
    asked[1]!.answer('Where?');
    await ear.settled();
    expect(told.slice(-2)).toEqual(['no trouble', 'ben: Where?']);
  });

  it('costs the oldest of too many that wait', async () => {
    const { told, asked, clock, sender, ear } = setUp({ options: { atOnce: 2, mostWaiting: 2 } });
    const senders = ['a', 'b', 'c', 'd', 'e'].map(sender);
    for (const each of senders) each.burst(20);
    await clock.advance(600);
    expect(told.slice(-1)).toEqual(['trouble: unavailable']);
    for (const one of asked) one.answer('We meet at nine.');
    await ear.settled();
    expect(told.filter((line) => line.includes('nine')).toSorted()).toEqual(
      ['a', 'b', 'd', 'e'].map((id) => `${id}: We meet at nine.`),
    );
    expect(ear.counts).toMatchObject({ failed: 1, lines: 4 });
  });

  it('lets one speaker have no more than two of its places', async () => {
    const { asked, sender, ear } = setUp();
    const ann = sender('ann');
    for (let line = 0; line < 4; line += 1) await ann.say(20);
    await sender('ben').say(20);
    expect(asked.map(({ ended }) => ended !== undefined)).toEqual([true, true, false, false, true]);
    await ear[Symbol.asyncDispose]();
  });
});

describe('a member who is forgotten', () => {
  it('is not told of, whatever was under way', async () => {
    const { told, asked, sender, ear } = setUp({ options: { atOnce: 1 } });
    const ann = sender('ann');
    await ann.say(30);
    await ann.say(30);
    await ann.say(30, false);
    await new Promise(setImmediate);
    const before = [...told];
    ear.forget('ann');
    expect(asked.map(({ request }) => request.signal.aborted)).toEqual([true, true, true]);
    asked[2]!.request.partial({ text: 'We meet', language: 'en', confidence: 0.9 });
    for (const one of asked) one.answer('We meet at nine.');
    await ear.settled();
    expect(told).toEqual(before);
    expect(asked[1]!.ended).toBeUndefined();
    expect(asked[2]!.ended).toBeUndefined();
  });

  it('gives its place to others, who are heard on', async () => {
    const { told, asked, sender, ear } = setUp({ options: { atOnce: 1 } });
    await sender('ann').say(30);
    await sender('ben').say(30);
    ear.forget('ann');
    await new Promise(setImmediate);
    asked[1]!.answer('Where?');
    await ear.settled();
    expect(told.slice(-1)).toEqual(['ben: Where?']);
  });

  it('is heard again when they speak again', async () => {
    const { told, sender, ear } = setUp({ isPrompt: true });
    const ann = sender('ann');
    await ann.say(30, false);
    ear.forget('ann');
    await ann.say(30);
    await ear.settled();
    expect(told).toEqual(['ann began', 'ann began', 'ann: line 2 of ann']);
  });
});

describe('an ear that is put away', () => {
  it('tells nothing any more and leaves no timer', async () => {
    const { told, asked, clock, sender, ear } = setUp();
    const ann = sender('ann');
    await ann.say(30);
    await ann.say(30, false);
    const settled = ear.settled();
    const before = [...told];
    const putAway = ear[Symbol.asyncDispose]();
    for (const one of asked) one.answer('We meet at nine.');
    await putAway;
    await settled;
    await ann.say(30);
    expect(told).toEqual(before);
    expect(clock.waiting).toBe(0);
  });
});
