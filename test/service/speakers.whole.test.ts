import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS, type AsrSegmentsReply } from '../../src/api/contract.ts';
import { encode } from '../../src/audio/codec/encode.ts';
import { VOICES, writeTinyDiarisation } from '../fakes/models/tiny-diarisation.ts';
import { writeTinyRecogniser } from '../fakes/models/tiny-recogniser.ts';
import { soundOf, TONES_RATE_HZ } from '../fakes/models/tones.ts';
import { failure, KEY, makeWav, startTestService, type TestService } from './support.ts';

const [ANN, BEN] = VOICES;
const WORDS = 30;

const audioOf = async (samples: Float32Array): Promise<string> => {
  const pcm = async function* whole() {
    yield samples;
  };
  return Buffer.concat(await Array.fromAsync(encode('flac', TONES_RATE_HZ, pcm()))).toString(
    'base64',
  );
};

describe('a recording of two people', () => {
  let service: TestService;
  let audio: string;
  beforeAll(async () => {
    const models = mkdtempSync(join(tmpdir(), 'dragoman-speakers-'));
    writeTinyRecogniser(join(models, 'ears'));
    writeTinyDiarisation(join(models, 'speakers'));
    service = await startTestService({ SERVICE_MODELS: models });
    audio = await audioOf(
      soundOf([ANN, BEN, ANN].map((voice) => voice.repeat(WORDS)).join(' '.repeat(8))),
    );
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const segmentsOf = async (speakers: boolean | undefined) => {
    const reply = await service.postJson(PATHS.asr, { audio, vad: 'segments', speakers });
    const { segments } = (await reply.json()) as AsrSegmentsReply;
    return segments.map(({ text, speaker }) => [[...new Set(text)].join(''), speaker]);
  };

  it('says in each segment who speaks, where that is asked for', async () => {
    expect(await segmentsOf(true)).toEqual([
      [ANN, 1],
      [BEN, 2],
      [ANN, 1],
    ]);
    expect((await segmentsOf(undefined)).map(([, speaker]) => speaker)).not.toContain(1);
  });

  it('says it in the form of the OpenAI API', async () => {
    const client = new OpenAI({ baseURL: `${service.service.url}/openai/v1`, apiKey: KEY });
    const reply = await client.audio.transcriptions.create({
      file: new File([Buffer.from(audio, 'base64')], 'talk.flac'),
      model: 'gpt-4o-transcribe-diarize',
      response_format: 'diarized_json',
    });
    const { segments } = reply as unknown as OpenAI.Audio.TranscriptionDiarized;
    expect(segments.map(({ speaker, text }) => [speaker, [...new Set(text)].join('')])).toEqual([
      ['A', ANN],
      ['B', BEN],
      ['A', ANN],
    ]);
  });

  it('is refused where it is too long to compare all voices', async () => {
    const long = makeWav(21 * 60, [[0, 1]], 8_000).toString('base64');
    const reply = await service.postJson(PATHS.asr, {
      audio: long,
      vad: 'segments',
      speakers: true,
    });
    expect(await failure(reply)).toMatchObject({
      status: 400,
      error: 'speakers: they are told apart in recordings of at most 20 minutes',
    });
  });

  it('is refused without segments, in which speakers are named', async () => {
    const reply = await service.postJson(PATHS.asr, { audio, speakers: true });
    expect(await failure(reply)).toMatchObject({ status: 400, name: 'ErrInvalidParameter' });
  });

  it('is refused with the way to add it where no model tells people apart', async () => {
    const models = mkdtempSync(join(tmpdir(), 'dragoman-speakers-'));
    writeTinyRecogniser(join(models, 'ears'));
    await using without = await startTestService({ SERVICE_MODELS: models });
    const reply = await without.postJson(PATHS.asr, { audio, vad: 'segments', speakers: true });
    expect(await failure(reply)).toMatchObject({
      status: 404,
      error: expect.stringMatching(
        /^No engine tells speakers apart\. Add one: .*docs\/service\.md/,
      ),
    });
  });
});
