import { describe, expect, it } from 'vitest';
import { setUpPipeline } from './pipeline-support.ts';
import { createSender, sequencesOf } from './support.ts';

describe('the pipeline', () => {
  it('reports that somebody speaks, the certain part, and the whole utterance when it has ended', async () => {
    const { told, asked, sender, events, pipeline } = setUpPipeline();
    const ann = sender('ann');
    await ann.say(30, false);
    expect(told).toEqual(['ann began']);
    expect(await asked[0]!.request.hints(2_000)).toMatchObject({ hotwords: ['Dragoman'] });
    expect(asked[0]!.grown.length).toBeGreaterThan(1);
    asked[0]!.request.partial({ text: 'We meet', language: 'en', confidence: 0.9 });
    asked[0]!.request.partial({ text: 'We meet', language: 'en', confidence: 0.9 });
    await ann.say(10);
    expect(asked[0]!.leftMs).toBe(45_000);
    asked[0]!.answer('We meet at nine.');
    await pipeline.settled();
    expect(told).toEqual(['ann began', 'ann…: We meet', 'ann: We meet at nine.']);
    expect(events[1]).toEqual({
      id: events[0]!.id,
      speakerId: 'ann',
      startMs: 1_000_000 - 20,
      endMs: 1_000_000 + 39 * 20,
      text: 'We meet at nine.',
      language: 'en',
      isFinal: true,
    });
    expect(pipeline.counts).toMatchObject({
      utterances: 1,
      transcripts: 1,
      failed: 0,
      packets: { taken: 40 },
    });
  });

  it('recognises different speakers at the same time, and reports each in order', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline();
    const ann = sender('ann');
    await ann.say(30);
    await ann.say(30);
    await sender('ben').say(30);
    expect(asked.map(({ ended }) => ended !== undefined)).toEqual([true, true, true]);
    asked[1]!.answer('And at ten.');
    asked[2]!.answer('Where?');
    await new Promise(setImmediate);
    asked[0]!.answer('We meet at nine.');
    await pipeline.settled();
    expect(told.filter((line) => line.includes(':'))).toEqual([
      'ben: Where?',
      'ann: We meet at nine.',
      'ann: And at ten.',
    ]);
  });

  it('reports a monologue while it goes on, and that it does', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline({
      options: { longestMs: 2_000 },
      isPrompt: true,
    });
    await sender('ann').say(250);
    await pipeline.settled();
    expect(asked.length).toBeGreaterThan(2);
    expect(told.filter((line) => line === 'ann began')).toHaveLength(asked.length);
    const sequences = asked.flatMap(({ ended }) => sequencesOf(ended!));
    expect(sequences).toEqual(Array.from({ length: 250 }, (_, index) => 100 + index));
  });

  it('does not report a click', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline();
    await sender('ann').say(4);
    expect(told).toEqual([]);
    expect(asked).toEqual([]);
    expect(pipeline.counts).toMatchObject({ dropped: 1, utterances: 0 });
  });

  it('retracts partial transcripts of what was no speech', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline();
    await sender('ann').say(30, false);
    await new Promise(setImmediate);
    asked[0]!.request.partial({ text: 'Thanks for watching', language: 'en', confidence: 0.9 });
    asked[0]!.request.partial({ text: 'Thanks for the fish', language: 'en', confidence: 0.9 });
    asked[0]!.answer('[Music]');
    await pipeline.settled();
    expect(told).toEqual([
      'ann began',
      'ann…: Thanks for the fish',
      'ann withheld: no-words',
      'ann: ',
    ]);
    expect(pipeline.counts.refused).toMatchObject({ 'no-words': 1, loop: 0 });
  });

  it('takes back what it showed where only clicks are left before a cut', async () => {
    const { told, asked, clock, pipeline } = setUpPipeline({ options: { longestMs: 2_000 } });
    const from = createSender('ann', clock.nowMs());
    for (const click of [1, 2, 3])
      for (const packet of [...from.say('voice', 1), ...from.say('quiet', 20 + click)])
        pipeline.packet(packet);
    for (const packet of from.say('voice', 15)) pipeline.packet(packet);
    asked[0]!.request.partial({ text: 'We', language: 'en', confidence: 0.9 });
    for (const packet of from.say('voice', 30)) pipeline.packet(packet);
    expect(told).toEqual(['ann began', 'ann…: We', 'ann: ', 'ann began']);
    expect(pipeline.counts.dropped).toBe(1);
    await pipeline[Symbol.asyncDispose]();
  });

  it('does not take it for the end that the process stood still while people spoke', async () => {
    const { clock, stall, asked, sender, pipeline } = setUpPipeline({ isPrompt: true });
    const speakers = [sender('ann'), sender('ben')];
    for (const speaker of speakers) speaker.burst(30);
    stall.ms = 700;
    await clock.advance(600);
    // What was sent meanwhile is read after the timers, one packet after the other.
    for (const speaker of speakers) {
      speaker.burst(65);
      await clock.advance(10);
    }
    await clock.advance(1_000);
    expect(asked.map(({ ended }) => sequencesOf(ended!).length)).toEqual([95, 95]);
    await pipeline[Symbol.asyncDispose]();
    expect(clock.waiting).toBe(0);
  });

  it('reports every utterance at last in a process that stands still again and again', async () => {
    const { clock, stall, told, sender, pipeline } = setUpPipeline({ isPrompt: true });
    await sender('ann').say(30, false);
    for (let time = 0; time < 40; time += 1) {
      stall.ms += 500;
      await clock.advance(20);
    }
    expect(told).toEqual(['ann began', 'ann: line 1 of ann']);
    await pipeline[Symbol.asyncDispose]();
  });

  it('ends open utterances when it settles', async () => {
    const { told, sender, pipeline } = setUpPipeline({ isPrompt: true });
    await sender('ann').say(30, false);
    await pipeline.settled();
    expect(told).toEqual(['ann began', 'ann: line 1 of ann']);
  });

  it('does without hints that cannot be had', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline({
      hints: () => Promise.reject(new Error('no database')),
      isPrompt: true,
    });
    await sender('ann').say(30);
    await pipeline.settled();
    expect(await asked[0]!.request.hints(2_000)).toEqual({ hotwords: [] });
    expect(told).toContain('ann: line 1 of ann');
  });

  it('goes on when its listener fails', async () => {
    const { told, sender, pipeline } = setUpPipeline({ isPrompt: true, throwsOn: 'line 1 of ann' });
    await sender('ann').say(30);
    await sender('ben').say(30);
    await pipeline.settled();
    expect(told).toEqual(['ann began', 'ben began', 'ben: line 2 of ben']);
  });

  it('has one timer however many speak, and none when nobody does', async () => {
    const { clock, sender, pipeline } = setUpPipeline({ isPrompt: true });
    for (const id of ['ann', 'ben', 'cid']) await sender(id).say(20, false);
    expect(clock.waiting).toBe(1);
    await clock.advance(60_000);
    expect(clock.waiting).toBe(0);
    await pipeline[Symbol.asyncDispose]();
  });
});

describe('a member who is forgotten', () => {
  it('is not reported, whatever was under way', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline({ options: { atOnce: 1 } });
    const ann = sender('ann');
    await ann.say(30);
    await ann.say(30);
    await ann.say(30, false);
    await new Promise(setImmediate);
    const before = [...told];
    pipeline.forget('ann');
    expect(asked.map(({ request }) => request.signal.aborted)).toEqual([true, true, true]);
    asked[2]!.request.partial({ text: 'We meet', language: 'en', confidence: 0.9 });
    for (const one of asked) one.answer('We meet at nine.');
    await pipeline.settled();
    expect(told).toEqual(before);
    expect(asked[1]!.ended).toBeUndefined();
    expect(asked[2]!.ended).toBeUndefined();
  });

  it('is judged without earlier speech, which is no longer known', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline();
    const ann = sender('ann');
    const hum = async () => {
      await ann.say(11);
      asked.at(-1)!.answer('Right.', { confidence: 0.5 });
      await new Promise(setImmediate);
    };
    for (let time = 0; time < 3; time += 1) await hum();
    expect(pipeline.counts.refused.repeat).toBe(1);
    pipeline.forget('ann');
    await hum();
    expect(told.filter((line) => line === 'ann: Right.')).toHaveLength(3);
  });

  it('gives its place to others, who are still recognised', async () => {
    const { told, asked, sender, pipeline } = setUpPipeline({ options: { atOnce: 1 } });
    await sender('ann').say(30);
    await sender('ben').say(30);
    pipeline.forget('ann');
    await new Promise(setImmediate);
    asked[1]!.answer('Where?');
    await pipeline.settled();
    expect(told.slice(-1)).toEqual(['ben: Where?']);
  });

  it('is recognised again when they speak again', async () => {
    const { told, sender, pipeline } = setUpPipeline({ isPrompt: true });
    const ann = sender('ann');
    await ann.say(30, false);
    pipeline.forget('ann');
    await ann.say(30);
    await pipeline.settled();
    expect(told).toEqual(['ann began', 'ann began', 'ann: line 2 of ann']);
  });
});

describe('an pipeline that is put away', () => {
  it('reports nothing more and leaves no timer', async () => {
    const { told, asked, clock, sender, pipeline } = setUpPipeline();
    const ann = sender('ann');
    await ann.say(30);
    await ann.say(30, false);
    const settled = pipeline.settled();
    const before = [...told];
    const putAway = pipeline[Symbol.asyncDispose]();
    for (const one of asked) one.answer('We meet at nine.');
    await putAway;
    await settled;
    await ann.say(30);
    expect(told).toEqual(before);
    expect(clock.waiting).toBe(0);
  });
});
