import { type AudioFormat } from '../model/file.ts';
import { type Voice } from '../api/contract.ts';
export interface VoicePreference {
  /** A voice's id, or words of its description; wins over the rest. */
  readonly named?: string;
  readonly language?: string;
  readonly gender?: string;
}

export interface SynthesisRequest extends VoicePreference {
  readonly text: string;
  /** True when the text is as `speakable` gives it, for its own language and names. */
  readonly isSpeakable?: boolean;
  /** The language that emoji and the like are spoken in; the preferred one when left out. */
  readonly readAs?: string;
  /** The first that the voice can make is used. Default: the caller takes any. */
  readonly formats?: readonly AudioFormat[];
}

export interface Speech {
  readonly voice: Voice;
  readonly format: AudioFormat;
  readonly mediaType: string;
  readonly sampleRateHz: number;
  /** The file's bytes as they come. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface Speaker {
  /** Resolves when the first bytes are there, so that a voice or format that fails is passed over. */
  speak(request: SynthesisRequest, signal: AbortSignal): Promise<Speech>;
  /** Resolves with all voices, or those that fit the preference, best first. */
  voices(preference: VoicePreference, signal: AbortSignal): Promise<readonly Voice[]>;
}
