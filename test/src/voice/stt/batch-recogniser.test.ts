import { ASKER } from '../../../fakes/asker.ts';
import { describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../../src/api/client.ts';
import { AppError } from '../../../../src/errors.ts';
import {
  type BatchRecogniserOptions,
  createBatchRecogniser,
} from '../../../../src/voice/stt/batch-recogniser.ts';
import type { RecognitionHints, Utterance } from '../../../../src/ports/recogniser.ts';
import { makeUtterance } from '../../../../src/voice/stt/utterance.ts';
import { createSender } from './support.ts';

type Call = {
  readonly parameters: Parameters<ServiceClient['transcribe']>[1];
  readonly options: Parameters<ServiceClient['transcribe']>[2];
  readonly bytes: number | undefined;
  answer(text: string): Promise<void>;
  fail(error: Error): Promise<void>;
};

const settle = () => new Promise(setImmediate);

/** An utterance of so much voice, and silence behind it. */
const utteranceOf = (ms: number, silenceMs = 0): Utterance =>
  makeUtterance({
    id: 1,
    speakerId: 'ann',
    isContinued: false,
    preRoll: [],
    packets: createSender()
      .say('voice', (ms + silenceMs) / 20)
      .map((packet, index) => ({
        ...packet,
        samples: 960,
        isVoice: index < ms / 20,
        gapSamples: 0,
      })),
  });

const setUp = (
  hints: RecognitionHints = { hotwords: [] },
  wanted: Omit<BatchRecogniserOptions, 'space' | 'clock'> = {},
  { answersTooLate = false } = {},
) => {
  const calls: Call[] = [];
  const time = { nowMs: 0 };
  const controller = new AbortController();
  const partials: string[] = [];
  const recogniser = createBatchRecogniser(
    {
      transcribe: (audio, parameters, options) => {
        const { promise, resolve, reject } = Promise.withResolvers<{
          text: string;
          language: string;
          confidence: number;
        }>();
        if (!answersTooLate)
          options.signal.addEventListener('abort', () => reject(options.signal.reason as Error));
        calls.push({
          parameters,
          options,
          bytes: audio.sizeBytes,
          answer: async (text) => {
            resolve({ text, language: 'en', confidence: 0.9 });
            await settle();
          },
          fail: async (error) => {
            reject(error);
            await settle();
          },
        });
        return promise;
      },
    },
    { space: ASKER.space, clock: { nowMs: () => time.nowMs }, ...wanted },
  );
  const start = () => {
    const recognition = recogniser.start({
      hints: async () => hints,
      signal: controller.signal,
      partial: ({ text }) => void partials.push(text),
      final: () => undefined,
    });
    const grow = async (ms: number, silenceMs = 0) => {
      recognition.grow(utteranceOf(ms, silenceMs));
      await settle();
    };
    return { recognition, grow };
  };
  return { calls, controller, partials, recogniser, time, start, ...start() };
};

describe('recognising whole utterances', () => {
  it('sends a file with what there is to listen for, and how long the answer is of use', async () => {
    const { calls, recognition } = setUp({ hotwords: ['Dragoman'], language: 'ja' });
    const result = recognition.finish(utteranceOf(1_000), 5_000);
    await settle();
    expect(calls[0]).toMatchObject({
      parameters: { hotwords: ['Dragoman'], language: 'ja', words: true },
      options: { deadlineMs: 5_000 },
    });
    expect(calls[0]!.bytes).toBeGreaterThan(50 * 8);
    await calls[0]!.answer('Hello.');
    expect(await result).toEqual({ text: 'Hello.', language: 'en', confidence: 0.9 });
  });

  it('asks for the times of words alone where there are no hints', async () => {
    const { calls, recognition } = setUp();
    const result = recognition.finish(utteranceOf(1_000), 5_000);
    await settle();
    expect(calls[0]!.parameters).toEqual({ words: true });
    await calls[0]!.answer('Hello.');
    await result;
  });

  it('reports its error', async () => {
    const { calls, recognition } = setUp();
    const result = recognition.finish(utteranceOf(1_000), 5_000);
    const told = expect(result).rejects.toMatchObject({ code: 'unavailable' });
    await settle();
    await calls[0]!.fail(new AppError('unavailable', 'down'));
    await told;
  });

  it('sends nothing of what nobody wants to know any more', async () => {
    const { calls, recognition, controller } = setUp();
    controller.abort();
    await expect(recognition.finish(utteranceOf(1_000), 5_000)).rejects.toThrow('aborted');
    expect(calls).toEqual([]);
  });
});

describe('recognising growing utterances', () => {
  it('shows what two requests agree on, one request at a time, each for 1.2 s more', async () => {
    const { calls, partials, grow, recogniser } = setUp();
    expect(recogniser.growEveryMs).toBe(300);
    await grow(900);
    expect(calls).toHaveLength(0);
    await grow(1_200);
    await grow(2_400);
    expect(calls).toHaveLength(1);
    await calls[0]!.answer('The train');
    await grow(2_300);
    expect(calls).toHaveLength(1);
    await grow(2_400);
    await calls[1]!.answer('The train leaves');
    await grow(3_600);
    await calls[2]!.answer('The train leaves at nine');
    expect(partials).toEqual(['The train', 'The train leaves']);
  });

  it('is rarer the longer they are', async () => {
    const { calls, grow } = setUp();
    const sentMs: number[] = [];
    for (let ms = 300; ms < 15_000; ms += 300) {
      await grow(ms);
      if (calls.length === sentMs.length) continue;
      sentMs.push(ms);
      await calls.at(-1)!.answer('The train');
    }
    expect(sentMs).toEqual([1_200, 2_400, 3_600, 4_800, 6_600, 9_000, 12_000]);
  });

  it('never lets the end wait for a part', async () => {
    const { calls, partials, recognition, grow } = setUp();
    await grow(1_200);
    const result = recognition.finish(utteranceOf(1_500), 5_000);
    await settle();
    expect(calls[0]!.options.signal.aborted).toBe(true);
    expect(calls[1]!.options.signal.aborted).toBe(false);
    // A part may fail: the whole is sent yet.
    expect(calls.map(({ options }) => options.hasFallback)).toEqual([true, undefined]);
    await grow(5_000);
    await calls[1]!.answer('The train.');
    expect((await result).text).toBe('The train.');
    expect(calls).toHaveLength(2);
    expect(partials).toEqual([]);
  });

  it('reports nothing of a part that is answered after the end was requested', async () => {
    const { calls, partials, recognition, grow } = setUp(
      { hotwords: [] },
      {},
      { answersTooLate: true },
    );
    await grow(1_200);
    await calls[0]!.answer('The train');
    await grow(2_400);
    const result = recognition.finish(utteranceOf(2_500), 5_000);
    await calls[1]!.answer('The train leaves');
    await settle();
    await calls[2]!.answer('The train left.');
    await result;
    expect(partials).toEqual([]);
  });

  it('gives parts up after one that fails, not the end', async () => {
    const { calls, recognition, grow } = setUp();
    await grow(1_200);
    await calls[0]!.fail(new AppError('rate-limited', 'busy'));
    await grow(5_000);
    expect(calls).toHaveLength(1);
    const result = recognition.finish(utteranceOf(5_000), 5_000);
    await settle();
    await calls[1]!.answer('The train.');
    expect((await result).text).toBe('The train.');
  });

  it('sends none once the voice has paused', async () => {
    const { calls, grow } = setUp();
    await grow(1_100);
    await grow(1_100, 300);
    expect(calls).toEqual([]);
    await grow(1_400, 300);
    expect(calls).toHaveLength(1);
  });

  it('takes a part with all of the voice for the whole, answered before the end or after it', async () => {
    for (const isEarly of [true, false]) {
      const { calls, recognition, grow } = setUp();
      await grow(1_200);
      if (isEarly) await calls[0]!.answer('The train.');
      const result = recognition.finish(utteranceOf(1_200, 400), 5_000);
      if (!isEarly) await calls[0]!.answer('The train.');
      expect((await result).text).toBe('The train.');
      expect(calls).toHaveLength(1);
    }
  });

  it('sends the whole where a part with all of the voice fails', async () => {
    const { calls, recognition, grow } = setUp();
    await grow(1_200);
    const result = recognition.finish(utteranceOf(1_200, 400), 5_000);
    await calls[0]!.fail(new AppError('unavailable', 'down'));
    await calls[1]!.answer('The train.');
    expect((await result).text).toBe('The train.');
  });

  it('sends one part of a room at a time, and none while a whole is awaited', async () => {
    const { calls, start, grow } = setUp();
    const other = start();
    await grow(1_200);
    await other.grow(1_200);
    expect(calls).toHaveLength(1);
    await calls[0]!.answer('The train');
    const result = other.recognition.finish(utteranceOf(1_400), 5_000);
    await grow(3_000);
    expect(calls).toHaveLength(2);
    await calls[1]!.answer('Yes.');
    await result;
    await grow(3_100);
    expect(calls).toHaveLength(3);
  });

  it('gives the part of another up for a whole', async () => {
    const { calls, start, grow } = setUp();
    const other = start();
    await grow(1_200);
    const result = other.recognition.finish(utteranceOf(1_400), 5_000);
    await settle();
    expect(calls[0]!.options.signal.aborted).toBe(true);
    await calls[1]!.answer('Yes.');
    await result;
  });

  it('goes on with the parts of somebody after the whole of another', async () => {
    const { calls, start, grow } = setUp();
    const other = start();
    await grow(1_200);
    const result = other.recognition.finish(utteranceOf(1_400), 5_000);
    await settle();
    await calls[1]!.answer('Yes.');
    await result;
    await grow(2_400);
    expect(calls).toHaveLength(3);
  });

  it('never gives up a part that is taken for the whole', async () => {
    const { calls, start, recognition, grow } = setUp();
    const other = start();
    await grow(1_200);
    const result = recognition.finish(utteranceOf(1_200, 400), 5_000);
    const others = other.recognition.finish(utteranceOf(1_400), 5_000);
    await settle();
    expect(calls.map(({ options }) => options.signal.aborted)).toEqual([false, false]);
    for (const call of calls) await call.answer('Yes.');
    await Promise.all([result, others]);
    expect(calls).toHaveLength(2);
  });

  it('leaves a slow recogniser free for half of the time', async () => {
    const { calls, time, grow } = setUp();
    await grow(1_200);
    time.nowMs += 1_500;
    await calls[0]!.answer('The');
    await grow(4_100);
    expect(calls).toHaveLength(1);
    await grow(4_200);
    expect(calls).toHaveLength(2);
  });

  it('reports nothing of an utterance that was aborted', async () => {
    const { calls, partials, controller, grow } = setUp();
    await grow(1_200);
    await calls[0]!.answer('The train');
    await grow(2_400);
    controller.abort();
    await settle();
    expect(calls[1]!.options.signal.aborted).toBe(true);
    expect(partials).toEqual([]);
  });

  it('happens only where it is wanted', async () => {
    const { calls, grow, recogniser } = setUp({ hotwords: [] }, { partialEveryMs: 0 });
    expect(recogniser.growEveryMs).toBe(0);
    await grow(10_000);
    expect(calls).toEqual([]);
  });
});
