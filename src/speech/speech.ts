import type { AudioFormat } from '../model/message.ts';
import type { Voice } from '../api/contract.ts';
import type { Asker } from '../model/service.ts';
import type { Space } from '../model/place.ts';
import type { RichText } from '../rich-text/rich-text.ts';

export interface VoicePreference {
  /** A voice's id, or words of its description; overrides the gender. */
  readonly named?: string | undefined;
  readonly language?: string | undefined;
  readonly gender?: string | undefined;
}

export interface SynthesisRequest extends VoicePreference, Asker {
  /** Rich text is made speakable; a string is spoken as it is. */
  readonly text: RichText | string;
  /** The language in which emoji and the like are spoken. Default: the preferred one. */
  readonly readAs?: string | undefined;
  /** Accepted formats: the first that the voice supports is used. Default: any. */
  readonly formats?: readonly AudioFormat[];
}

export interface Speech {
  readonly voice: Voice;
  readonly format: AudioFormat;
  readonly mediaType: string;
  readonly sampleRateHz: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface Speaker {
  /** Resolves when the first bytes are there, so that a voice or format that fails is skipped. */
  speak(request: SynthesisRequest, signal: AbortSignal): Promise<Speech>;
  /** Resolves with all voices that a space has, or with those that fit the preference, best first. */
  voices(preference: VoicePreference, space: Space, signal: AbortSignal): Promise<readonly Voice[]>;
}
