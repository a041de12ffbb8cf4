import type { AsrParameters, TokenUsage, Voice } from '../src/api/contract.ts';
import type { Log } from '../src/log.ts';
import type { AudioFormat } from '../src/model/file.ts';
import type { ChatBody } from './chat-body.ts';
import type { EngineConfig } from './config.ts';

export type Ability = 'speech' | 'recognition' | 'translation' | 'chat';

/** What a request wants that no engine could do. */
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

/** What helps to hear better; what an engine cannot use it ignores. */
export type RecognitionHints = Pick<
  AsrParameters,
  'language' | 'hotwords' | 'temperature' | 'top_p' | 'frequency_penalty' | 'repetition_penalty'
>;

export interface RecognisedText {
  readonly text: string;
  /** As the engine says it: a code or an English name; undefined where it does not. */
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
    hints: RecognitionHints,
    signal: AbortSignal,
  ): Promise<RecognisedText>;
  /** Only where the engine reads audio files itself: spares decoding them here. */
  recogniseFile?(
    file: { readonly format: Exclude<AudioFormat, 'pcm'>; readonly chunks: readonly Uint8Array[] },
    hints: RecognitionHints,
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
  /** The model that the client wishes; an engine without it takes its own. */
  readonly model?: string | undefined;
}

export interface TranslationPiece {
  readonly text: string;
  /** As the engine names itself; the same in every piece. */
  readonly model: string;
  /** Where the engine counted; at most in one piece. */
  readonly usage?: TokenUsage;
}

export interface TranslationEngine {
  translates(from: string, to: string): boolean;
  /** Only where the engine heeds `keywords` itself; all keep tokens such as `⟦1⟧`. */
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

/** What an engine can do at this moment. */
export interface EngineAbilities {
  readonly speech?: SpeechEngine;
  readonly recognition?: RecognitionEngine;
  readonly translation?: TranslationEngine;
  readonly chat?: ChatEngine;
}

/** One line of the table of engines. */
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
  /** Where several can do the same, the lowest is asked. */
  readonly rank: number;
  /** How many calls of one ability run at the same time. */
  readonly concurrent: number;
  /** Empty when a program, package or address is missing; never rejects for that reason. */
  abilities(): Promise<EngineAbilities>;
  report(): Promise<EngineLine>;
  /** One clause that says how to get `need` from this engine: `set X`, `apt-get install -y Y`. */
  remedy(need: RequiredAbility): string | undefined;
}

export interface EngineContext {
  readonly config: EngineConfig;
  readonly log: Log;
}

export type CreateEngine = (context: EngineContext) => Engine;
