/** The speech, translation and language-model service: its paths, shapes, limits and errors. */
import { z } from 'zod';
import { FORMALITIES } from '../model/rules.ts';
import { AUDIO_FORMATS, type AudioFormat, type SpokenWord } from '../model/message.ts';

/** Paths of contract section 4.1. */
export const PATHS = {
  chat: '/openai/v1/chat/completions',
  tts: '/tts',
  voices: '/tts/voices',
  asr: '/asr/srt/audio_llm',
  translate: '/translate/',
  realtimeRecognition: '/ws/asr/realtime',
  realtimeSpeech: '/ws/tts/realtime',
} as const;

/** Path of the public API that the chat's is part of: a service may have it, though the contract does not. */
export const MODELS_PATH = '/openai/v1/models';

/**
 * Header in which a service names the fields beyond the contract that it understands, separated by
 * commas. They are sent to no other.
 */
export const EXTRA_FIELDS_HEADER = 'x-extra-fields';

/** Fields beyond the contract, by path and name. */
export const EXTRA_FIELDS = {
  /** Meanings of the tokens of `text`; see `tokenMeanings`. */
  translateTokens: 'translate.tokens',
  /** The form of address: `formal` or `informal`. */
  translateFormality: 'translate.formality',
  /** The speed of a voice; 1 is its own. */
  ttsSpeed: 'tts.speed',
  /** True for the times of words in the reply, as far as the recogniser tells them. */
  asrWords: 'asr.words',
  /** True to tell speakers apart in segments. */
  asrSpeakers: 'asr.speakers',
} as const;
export type ExtraField = (typeof EXTRA_FIELDS)[keyof typeof EXTRA_FIELDS];

/** Limits of contract section 8, each with the section that states it. */
export const SERVICE_LIMITS = {
  /**
   * Limit of `text` (4.2); the service counts Unicode characters, a deployment may configure
   * another.
   */
  ttsTextCodePoints: 5_000,
  /** Limit of `text` (4.4). */
  translateTextCodePoints: 10_000,
  /** Limit of `keywords` (4.4). */
  keywords: 20,
  keywordBytes: 100,
  /** Limit of `context` (4.4). */
  contextCodePoints: 2_000,
  /** Sample rate when `sample_rate` is omitted or 0 (4.2). */
  ttsDefaultSampleRateHz: 24_000,
  /** Range of `segment_padding` and `initial_segment_padding_ms` (4.5). */
  segmentPaddingMs: { min: 0, max: 5_000 },
} as const;

/**
 * Longest recording in which speakers are told apart, beyond the contract: each piece of voice is compared with
 * each other.
 */
export const LONGEST_SPEAKERS_MS = 20 * 60_000;

/** Prefix of every key, which is sent along (contract section 5). */
export const KEY_PREFIX = 'svck:';

/** The Content-Type of each format's reply (section 4.2 names `audio/mpeg`). */
export const MEDIA_TYPES = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  pcm: 'audio/pcm',
  flac: 'audio/flac',
} as const satisfies Record<AudioFormat, string>;

// Errors (sections 2.6 and 7)

export const errorObject = z.object({
  context: z.array(z.string()),
  code: z.int(),
  name: z.string(),
  error: z.string(),
});
export type ErrorObject = z.infer<typeof errorObject>;

// Voices (sections 2.1 and 4.3)

export const voice = z.object({
  id: z.string(),
  description: z.string(),
  /** Name of the voice, which some deployments add. */
  name: z.string().optional(),
  /** Free text: `Japanese`, `Japanese and English`, or codes. */
  language: z.string(),
  gender: z.string(),
  /** Formats of the contract and others that a deployment may add. */
  formats: z.array(z.string()),
  sample_rates: z.array(z.int()),
  streaming: z.boolean(),
});
export type Voice = z.infer<typeof voice>;

// Speech (section 4.2)

export const ttsRequest = z.object({
  /** A UUID (section 2.1), though some services list others. */
  voice_id: z.string().min(1),
  text: z.string().min(1),
  format: z.enum(AUDIO_FORMATS),
  stream: z.boolean().optional(),
  sample_rate: z.int().nonnegative().optional(),
  temperature: z.number().optional(),
});
export type TtsRequest = z.infer<typeof ttsRequest>;

// Recognition (sections 4.5, 2.4, 2.5)

const segmentPadding = z
  .int()
  .min(SERVICE_LIMITS.segmentPaddingMs.min)
  .max(SERVICE_LIMITS.segmentPaddingMs.max)
  .optional();

/** Parameters of a request without `audio`, which is streamed into the body. */
export const asrParameters = z.object({
  language: z.string().optional(),
  hotwords: z.array(z.string()).optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  frequency_penalty: z.number().optional(),
  repetition_penalty: z.number().optional(),
  vad: z
    .union([z.literal(0), z.literal('off'), z.literal(1), z.literal('on'), z.literal('segments')])
    .optional(),
  min_silence_gap: z.int().nonnegative().optional(),
  segment_padding: segmentPadding,
  initial_segment_padding_ms: segmentPadding,
  speech_pad_ms: z.int().nonnegative().optional(),
  min_segment_duration: z.number().nonnegative().optional(),
  /** The field `EXTRA_FIELDS.asrWords`. */
  words: z.boolean().optional(),
  /** The field `EXTRA_FIELDS.asrSpeakers`. */
  speakers: z.boolean().optional(),
});
export type AsrParameters = z.infer<typeof asrParameters>;

export const asrRequest = asrParameters.extend({ audio: z.base64() });

/** Defaults of the `segments` parameters (section 4.5). */
export const SEGMENT_DEFAULTS = {
  min_silence_gap: 400,
  segment_padding: 100,
  initial_segment_padding_ms: 1_500,
  speech_pad_ms: 200,
  min_segment_duration: 1.5,
} as const;

/** The language of a transcript and how certain it is; the optional fields are beside the contract's. */
const certainty = {
  /** The language that was heard; the one that was asked for where the recogniser names none. */
  language: z.string(),
  /** The language that was asked for. */
  requested_language: z.string().optional(),
  confidence: z.number(),
  /** False where the recogniser gives no confidence: then `confidence` is 1, for the contract wants a number. */
  confidence_known: z.literal(false).optional(),
  /** Probability, from 0 to 1, that nobody speaks; absent where the recogniser gives none. */
  no_speech_prob: z.number().optional(),
  /** False where hotwords were sent and the recogniser takes none. */
  hotwords_used: z.literal(false).optional(),
};

/** A word and its time in seconds; in scripts without spaces, a character or a few. */
export const asrWord = z.object({ word: z.string(), start: z.number(), end: z.number() });
export type AsrWord = z.infer<typeof asrWord>;

/** Words with times in the audio; undefined where there are none, or another kind of value. */
export const timedWords = z
  .array(asrWord)
  .min(1)
  .transform((given): readonly SpokenWord[] =>
    given.map(({ word, start, end }) => ({
      text: word,
      startMs: Math.round(1_000 * start),
      endMs: Math.round(1_000 * end),
    })),
  )
  .optional()
  .catch(undefined);

export const asrPlainReply = z.object({
  text: z.string(),
  ...certainty,
  /** Absent where they were not asked for, or the recogniser does not tell them. */
  words: z.array(asrWord).optional(),
});
export type AsrPlainReply = z.infer<typeof asrPlainReply>;

export const asrSegment = z.object({
  start: z.number(),
  end: z.number(),
  text: z.string(),
  words: z.array(asrWord).optional(),
  /** Number of the person who speaks, from 1 in the order of the first words; absent unless `speakers` was asked for. */
  speaker: z.int().positive().optional(),
});
export const asrSegmentsReply = z.object({ ...certainty, segments: z.array(asrSegment) });
export type AsrSegmentsReply = z.infer<typeof asrSegmentsReply>;

// Translation (sections 4.4, 2.2, 2.3, 6)

/** Most parts of a text that begin, or end, at one token. */
const TOKEN_PARTS = 100;
/** Longest word or phrase that a token stands for, in UTF-16 units. */
const TOKEN_WORD_LENGTH = 100;
/** Longest `tokens`, in UTF-16 units. */
export const TOKENS_LENGTH = 100_000;

/**
 * The meanings of tokens such as `⟦3⟧` in a text, by their numbers. A token ends parts of the text that
 * others begin, begins parts itself, and may stand for a word that belongs to all of these.
 */
export const tokenMeanings = z.record(
  z.string().regex(/^[1-9]\d{0,8}$/),
  z.object({
    closes: z.int().nonnegative().max(TOKEN_PARTS).optional(),
    /** A word that the token can be translated as: a name in place of a mention's, a term. */
    word: z.string().min(1).max(TOKEN_WORD_LENGTH).optional(),
    opens: z.int().nonnegative().max(TOKEN_PARTS).optional(),
  }),
);

export const translateRequest = z.object({
  text: z.string().min(1),
  source_lang: z.string().min(1),
  target_lang: z.string().min(1),
  stream: z.enum(['true', 'false']).optional(),
  keywords: z.array(z.string()).optional(),
  context: z.string().optional(),
  model: z.string().optional(),
  /** JSON of `tokenMeanings`, the field `EXTRA_FIELDS.translateTokens`. */
  tokens: z.string().max(TOKENS_LENGTH).optional(),
  /** The field `EXTRA_FIELDS.translateFormality`. */
  formality: z.enum(FORMALITIES).optional(),
});
export type TranslateRequest = z.infer<typeof translateRequest>;

export const tokenUsage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
});
export type TokenUsage = z.infer<typeof tokenUsage>;

export const translateReply = z.object({
  id: z.string(),
  object: z.literal('translation.completion'),
  created: z.int(),
  model: z.string(),
  choices: z
    .array(
      z.object({
        index: z.int(),
        message: z.object({ role: z.string(), content: z.string() }),
        finish_reason: z.string().nullable(),
      }),
    )
    .min(1),
  transcription: z.string(),
  source_lang: z.string(),
  target_lang: z.string(),
  usage: tokenUsage,
});
export type TranslateReply = z.infer<typeof translateReply>;

export const translateChunk = z.object({
  id: z.string(),
  object: z.literal('translation.completion.chunk'),
  /** Beyond the contract: as in whole replies, in the first chunk with words. */
  model: z.string().optional(),
  choices: z.array(z.object({ index: z.int(), delta: z.object({ content: z.string() }) })),
  transcription: z.string().optional(),
  source_lang: z.string().optional(),
  target_lang: z.string().optional(),
  usage: tokenUsage.nullish(),
});
export type TranslateChunk = z.infer<typeof translateChunk>;

/** Data of the last event (section 6, item 5); chat streams end the same way. */
export const STREAM_END = '[DONE]';

// Chat (section 4.1: OpenAI-compatible; the parts of that public API that are used here)

export const chatTurn = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});
export type ChatTurn = z.infer<typeof chatTurn>;

export const chatRequest = z.object({
  model: z.string().optional(),
  messages: z.array(chatTurn).min(1),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean() }).optional(),
  temperature: z.number().optional(),
  max_tokens: z.int().positive().optional(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

// Replies of chat and translations (sections 2.2, 2.3, 4.1), read leniently: servers of that public
// API leave fields out, and only what is used is demanded.

const count = z.number().nonnegative().transform(Math.round);

/** Token counts; undefined where they are missing or make no sense. */
export const usedTokens = z
  .object({ prompt_tokens: count, completion_tokens: count, total_tokens: count.nullish() })
  .transform(({ prompt_tokens, completion_tokens, total_tokens }) => ({
    prompt_tokens,
    completion_tokens,
    total_tokens: total_tokens ?? prompt_tokens + completion_tokens,
  }))
  .pipe(tokenUsage)
  .optional()
  .catch(undefined);

/** Longest name of a model, in UTF-16 units. */
const LONGEST_MODEL_CHARS = 200;
/** The name of a model; empty where there is none, or a text that is too long to be one. */
const modelName = z.string().max(LONGEST_MODEL_CHARS).catch('');

/** Why a reply ended: `stop`, `length`, `content_filter` and others. */
const finishReason = z.string().nullish().catch(undefined);

/** A reply, or a part of it; thoughts stand beside it under either name. */
const answered = {
  content: z.string().nullish(),
  reasoning_content: z.string().nullish().catch(undefined),
  reasoning: z.string().nullish().catch(undefined),
};

export const completion = z.object({
  model: modelName,
  choices: z.array(z.object({ message: z.object(answered), finish_reason: finishReason })).min(1),
  usage: usedTokens,
});
export type Completion = z.infer<typeof completion>;

export const completionChunk = z.object({
  model: modelName,
  choices: z
    .array(z.object({ delta: z.object(answered).nullish(), finish_reason: finishReason }))
    .nullish(),
  usage: usedTokens,
});
