import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { Children } from '../../../../service/engines/sherpa-onnx/children.ts';
import { createFollowing, streamsAt } from '../../../../service/engines/sherpa-onnx/following.ts';
import type { Model } from '../../../../service/engines/sherpa-onnx/model.ts';
import type { InstalledRecogniser } from '../../../../service/engines/sherpa-onnx/recogniser-choice.ts';
import type {
  StreamReply,
  StreamRequest,
} from '../../../../service/engines/sherpa-onnx/stream-worker.ts';

const recogniser = (languages: readonly string[] | undefined): InstalledRecogniser => ({
  model: { kind: 'streaming-ctc', name: 'm', isStreaming: true, config: { tokens: '' } } as Model,
  languages,
});
const [english, several] = [recogniser(['en']), recogniser(['de', 'fr'])];
const whisper = recogniser(['en', 'de', 'fr', 'ka']);

/** What streams are opened with: the model's languages, and the language of the stream. */
const following = (
  streaming: readonly InstalledRecogniser[],
  others: readonly InstalledRecogniser[] = [whisper],
  loaded = Promise.resolve(),
) => {
  const asked: StreamRequest[] = [];
  const child = {
    get isRunning() {
      return asked.length > 0;
    },
    call: async (request: StreamRequest): Promise<StreamReply> => {
      await loaded;
      asked.push(request);
      const heard = request.turns.map(({ id }) => ({
        id,
        text: 'streamed',
        words: undefined,
        isFinal: true,
        isLast: true,
        endMs: 0,
      }));
      return { heard, isBusy: false, tookMs: 1 };
    },
  };
  const children = { of: () => child } as unknown as Children<StreamRequest, StreamReply>;
  const engine = { longestMs: 1, recognise: async () => ({ text: 'recorded' }) };
  return { ...createFollowing(children, () => 8).extend(engine, streaming, others), asked };
};

describe('models that stream', () => {
  it.each([
    ['a language of theirs', 'en', true],
    ['a region of it', 'en-GB', true],
    ['another language', 'ka', false],
    ['whatever is spoken, where they know one', undefined, false],
  ])('follow %s beside others: %s', (_, language, isKnown) => {
    expect(following([english]).stream?.knows(language)).toBe(isKnown);
  });

  it('follow whatever is spoken where they know several languages, or nothing else does', () => {
    expect(following([english, several]).stream?.knows(undefined)).toBe(true);
    expect(following([english], []).stream?.knows(undefined)).toBe(true);
    expect(following([english], []).stream?.knows('ka')).toBe(true);
    expect(following([], [whisper]).stream).toBeUndefined();
  });

  it.each([
    ['en', 'recorded'],
    [undefined, 'recorded'],
    ['pt', 'streamed'],
  ])('recognise recordings only in languages that no other knows: %s', async (language, text) => {
    const engine = following([recogniser(['en', 'pt'])]);
    const hints = language === undefined ? {} : { language };
    const heard = await engine.recognise(
      new Float32Array(160),
      hints,
      new AbortController().signal,
    );
    expect(heard.text).toBe(text);
  });

  it.each([
    [[english], {}, 'en'],
    [[several], {}, undefined],
    [[several], { language: 'fr' }, 'fr'],
  ])('are told the language, or have one only: %#', async (streaming, hints, language) => {
    const { stream, asked } = following(streaming, []);
    const one = stream!.open(hints, { heard: () => undefined, failed: () => undefined })!;
    one.feed(new Float32Array(160));
    expect(await one.finish()).toMatchObject({ text: 'streamed', language });
    expect(asked.flatMap(({ turns }) => turns)[0]?.begins?.language).toBe(language);
  });

  it.each([
    [undefined, availableParallelism()],
    [0.1, 8],
    [0.5, 1],
    [3, 1],
  ])('follow as many as is measured: %s', (realTimeFactor, most) => {
    expect(streamsAt(realTimeFactor)).toBe(most);
  });

  it('follow nobody more while they are loaded, and then again', async () => {
    const loaded = Promise.withResolvers<void>();
    const { stream } = following([english], [whisper], loaded.promise);
    const listener = { heard: () => undefined, failed: () => undefined };
    const first = stream!.open({ language: 'en' }, listener)!;
    first.feed(new Float32Array(160));
    expect(stream!.open({ language: 'en' }, listener)).toBeUndefined();
    expect(stream!.isFull!('en')).toBe(true);
    loaded.resolve();
    await first.finish();
    expect(stream!.isFull!('en')).toBe(false);
    expect(stream!.open({ language: 'en' }, listener)).toBeDefined();
  });

  it('are shared by keys', () => {
    const { stream } = following([several], [whisper]);
    const open = (key: string) =>
      stream!.open({}, { heard: () => undefined, failed: () => undefined }, key);
    const own = Array.from({ length: 8 }, () => open('a')!);
    expect(open('b')).toBeUndefined();
    expect(stream!.isFull!(undefined)).toBe(true);
    for (const one of own.splice(1)) one[Symbol.dispose]();
    expect(Array.from({ length: 8 }, () => open('a')).filter(Boolean)).toHaveLength(3);
    expect(open('b')).toBeDefined();
  });
});
