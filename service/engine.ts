import type { AsrParameters, TokenUsage, Voice } from '../src/api/contract.ts';
import type { Log } from '../src/log.ts';
import type { AudioFormat } from '../src/model/file.ts';
import type { ChatBody } from './chat-body.ts';
import type { EngineConfig } from './config.ts';

export type Ability = 'speech' | 'recognition' | 'translation' | 'chat';

/** The ability that a request needs. */
export type RequiredAbility =
  | { readonly ability: 'speech' | 'recognition' | 'chat' }
  | { readonly ability: 'translation'; readonly from: string; readonly to: string };

/** Mono sound, -1 to 1. */
export interface Sound {
  readonly sampleRateHz: number;
  readonly pcm: AsyncIterable<Float32Array>;
}

export interface SpeechEngine {
  voices(signal: AbortSignal): Promise<readonly Voice[]>;
  /** Resolves when the first sound is there. `voiceId` is one of `voices`. */
  speak(
    request: { readonly voiceId: string; readonly text: string; readonly temperature?: number },
    signal: AbortSignal,
  ): Promise<Sound>;
}

/** Parameters that improve recognition; an engine ignores those that it cannot use. */
export type EngineHints = Pick<
  AsrParameters,
  'language' | 'hotwords' | 'temperature' | 'top_p' | 'frequency_penalty' | 'repetition_penalty'
>;

export interface RecognisedText {
  readonly text: string;
  /** Named by the engine, as a code or in English; undefined where it names none. */
  readonly language?: string | undefined;
  /** 0 to 1; undefined where the engine does not say. */
  readonly confidence?: number | undefined;
}

/** The sample rate of the PCM that recognisers get. */
export const RECOGNITION_RATE_HZ = 16_000;

export interface RecognitionEngine {
  /** The longest piece it hears at once. */
  readonly longestMs: number;
  /** `samples` are mono at `RECOGNITION_RATE_HZ`. */
  recognise(
    samples: Float32Array,
    hints: EngineHints,
    signal: AbortSignal,
  ): Promise<RecognisedText>;
  /** Reads an audio file itself, which spares decoding it here; left out by engines that cannot. */
  recogniseFile?(
    file: { readonly format: Exclude<AudioFormat, 'pcm'>; readonly chunks: readonly Uint8Array[] },
    hints: EngineHints,
    signal: AbortSignal,
  ): Promise<RecognisedText>;
}

export interface EngineTranslationRequest {
  readonly text: string;
  readonly from: string;
  readonly to: string;
  /** Terms to keep as they are. */
  readonly keywords: readonly string[];
  readonly context: string;
  /** The model that the client asks for; an engine without it takes its own. */
  readonly model?: string | undefined;
}

export interface TranslationPiece {
  readonly text: string;
  /** Name of the model; the same in every piece. */
  readonly model: string;
  /** Token counts, where the engine gives them; in one piece at most. */
  readonly usage?: TokenUsage;
}

export interface TranslationEngine {
  translates(from: string, to: string): boolean;
  /** True where the engine keeps `keywords` itself; every engine keeps tokens such as `⟦1⟧`. */
  readonly keepsKeywords?: boolean;
  /** The pieces joined are the translation. */
  translate(
    request: EngineTranslationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<TranslationPiece>;
}

export interface ChatEngine {
  /** OpenAI-compatible request and reply, both as they are; the reply is not buffered. */
  complete(
    request: ChatBody,
    signal: AbortSignal,
  ): Promise<{ readonly mediaType: string; readonly body: AsyncIterable<Uint8Array> }>;
}

/** The abilities that an engine has at this moment. */
export interface EngineAbilities {
  readonly speech?: SpeechEngine;
  readonly recognition?: RecognitionEngine;
  readonly translation?: TranslationEngine;
  readonly chat?: ChatEngine;
}

/** A line of the table of engines. */
export interface EngineLine {
  readonly name: string;
  readonly serves: readonly Ability[];
  readonly ready: boolean;
  /** Ready: what it offers. Otherwise the one line that adds it. */
  readonly detail: string;
}

/** A file of `engines/` exports `createEngine`, a `CreateEngine`. */
export interface Engine extends AsyncDisposable {
  readonly name: string;
  readonly serves: readonly Ability[];
  /** Order of preference: of several engines for the same, the lowest is asked. */
  readonly rank: number;
  /** Calls of one ability that run at the same moment. */
  readonly concurrent: number;
  /**
   * Resolves with nothing when a program, package or address is missing; never rejects for that.
   */
  abilities(): Promise<EngineAbilities>;
  report(): Promise<EngineLine>;
  /** A clause that says how to get `need` from this engine: `set X`, `apt-get install -y Y`. */
  remedy(need: RequiredAbility): string | undefined;
}

export interface EngineContext {
  readonly config: EngineConfig;
  readonly log: Log;
}

export type CreateEngine = (context: EngineContext) => Engine;
