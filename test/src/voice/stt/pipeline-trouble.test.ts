import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { setUpPipeline } from './pipeline-support.ts';

describe('a service that fails', () => {
  const down = () => new AppError('unavailable', 'down', { retryable: true });

  it('is reported once, and again when it works', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline();
    const ann = sender('ann');
    for (let line = 0; line < 3; line += 1) await ann.say(30);
    asked[0]!.fail(down());
    asked[1]!.fail(new Error('odd'));
    asked[2]!.answer('We meet at nine.');
    await pipeline.settled();
    expect(told.filter((line) => line !== 'ann began')).toEqual([
      'trouble: unavailable',
      'no trouble',
      'ann: We meet at nine.',
    ]);
    expect(pipeline.counts).toMatchObject({ failed: 2, transcripts: 1 });
  });

  it('is retried until the deadline, and reported at once', async () => {
    const { told, asked, sender, clock, pipeline } = setUpPipeline();
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
    expect(pipeline.counts).toMatchObject({ failed: 1, transcripts: 1 });
    await clock.advance(10_000);
    expect(clock.waiting).toBe(0);
    await pipeline[Symbol.asyncDispose]();
  });

  it('is reported when nothing comes back, although nobody says anything more', async () => {
    const { told, asked, sender, clock } = setUpPipeline();
    await sender('ann').say(30);
    await clock.advance(8_000);
    expect([told, asked[0]!.times]).toEqual([['ann began'], 1]);
    await clock.advance(1_000);
    expect([told, asked[0]!.times]).toEqual([['ann began', 'trouble: timeout'], 2]);
  });

  it('is asked again for what hangs while others are answered', async () => {
    const { told, asked, sender, clock, pipeline } = setUpPipeline();
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
    await pipeline.settled();
    expect(told.at(-1)).toBe('ann: I am here as well');
    expect(asked[0]!.request.signal.aborted).toBe(true);
    expect(told.join()).not.toContain('trouble');
  });

  it('leaves standing what was sure by then', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline();
    await sender('ann').say(30, false);
    await new Promise(setImmediate);
    asked[0]!.request.partial({ text: 'We meet', language: 'en', confidence: 0.9 });
    asked[0]!.fail(down());
    await pipeline.settled();
    expect(told).toEqual(['ann began', 'ann…: We meet', 'ann: We meet', 'trouble: unavailable']);
  });

  it('is given up at the deadline, and hangs nobody else', async () => {
    const { told, asked, clock, sender, pipeline } = setUpPipeline({ options: { atOnce: 1 } });
    await sender('ann').say(30);
    await sender('ben').say(30);
    expect(asked[1]!.ended).toBeUndefined();
    await clock.advance(45_000 - 1_220 - 1);
    expect(pipeline.counts.failed).toBe(0);
    await clock.advance(1);
    expect(pipeline.counts.failed).toBe(1);
    expect(told.filter((line) => line.startsWith('trouble'))).toEqual(['trouble: timeout']);
    expect(asked[0]!.request.signal.aborted).toBe(true);
    expect(asked[1]!.leftMs).toBe(1_200);
    asked[1]!.answer('Where?');
    await pipeline.settled();
    expect(told.slice(-2)).toEqual(['no trouble', 'ben: Where?']);
  });

  it('costs the oldest of too many that wait', async () => {
    const { told, asked, clock, sender, pipeline } = setUpPipeline({
      options: { atOnce: 2, mostWaiting: 2 },
    });
    const senders = ['a', 'b', 'c', 'd', 'e'].map(sender);
    for (const each of senders) each.burst(20);
    await clock.advance(600);
    expect(told.slice(-1)).toEqual(['trouble: unavailable']);
    for (const one of asked) one.answer('We meet at nine.');
    await pipeline.settled();
    expect(told.filter((line) => line.includes('nine')).toSorted()).toEqual(
      ['a', 'b', 'd', 'e'].map((id) => `${id}: We meet at nine.`),
    );
    expect(pipeline.counts).toMatchObject({ failed: 1, transcripts: 4 });
  });

  it('lets one speaker have no more than two of its places', async () => {
    const { asked, sender, pipeline } = setUpPipeline();
    const ann = sender('ann');
    for (let line = 0; line < 4; line += 1) await ann.say(20);
    await sender('ben').say(20);
    expect(asked.map(({ ended }) => ended !== undefined)).toEqual([true, true, false, false, true]);
    await pipeline[Symbol.asyncDispose]();
  });
});

describe('a recogniser that is too slow', () => {
  it('gets what one person said while it was busy as one utterance', async () => {
    const { told, events, asked, sender, clock, pipeline } = setUpPipeline();
    const ann = sender('ann');
    for (let line = 0; line < 4; line += 1) await ann.say(20);
    asked[0]!.answer('One.');
    await clock.advance(0);
    expect(asked[2]!.ended).toMatchObject({ id: asked[2]!.id, voiceMs: 800 });
    expect(asked[3]!.ended).toBeUndefined();
    asked[1]!.answer('Two.');
    asked[2]!.answer('Three. Four.');
    await pipeline.settled();
    expect(told.filter((line) => line.startsWith('ann:'))).toEqual([
      'ann: One.',
      'ann: Two.',
      'ann: Three. Four.',
    ]);
    expect(events.at(-1)!.endMs - events.at(-1)!.startMs).toBeGreaterThan(1_000);
    expect(pipeline.counts).toMatchObject({ utterances: 4, transcripts: 3, failed: 0 });
  });

  it('is told of with its delay, again as that grows, and when it has caught up', async () => {
    const { delays, asked, sender, clock, pipeline } = setUpPipeline();
    await sender('ann').say(30);
    await sender('ben').say(30);
    await clock.advance(6_500);
    expect(delays).toEqual([]);
    await clock.advance(700);
    expect(delays).toEqual(['8 s']);
    await clock.advance(10_000);
    expect(delays).toEqual(['8 s', '18 s']);
    for (const one of asked) one.answer('We meet at nine.');
    await pipeline.settled();
    expect(delays.at(-1)).toBe('none');
  });

  it('says whose words are late', async () => {
    const { late, asked, sender, clock, pipeline } = setUpPipeline();
    await sender('ann').say(30);
    await sender('ben').say(30);
    asked[0]!.answer('We meet at nine.');
    await clock.advance(9_000);
    expect(late).toEqual([['ben']]);
    await pipeline[Symbol.asyncDispose]();
  });

  it('is over where the one whose words are late is forgotten', async () => {
    const { delays, sender, clock, pipeline } = setUpPipeline();
    await sender('ann').say(30);
    await clock.advance(9_000);
    pipeline.forget('ann');
    expect(delays).toEqual(['8 s', 'none']);
    await pipeline[Symbol.asyncDispose]();
  });
});
