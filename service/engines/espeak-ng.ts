import { samplesOfS16le } from '../../src/audio/pcm.ts';
import { AppError } from '../../src/errors.ts';
import { createChild } from '../../src/process/child.ts';
import { type CreateEngine, type SpeechEngine, isPackageInstalled } from '../engine.ts';
import { KANA_PACKAGE } from './espeak-ng/kana.ts';
import { PACKAGE, describeVoices, toMarkup, type KnownVoice } from './espeak-ng/voices.ts';
import type { EspeakReply, EspeakRequest } from './espeak-ng/worker.ts';

const NAME = 'espeak-ng';

/**
 * Longest time of a call: a sentence takes about 5 ms; the first call also loads 24 MB of voices in
 * about 0.3 s.
 */
const CALL_TIMEOUT_MS = 15_000;

/** Calls of one child: the library's memory grows by about 64 MB in 2,000 calls. */
const CALLS_PER_CHILD = 1_000;
const IDLE_MS = 2 * 60_000;

/**
 * Creates the engine for local speech synthesis in about 140 languages, whose library must run in a
 * separate process for its licence.
 */
export const createEngine: CreateEngine = ({ log }) => {
  const child = createChild<EspeakRequest, EspeakReply>({
    name: NAME,
    file: new URL('./espeak-ng/worker.ts', import.meta.url),
    log,
    callTimeoutMs: CALL_TIMEOUT_MS,
    callsPerChild: CALLS_PER_CHILD,
    idleMs: IDLE_MS,
  });
  const ready = isPackageInstalled(PACKAGE);
  const readsKanji = isPackageInstalled(KANA_PACKAGE);

  let known: Promise<ReadonlyMap<string, KnownVoice>> | undefined;
  const voicesById = (): Promise<ReadonlyMap<string, KnownVoice>> => {
    // Shared by all callers, so that one caller's abort does not end it for the others.
    known ??= child
      .call({ kind: 'voices' }, new AbortController().signal)
      .then((reply) => describeVoices('voices' in reply ? reply.voices : [], readsKanji));
    known.catch(() => {
      known = undefined;
    });
    return known;
  };

  const speech: SpeechEngine = {
    voices: async () => [...(await voicesById()).values()].map(({ voice }) => voice),
    speak: async ({ voiceId, text, speed }, signal) => {
      const voice = (await voicesById()).get(voiceId);
      if (!voice) throw new AppError('not-found', 'no such voice');
      const reply = await child.call(
        { kind: 'speak', voice: voice.espeakName, markup: toMarkup(text), speed },
        signal,
      );
      if (!('pcm' in reply)) throw new AppError('bad-reply', `${NAME} sent no sound`);
      return {
        sampleRateHz: reply.sampleRateHz,
        pcm: (async function* () {
          yield samplesOfS16le(reply.pcm);
        })(),
      };
    },
  };

  return {
    name: NAME,
    serves: ['speech'],
    rank: 3,
    // One process, which makes one call at a time.
    concurrent: 1,
    abilities: async () => (ready ? { speech } : {}),
    report: async () => ({
      name: NAME,
      serves: ['speech'],
      ready,
      detail: ready
        ? `${(await voicesById()).size} voices, 5 formats${readsKanji ? '' : `; for kanji: npm install --include=optional, which adds ${KANA_PACKAGE}`}`
        : `npm install --include=optional, which adds ${PACKAGE}`,
    }),
    remedy: ({ ability }) =>
      ability === 'speech' ? 'run npm install --include=optional' : undefined,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
};
