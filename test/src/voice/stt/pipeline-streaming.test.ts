import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Recogniser, RecognitionRequest } from '../../../../src/ports/recogniser.ts';
import { createSttPipeline, type SttPipelineHints } from '../../../../src/voice/stt/pipeline.ts';
import type { TranscriptEvent } from '../../../../src/voice/stt/transcript-emitter.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import {
  createStreamingRecogniser,
  silentPacket,
  WORD_PACKETS,
  wordPacket,
} from '../../../fakes/recogniser.ts';
import { human, openStage, ROOM, settle } from '../room-harness.ts';

const PACKET_MS = 20;
const NO_HINTS: SttPipelineHints = { hotwords: [], languages: [] };

/** A recogniser with the requests that it was given. */
const createNotingRecogniser = () => {
  const requests: RecognitionRequest[] = [];
  const inner = createStreamingRecogniser();
  const recogniser: Recogniser = {
    growEveryMs: 100,
    start: (request) => {
      requests.push(request);
      return inner.start(request);
    },
  };
  return { recogniser, requests };
};

const setUp = (
  recogniser: Recogniser,
  hints: () => Promise<SttPipelineHints> = async () => NO_HINTS,
) => {
  const clock = createTestClock();
  const events: TranscriptEvent[] = [];
  const troubles: (string | undefined)[] = [];
  const pipeline = createSttPipeline({
    recogniser,
    clock,
    listener: {
      speechBegan: () => undefined,
      transcript: (event) => void events.push(event),
      withheld: () => undefined,
      lost: () => undefined,
      trouble: (error) => void troubles.push(error?.code),
    },
    hints,
  });
  let sequence = 0;
  const send = async (packets: readonly Uint8Array[], speakerId = 'ann'): Promise<void> => {
    for (const data of packets) {
      sequence += 1;
      const arrivedMs = clock.nowMs();
      const timestampSamples = Math.round(arrivedMs) * 48;
      pipeline.packet({ speakerId, data, sequence, timestampSamples, arrivedMs });
      await clock.advance(PACKET_MS);
    }
  };
  return {
    clock,
    pipeline,
    events,
    troubles,
    say: (...words: string[]) =>
      send(words.flatMap((word) => Array.from({ length: WORD_PACKETS }, () => wordPacket(word)))),
    pause: (packets: number) => send(Array.from({ length: packets }, silentPacket)),
    shown: () => events.map(({ text, isFinal }) => `${text}${isFinal ? '.' : ' …'}`),
  };
};

describe('a streaming recogniser in the pipeline', () => {
  it('shows what it is certain of as it comes, and all of it at the end', async () => {
    const recogniser = createStreamingRecogniser();
    const { say, clock, shown, pipeline } = setUp(recogniser);
    await say('we', 'meet', 'at');
    expect(shown()).toEqual(['we …', 'we meet …']);
    await clock.advance(1_000);
    expect(shown()).toEqual(['we …', 'we meet …', 'we meet at.']);
    expect(recogniser.service).toMatchObject({ started: 1, finished: 1 });
    await pipeline[Symbol.asyncDispose]();
    expect(clock.waiting).toBe(0);
  });

  it('ends an utterance itself, and what follows is another one', async () => {
    const recogniser = createStreamingRecogniser();
    const { say, pause, clock, events, shown, pipeline } = setUp(recogniser);
    await say('we', 'meet');
    await pause(20);
    expect(shown().at(-1)).toBe('we meet.');
    await say('at', 'nine');
    await clock.advance(1_000);
    expect(shown().at(-1)).toBe('at nine.');
    const finals = events.filter(({ isFinal }) => isFinal);
    expect(finals).toHaveLength(2);
    expect(finals[1]!.id).toBeGreaterThan(finals[0]!.id);
    expect(finals[1]!.startMs).toBeGreaterThan(finals[0]!.endMs);
    // The first one is not asked to finish what it has finished.
    expect(recogniser.service).toMatchObject({ started: 2, finished: 1 });
    expect(pipeline.counts).toMatchObject({ utterances: 2, transcripts: 2, failed: 0 });
  });

  it('that hangs costs no transcript: another recognition of the same audio takes its place', async () => {
    const recogniser = createStreamingRecogniser();
    const { say, clock, shown, troubles, pipeline } = setUp(recogniser);
    await say('we', 'meet');
    recogniser.service.hangs = true;
    await clock.advance(5_000);
    expect(recogniser.service).toMatchObject({ started: 1, finished: 1 });
    recogniser.service.hangs = false;
    await clock.advance(10_000);
    expect(shown().at(-1)).toBe('we meet.');
    expect(recogniser.service).toMatchObject({ started: 2, finished: 2 });
    expect(troubles).toEqual(['timeout', undefined]);
    await pipeline[Symbol.asyncDispose]();
    expect(clock.waiting).toBe(0);
  });

  it('that fails is followed by another recognition, never asked again', async () => {
    const recogniser = createStreamingRecogniser();
    recogniser.service.faults.push(
      new AppError('unavailable', 'the socket broke', { retryable: true }),
    );
    const { say, clock, shown, troubles } = setUp(recogniser);
    await say('we', 'meet');
    await clock.advance(1_000);
    expect(troubles).toEqual(['unavailable']);
    await clock.advance(3_000);
    expect(shown().at(-1)).toBe('we meet.');
    expect(recogniser.service).toMatchObject({ started: 2, finished: 2 });
  });

  it('that ends an utterance early does not overtake the one before', async () => {
    const recogniser = createStreamingRecogniser();
    const { say, pause, clock, shown } = setUp(recogniser);
    await say('one');
    recogniser.service.hangs = true;
    await clock.advance(1_000);
    recogniser.service.hangs = false;
    await say('two');
    await pause(12);
    expect(shown().filter((text) => text.endsWith('.'))).toEqual([]);
    await clock.advance(10_000);
    expect(shown().filter((text) => text.endsWith('.'))).toEqual(['one.', 'two.']);
  });

  it('receives nothing more of a forgotten member, and reports nothing', async () => {
    const { recogniser, requests } = createNotingRecogniser();
    const { say, clock, shown, pipeline } = setUp(recogniser);
    await say('we', 'meet');
    const before = shown();
    pipeline.forget('ann');
    expect(requests[0]!.signal.aborted).toBe(true);
    const result = { text: 'we meet', language: 'en', confidence: 0.9 };
    requests[0]!.partial(result);
    requests[0]!.final(result, 10);
    await clock.advance(5_000);
    expect(shown()).toEqual(before);
  });

  it('that finds an end too late, or one that is none, is not believed', async () => {
    const { recogniser, requests } = createNotingRecogniser();
    const held = Promise.withResolvers<SttPipelineHints>();
    const { say, clock, shown } = setUp(recogniser, () => held.promise);
    await say('we', 'meet');
    const wrong = { text: 'something else', language: 'en', confidence: 0.9 };
    requests[0]!.final(wrong, 9_999);
    await clock.advance(1_000);
    requests[0]!.final(wrong, 50);
    held.resolve(NO_HINTS);
    await clock.advance(1_000);
    expect(shown().at(-1)).toBe('we meet.');
    expect(requests).toHaveLength(2);
  });
});

describe('a room with a streaming recogniser', () => {
  it('captions each piece as soon as the recogniser has ended it', async () => {
    await using stage = await openStage(
      { spokenNotice: false, partials: true },
      (place) => () => createStreamingRecogniser((data) => place.textsIn(data)[0]),
    );
    stage.place.enter(ROOM, human('ann', 'Ann'));
    await stage.join();
    await stage.room().startCaptions({ languages: ['es'] });
    await settle();
    await stage.place.speak('ann', 'hello');
    await stage.place.speak('ann', 'everybody');
    await stage.pass(2_000);
    expect(stage.place.texts(ROOM).at(-1)).toContain('hello everybody');
    await stage.pass(3_000);
    expect(stage.place.texts(ROOM).at(-1)).toContain('es:hello everybody');
    expect(stage.sent).toEqual([]);
    expect(stage.room().recentCaptions()).toEqual(['Ann: hello everybody']);
    await stage.press('captions out', 'ann');
    expect(stage.room().recentCaptions()).toEqual([]);
  });
});
