import { availableParallelism } from 'node:os';
import type { Child } from '../../../src/process/child.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognitionEngine,
  type StreamRecognition,
} from '../../engine.ts';
import { speakersAt, speakersText } from '../../models/machine.ts';
import { createStreamPlaces } from '../../stream-places.ts';
import type { Children } from './children.ts';
import {
  chooseRecogniser,
  codeFor,
  type InstalledRecogniser,
  languagesOf,
} from './recogniser-choice.ts';
import { createStreams, type Streams } from './streams.ts';
import type { StreamReply, StreamRequest } from './stream-worker.ts';

/**
 * Streams that a machine keeps up with: one a core before a model was measured, which a small one does with a tenth of it.
 *
 * @param realTimeFactor time that sound takes, as a share of its length
 */
export const streamsAt = (realTimeFactor: number | undefined): number =>
  realTimeFactor === undefined ? availableParallelism() : Math.max(1, speakersAt(realTimeFactor));

/** Makes sound that is loud and quiet in turns, as speech is. */
const makeNoise = (): Float32Array =>
  Float32Array.from(
    { length: 12 * RECOGNITION_RATE_HZ },
    (_, at) => 0.3 * Math.sin(at / 2_000) * Math.sin(at * at),
  );
const MOST_MEASURED = 16;

/** Chooses the streaming model for a language; undefined where none is sure to know it. */
const chooseSure = (
  recognisers: readonly InstalledRecogniser[],
  language: string | undefined,
): InstalledRecogniser | undefined => {
  const sure = recognisers.filter((one) =>
    language === undefined
      ? (languagesOf(one)?.length ?? 0) > 1
      : codeFor(one, language) !== undefined,
  );
  return chooseRecogniser(sure, language);
};

/** The language that a recogniser hears: the one that is asked for, or its only one, as far as its own are known. */
const heardLanguage = (
  recogniser: InstalledRecogniser,
  language: string | undefined,
): string | undefined => {
  const [only = language, ...others] = languagesOf(recogniser) ?? [];
  return codeFor(recogniser, language) ?? (others.length === 0 ? only : undefined);
};

/**
 * Creates what follows speech with models that stream, each in a process that lasts.
 *
 * @param mostAt streams at the same time, those of all models included, by what one takes
 */
export const createFollowing = (
  children: Children<StreamRequest, StreamReply>,
  mostAt = streamsAt,
) => {
  const byChild = new WeakMap<Child<StreamRequest, StreamReply>, Streams>();
  const places = createStreamPlaces();

  const streamsOf = ({ model }: InstalledRecogniser): Streams => {
    const child = children.of(model.config);
    const found = byChild.get(child) ?? createStreams(child);
    byChild.set(child, found);
    return found;
  };

  const mostOf = (one: InstalledRecogniser): number =>
    mostAt(streamsOf(one).realTimeFactor ?? one.realTimeFactor);

  const streamOf = (
    choose: (language: string | undefined) => InstalledRecogniser | undefined,
  ): StreamRecognition => ({
    knows: (language) => choose(language) !== undefined,
    isFull: (language) => {
      const chosen = choose(language);
      return chosen !== undefined && (streamsOf(chosen).isPaused || places.open >= mostOf(chosen));
    },
    open: ({ language }, listener, key = '') => {
      const chosen = choose(language);
      if (!chosen || streamsOf(chosen).isPaused) return undefined;
      const place = places.take(key, mostOf(chosen));
      return place && streamsOf(chosen).open(heardLanguage(chosen, language), listener, place);
    },
  });

  return {
    /** Measures how many people a streaming model follows here, and how late their last words are then. */
    measure: async (one: InstalledRecogniser, signal: AbortSignal): Promise<string> => {
      const streams = streamsOf(one);
      const code = heardLanguage(one, undefined);
      const noise = makeNoise();
      await streams.recognise(noise, code, signal);
      const factor = streams.realTimeFactor ?? 0;
      const second = noise.subarray(0, RECOGNITION_RATE_HZ);
      const startedMs = performance.now();
      await Promise.all(
        Array.from({ length: Math.min(MOST_MEASURED, streamsAt(factor)) }, async () =>
          streams.recognise(second, code, signal, true),
        ),
      );
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      return `${one.model.name} ${speakersText(factor)}, whose last words come ${seconds} s late`;
    },
    /**
     * Adds what streaming models do to the recognition by others: they follow speech, and recognise recordings in
     * languages that no other knows.
     *
     * @param others the models that `engine` recognises with; none: all is for the streaming ones
     */
    extend: (
      engine: RecognitionEngine,
      streaming: readonly InstalledRecogniser[],
      others: readonly InstalledRecogniser[],
    ): RecognitionEngine => {
      if (streaming.length === 0) return engine;
      const isAlone = others.length === 0;
      const choose = (language: string | undefined): InstalledRecogniser | undefined =>
        chooseSure(streaming, language) ??
        (isAlone ? chooseRecogniser(streaming, language) : undefined);
      return {
        ...engine,
        stream: streamOf(choose),
        recognise: async (samples, hints, signal) => {
          const { language } = hints;
          const isOthers =
            language === undefined || others.some((one) => codeFor(one, language) !== undefined);
          const chosen = isAlone || !isOthers ? choose(language) : undefined;
          if (!chosen) return engine.recognise(samples, hints, signal);
          return streamsOf(chosen).recognise(samples, heardLanguage(chosen, language), signal);
        },
      };
    },
  };
};
