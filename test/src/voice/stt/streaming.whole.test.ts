import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServiceClient } from '../../../../src/api/client.ts';
import { createRealtime } from '../../../../src/api/realtime/index.ts';
import { realClock } from '../../../../src/async/clock.ts';
import { createResampler } from '../../../../src/audio/resample.ts';
import { concatSamples } from '../../../../src/audio/pcm.ts';
import type { DictatedWords } from '../../../../src/model/message.ts';
import { createLimits } from '../../../../src/usage/limits.ts';
import { createDictationOpener } from '../../../../src/voice/dictation.ts';
import { createSttPipeline } from '../../../../src/voice/stt/pipeline.ts';
import { createRecogniserFactory } from '../../../../src/voice/stt/realtime-recogniser.ts';
import type { TranscriptEvent } from '../../../../src/voice/stt/transcript-emitter.ts';
import { streamSoundOf, writeTinyStream } from '../../../fakes/models/tiny-stream.ts';
import { encodePackets } from '../../../fakes/opus.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { KEY, startTestService, type TestService } from '../../../service/support.ts';

const SPACE = { platform: 'p', id: 'one' };
const SAMPLES = 960;

/** Packets of words, and of a silence in which an utterance ends. */
const packetsOf = (words: string): readonly Uint8Array[] => {
  const resampler = createResampler(16_000, 48_000);
  const sound = concatSamples([streamSoundOf(words), new Float32Array(16_000)]);
  return encodePackets(concatSamples([resampler.push(sound), resampler.end()]), {
    bitrate: 96_000,
  });
};

describe('speech with a model that streams', () => {
  let service: TestService;
  let client: ReturnType<typeof createServiceClient>;
  let realtime: ReturnType<typeof createRealtime>;
  /** Lengths of the recordings that were requested. */
  const requested: number[] = [];

  beforeAll(async () => {
    const model = mkdtempSync(join(tmpdir(), 'sherpa-onnx-stream-en-'));
    writeTinyStream(model);
    service = await startTestService({ SERVICE_SHERPA_MODEL: model });
    const { url: baseUrl, followsSpeech } = service.service;
    client = createServiceClient({ baseUrl, key: KEY });
    const uses = [] as const;
    realtime = createRealtime({
      baseUrl,
      key: KEY,
      uses,
      followsSpeech,
      requests: client,
      log: silentLog,
    });
  });
  afterAll(async () => {
    realtime[Symbol.dispose]();
    await client[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const createRecogniser = () =>
    createRecogniserFactory({
      client: {
        ...client,
        transcribe: async (...call) => {
          requested.push(call[2].audioMs ?? 0);
          return client.transcribe(...call);
        },
      },
      realtime,
      clock: realClock,
    });

  /** Hears people who say the same words at once, in real time. */
  const caption = async (speakers: readonly string[], words: string) => {
    requested.length = 0;
    const events: TranscriptEvent[] = [];
    await using pipeline = createSttPipeline({
      recogniser: createRecogniser()({ partials: true, space: SPACE }),
      clock: realClock,
      listener: { transcript: (event) => void events.push(event), trouble: () => undefined },
      hints: async () => ({ hotwords: [], languages: ['en'] }),
    });
    for (const [at, data] of packetsOf(words).entries()) {
      const place = { sequence: at, timestampSamples: at * SAMPLES };
      for (const speakerId of speakers)
        pipeline.packet({ speakerId, data, ...place, arrivedMs: realClock.nowMs() });
      await sleep(20);
    }
    await pipeline.settled();
    return {
      partials: events.filter(({ isFinal }) => !isFinal),
      finals: events.filter(({ isFinal }) => isFinal),
    };
  };

  it('is captioned word by word, of sound that is sent once', async () => {
    const { partials, finals } = await caption(['ann'], 'alfa beta gama delta');
    expect(partials.length).toBeGreaterThan(2);
    expect(finals).toMatchObject([{ text: 'alfa beta gama delta', language: 'en' }]);
    expect(requested).toEqual([]);
    const [{ words = [], startMs, endMs }] = finals as [TranscriptEvent];
    expect(words.map(({ text }) => text)).toEqual(['alfa', 'beta', 'gama', 'delta']);
    expect(words.map((word) => word.startMs)).toEqual(
      words.map((word) => Math.min(endMs, Math.max(startMs - 300, word.startMs))),
    );
  });

  it('of more people than the machine follows is captioned when it has ended, and none is lost', async () => {
    const speakers = Array.from({ length: availableParallelism() + 4 }, (_, at) => `s${at}`);
    const { partials, finals } = await caption(speakers, 'alfa beta gama');
    expect(finals.map(({ text }) => text)).toEqual(speakers.map(() => 'alfa beta gama'));
    expect(new Set(finals.map(({ speakerId }) => speakerId)).size).toBe(speakers.length);
    const followed = new Set(partials.map(({ speakerId }) => speakerId));
    expect(followed.size).toBe(availableParallelism());
    expect(requested).toHaveLength(speakers.length - followed.size);
  });

  it('is measured for the operator', async () => {
    const [line] = await Array.fromAsync(service.service.measure(new AbortController().signal));
    expect(line).toMatchObject({
      name: 'sherpa-onnx',
      detail: expect.stringMatching(
        /follows \d+ speakers at once, whose last words come \d+\.\d s late$/,
      ),
    });
  });

  it('is shown while it is recorded on the page, and is the text of the recording', async () => {
    requested.length = 0;
    const words: DictatedWords[] = [];
    const spaces = { of: async () => ({}) } as never;
    const usage = {
      record: async () => undefined,
      today: async () => ({ audioMs: 0 }),
    } as never;
    const open = createDictationOpener({
      services: {
        glossary: { applying: async () => [] } as never,
        settings: { of: async () => ({ language: 'en', voiceId: undefined }) } as never,
        privacy: { optedOut: async () => false } as never,
        limits: createLimits({ spaces, usage, now: () => 0 }),
        usage,
      },
      createRecogniser: createRecogniser(),
      partials: true,
      clock: realClock,
      log: silentLog,
    });
    using dictation = await open({
      member: { platform: 'p', id: 'ann' },
      channel: { space: SPACE, id: 'c' },
      listener: {
        words: (each) => void words.push(each),
        ended: (error) => expect.fail(error.message),
      },
    });
    for (const data of packetsOf('alfa beta gama')) {
      dictation.packet(data);
      await sleep(20);
    }
    expect((await dictation.finish())?.text).toBe('alfa beta gama');
    expect(words.filter(({ isFinal }) => !isFinal).length).toBeGreaterThan(1);
    expect(requested).toEqual([]);
  });
});
