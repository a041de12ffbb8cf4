/**
 * Messages of the two WebSocket paths. Contract section 4.1 leaves their shapes open: these are the
 * ones that public clients use. JSON in text frames; unknown types and fields are ignored.
 */
import { z } from 'zod';
import { AUDIO_FORMATS } from '../../model/message.ts';
import { timedWords } from '../contract.ts';

/** Audio of recognition: signed 16-bit little-endian samples, mono. */
export const REALTIME_RATE_HZ = 16_000;
export const BYTES_PER_SAMPLE = 2;
/** Audio in one `input_audio.append`: 3,200 bytes. */
export const APPEND_MS = 100;

// Recognition: client to service

export const recognitionUpdate = z.object({
  type: z.literal('session.update'),
  session: z.object({
    input_audio_format: z.string().optional(),
    sample_rate: z.int().optional(),
    channels: z.int().optional(),
    /** A language code, or `auto`. */
    language: z.string().optional(),
    /** Expected language while `language` is `auto`. */
    default_language: z.string().optional(),
    language_detection_mode: z.enum(['utterance', 'session']).optional(),
    /** Extension: words to expect, as in section 4.5. */
    hotwords: z.array(z.string()).optional(),
    /** Extension: true for the times of words in final results. */
    words: z.boolean().optional(),
  }),
});
export type RecognitionUpdate = z.infer<typeof recognitionUpdate>;

export const audioAppend = z.object({
  type: z.literal('input_audio.append'),
  /** Base64 of whole samples. */
  audio: z.base64(),
});

// Recognition: service to client

/** A result id or utterance id, which a deployment may send as a number. */
const id = z.union([z.string(), z.number()]).transform(String);
const ids = z.array(id).optional();
// What only helps is not demanded: a result whose words are there is never lost.
const ms = z
  .number()
  .transform((value) => Math.max(0, value))
  .optional()
  .catch(undefined);
const words = z.string().optional().catch(undefined);
const number = z.number().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

const result = z.object({
  seq: number,
  utterance_id: id,
  text: z.string(),
  language: words,
  audio_start_ms: ms,
  audio_end_ms: ms,
});

export const recognitionEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.created') }),
  z.object({
    type: z.literal('speech_started'),
    utterance_id: id,
    audio_start_ms: ms,
    /** Extension: false where the text comes after the end only, for others are followed. */
    partials: flag,
  }),
  /** Extension: the text comes after the end only, though some of it may have been told. */
  z.object({ type: z.literal('partials_stopped') }),
  z.object({ type: z.literal('speech_stopped'), utterance_id: id, audio_end_ms: ms }),
  result.extend({
    type: z.literal('asr.partial_result'),
    result_id: id.optional().catch(undefined),
    /** Extension: true when the text only grows until the final. */
    stable: flag,
  }),
  result.extend({
    type: z.literal('asr.final_result'),
    result_id: id,
    /** Results that this one replaces. */
    replaces: z.union([ids, id.transform((one) => [one])]).catch(undefined),
    /** Extension: confidence from 0 to 1. */
    confidence: number,
    /** Extension: probability, from 0 to 1, that nobody speaks. */
    no_speech_prob: number,
    /** Extension: the times of its words in the audio of the connection. */
    words: timedWords,
  }),
  z.object({ type: z.literal('error'), fatal: flag }),
  z.object({
    type: z.literal('session.usage'),
    final: flag,
    usage: z.object({ final_error_count: number }).optional().catch(undefined),
  }),
]);
export type RecognitionEvent = z.infer<typeof recognitionEvent>;
export type PartialResult = Extract<RecognitionEvent, { type: 'asr.partial_result' }>;
export type FinalResult = Extract<RecognitionEvent, { type: 'asr.final_result' }>;

// Speech: client to service

export const speechUpdate = z.object({
  type: z.literal('session.update'),
  session: z.object({
    voice_id: z.string().min(1),
    format: z.enum(AUDIO_FORMATS),
    /** Omitted or 0: the default of section 4.2. */
    sample_rate: z.int().nonnegative().optional(),
    /** Audio as binary frames, or as base64 within JSON. Default: `binary`. */
    audio_transport: z.enum(['binary', 'base64_json']).optional(),
  }),
});
export type SpeechUpdate = z.infer<typeof speechUpdate>;

export const speakMessage = z.object({ type: z.literal('tts.speak'), text: z.string().min(1) });

// Speech: service to client

export const speechEvent = z.object({
  /**
   * `tts.audio.start`, `tts.audio.done`, `tts.usage`, `error` and others. A message about
   * audio with the field `audio` holds some, as base64.
   */
  type: z.string(),
  audio: words,
});

// Close codes (RFC 6455 section 7.4.1)

export const CLOSE = {
  normal: 1000,
  /** The service stops, or the client was idle. */
  away: 1001,
  unsupported: 1003,
  badData: 1007,
  refused: 1008,
  tooLarge: 1009,
  internal: 1011,
  /** Too much at once: try again later. */
  busy: 1013,
} as const;
