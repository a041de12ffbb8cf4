import type { Formality } from '../src/model/rules.ts';
import type { AsrParameters, TokenUsage, Voice } from '../src/api/contract.ts';
import type { TokenMeanings } from '../src/text/protect/meanings.ts';
import type { AppError } from '../src/errors.ts';
import type { Log } from '../src/telemetry/log.ts';
import { AUDIO_FORMATS, type SpokenWord } from '../src/model/message.ts';
import type { EngineReport } from '../src/model/service.ts';
import type { Ability, EngineConfig } from './config.ts';
import type { ChatBody } from './chat-body.ts';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

export type RequiredAbility =
  | { readonly ability: 'speech' | 'recognition' | 'diarisation' | 'chat' }
  | { readonly ability: 'translation'; readonly from: string; readonly to: string };

/** Mono sound; samples are from -1 to 1. */
export interface Sound {
  readonly sampleRateHz: number;
  readonly pcm: AsyncIterable<Float32Array>;
}

export interface SpeechEngine {
  voices(signal: AbortSignal): Promise<readonly Voice[]>;
  /**
   * Synthesises a sentence, or part of a long one. Resolves when the first samples are available.
   * `voiceId` is one of `voices`; `speed` is 1 for the voice's own, 2 for twice as fast.
   */
  speak(
    request: {
      readonly voiceId: string;
      readonly text: string;
      readonly speed: number;
      readonly temperature?: number;
      /** A description of how to speak, for engines that take one. */
      readonly instructions?: string | undefined;
    },
    signal: AbortSignal,
  ): Promise<Sound>;
}

/** Parameters that improve recognition; an engine ignores those that it cannot use. */
export type EngineHints = Pick<
  AsrParameters,
  | 'language'
  | 'hotwords'
  | 'temperature'
  | 'top_p'
  | 'frequency_penalty'
  | 'repetition_penalty'
  /** True where the times of words are wanted, which take some recognisers longer. */
  | 'words'
>;

export interface RecognisedText {
  readonly text: string;
  /** Language as the engine names it, as a code or in English; undefined when it names none. */
  readonly language?: string | undefined;
  /** Confidence from 0 to 1; undefined when the engine gives none. */
  readonly confidence?: number | undefined;
  /** Probability, from 0 to 1, that nobody speaks; undefined when the engine gives none. */
  readonly noSpeech?: number | undefined;
  /**
   * The words of `text` in their order, with their times from the start of the samples; undefined when
   * the engine gives none.
   */
  readonly words?: readonly SpokenWord[] | undefined;
  /** True where `hotwords` were given and the engine has used them. */
  readonly hotwordsUsed?: boolean | undefined;
}

/** The sample rate of the PCM that recognisers get. */
export const RECOGNITION_RATE_HZ = 16_000;

/** The text that is heard of speech while it comes; times are from the start of the stream. */
export interface StreamedText extends RecognisedText {
  /** True once it stays as it is: the recogniser found its end, and what follows is another text. */
  readonly isFinal: boolean;
  /** End of the audio that was heard. */
  readonly endMs: number;
}

export interface StreamListener {
  /** Takes the text since the last final one, whenever it changes. */
  readonly heard: (text: StreamedText) => void;
  /** Takes the reason why nothing more is heard. */
  readonly failed: (error: AppError) => void;
}

/** Speech of one person that is recognised while it comes. Disposing ends it at once. */
export interface RecognitionStream extends Disposable {
  /** Takes the next samples: mono at `RECOGNITION_RATE_HZ`. Without effect once it has failed or ended. */
  readonly feed: (samples: Float32Array) => void;
  /** Ends the speech; resolves with the text since the last final one. Rejects with an `AppError`. */
  readonly finish: () => Promise<RecognisedText>;
}

/** The ability to recognise speech while it comes. */
export interface StreamRecognition {
  /** True where a model is sure to know the language; undefined: whatever is spoken. */
  knows(language: string | undefined): boolean;
  /** True while `open` gives no stream in a language that it knows, whoever asks. Default: not known. */
  isFull?(language: string | undefined): boolean;
  /**
   * Opens a stream; undefined while as many are open as the machine keeps up with, or a model is loaded.
   *
   * @param key name of the API key with whose others it shares the streams. Default: that of all without one
   */
  open(hints: EngineHints, listener: StreamListener, key?: string): RecognitionStream | undefined;
}

export interface RecognitionEngine {
  readonly longestMs: number;
  readonly stream?: StreamRecognition | undefined;
  /** Recognises `samples`, which are mono at `RECOGNITION_RATE_HZ`. */
  recognise(
    samples: Float32Array,
    hints: EngineHints,
    signal: AbortSignal,
  ): Promise<RecognisedText>;
}

export interface EngineTranslationRequest {
  readonly text: string;
  /** Meanings of tokens such as `⟦1⟧` in `text`. */
  readonly tokens: TokenMeanings;
  readonly from: string;
  readonly to: string;
  /** Terms that must stay as they are. */
  readonly keywords: readonly string[];
  readonly context: string;
  /** The model that the client requested; an engine without it uses its own. */
  readonly model?: string | undefined;
  /** The form of address; an engine that cannot choose does as it does. */
  readonly formality?: Formality | undefined;
}

export interface TranslationPiece {
  readonly text: string;
  /** Name of the model; the same in every piece. */
  readonly model: string;
  /** Token counts, if the engine gives them; in at most one piece. */
  readonly usage?: TokenUsage;
}

export interface TranslationEngine {
  translates(from: string, to: string): boolean;
  /** Order of preference of the model that translates a pair, in place of the engine's. */
  rank?(from: string, to: string): number;
  /** True when the engine preserves a request's `keywords` itself; every engine preserves tokens such as `⟦1⟧`. */
  keepsKeywords?(request: EngineTranslationRequest): boolean;
  /** True when the engine takes a turn for each of its calls; others have one for a whole request. */
  readonly takesTurns?: boolean;
  /** Sentences that a language model gets beside the text, which no translation repeats. */
  rules?(request: EngineTranslationRequest): readonly string[];
  /**
   * Yields pieces that, joined, are the translation.
   *
   * @param turn waits for the turn of a call, which ends when the result is disposed of; see `takesTurns`
   */
  translate(
    request: EngineTranslationRequest,
    signal: AbortSignal,
    turn?: () => Promise<Disposable>,
  ): AsyncGenerator<TranslationPiece>;
}

/** A text as numbers, which are near those of texts with a like meaning. */
export interface TextVector {
  readonly vector: readonly number[];
  readonly model: string;
  /** Tokens that were read since the vector before. */
  readonly tokens: number;
}

export interface ChatEngine {
  /** Names of models that a request may name; the first is used where it names another. */
  readonly models?: readonly string[];
  /**
   * Forwards an OpenAI-compatible request and its reply unchanged. The call's turn ends with `written`, or with
   * `body` where there is none.
   */
  complete(
    request: ChatBody,
    signal: AbortSignal,
  ): Promise<{
    readonly mediaType: string;
    readonly body: AsyncIterable<Uint8Array>;
    readonly written?: Promise<void>;
  }>;
  /**
   * Yields a vector of each text, in their order. Rejects with `ErrTextTooLong` for a text that is too long for
   * the model.
   *
   * @param request.model the model that the client requested; an engine without it uses its own
   * @param turn waits for the turn of a call, which ends when the result is disposed of
   */
  embed?(
    request: { readonly texts: readonly string[]; readonly model?: string | undefined },
    signal: AbortSignal,
    turn: () => Promise<Disposable>,
  ): AsyncGenerator<TextVector>;
}

/** Time in which one person speaks. */
export interface SpeakerTurn {
  readonly startMs: number;
  readonly endMs: number;
  /** The person, from 1 in the order of their first words. */
  readonly speaker: number;
}

/** Finds out who speaks when in a recording (diarisation). */
export interface DiarisationEngine {
  readonly longestMs: number;
  /**
   * Finds the turns in `samples`, which are mono at `RECOGNITION_RATE_HZ`; in order of their starts, and they
   * may overlap.
   */
  diarise(samples: Float32Array, signal: AbortSignal): Promise<readonly SpeakerTurn[]>;
}

/** The abilities that an engine has at the moment. */
export interface EngineAbilities {
  readonly speech?: SpeechEngine;
  readonly recognition?: RecognitionEngine;
  readonly translation?: TranslationEngine;
  readonly chat?: ChatEngine;
}

/** The formats and rates of every voice: the service resamples and encodes what an engine makes. */
export const VOICE_OUTPUT = {
  formats: [...AUDIO_FORMATS],
  sample_rates: [8_000, 16_000, 24_000, 48_000],
  streaming: true,
} satisfies Partial<Voice>;

/** An engine: each file of `engines/` exports its factory as `createEngine`, a `CreateEngine` or an async one. */
export interface Engine extends AsyncDisposable {
  readonly name: string;
  readonly serves: readonly Ability[];
  /** True for a tool of developers, which no report names. */
  readonly isForDevelopers?: boolean;
  /** Order of preference: among engines with the same ability, the lowest rank is used. */
  readonly rank: number;
  /** Calls of one ability that run at the same time. */
  readonly concurrent: number;
  /** True where it is so many calls of all abilities together, which then wait in one queue. */
  readonly sharesTurns?: boolean;
  /**
   * Resolves with no abilities when a program, package or address is missing; never rejects for
   * that.
   *
   * @param needed the one ability that is asked for: an engine need not find out about others
   */
  abilities(needed?: Ability): Promise<EngineAbilities>;
  /** Resolves with what tells speakers apart, which belongs to recognition; undefined where nothing is installed. */
  diarisation?(): Promise<DiarisationEngine | undefined>;
  /** One line, or one for each of its servers. */
  report(): Promise<EngineReport | readonly EngineReport[]>;
  /** Measures what models keep up with on this machine: a line for each, as an operator reads it. */
  measure?(signal: AbortSignal): AsyncGenerator<string, void, void>;
  /** Explains in a clause how to get `need` from this engine: `set X`, `apt-get install -y Y`. */
  remedy(need: RequiredAbility): string | undefined;
}

export interface EngineContext {
  readonly config: EngineConfig;
  readonly log: Log;
}

export type CreateEngine = (context: EngineContext) => Engine;

/** Derives the same id from the same name on every machine: a UUID of version 8 (RFC 9562). */
export const stableUuid = (name: string): string => {
  const bytes = createHash('sha256').update(`dragoman ${name}`).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes
    .toString('hex', 0, 16)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** True when an optional package is installed; does not load it. */
export const isPackageInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
};
