import {
  asrParameters,
  asrRequest,
  SEGMENT_DEFAULTS,
  type AsrParameters,
} from '../../src/api/contract.ts';
import { bytesSource } from '../../src/audio/bytes.ts';
import { decodeTo } from '../../src/audio/codec/decode.ts';
import { sniff } from '../../src/audio/container/sniff.ts';
import { findSpeech, VAD_RATE_HZ } from '../../src/audio/vad.ts';
import { findLanguage } from '../../src/text/language/languages.ts';

/** A recognition request as the fake takes it, in either form of section 4.5. */
export interface Recognition {
  readonly audio: Buffer;
  readonly parameters: AsrParameters;
}

interface Part {
  readonly input_audio?: { readonly data: string };
  readonly audio_url?: { readonly url: string };
}

/** The texts of audio in the parts of `messages`. */
const audioOf = (messages: unknown): string[] =>
  (Array.isArray(messages) ? (messages as { content?: unknown }[]) : [])
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []))
    .flatMap(({ input_audio: data, audio_url: url }) => [
      ...(data ? [data.data] : []),
      ...(url ? [url.url.replace(/^data:[^,]*,/, '')] : []),
    ]);

/** Reads a request; undefined for one to which the contract has a 400. */
export const readRecognition = (json: Record<string, unknown>): Recognition | undefined => {
  const { messages } = json;
  const [audio, ...more] = 'messages' in json ? audioOf(messages) : [json['audio']];
  const byDefault = 'messages' in json ? { vad: 1 } : {};
  const parsed = asrRequest.safeParse({ ...byDefault, ...json, audio });
  if (!parsed.success || more.length > 0 || 'vad_filter' in json) return undefined;
  const { language } = parsed.data;
  if (language !== undefined && findLanguage(language) === undefined) return undefined;
  const bytes = Buffer.from(parsed.data.audio, 'base64');
  if (sniff(bytes) === undefined) return undefined;
  return { audio: bytes, parameters: asrParameters.parse(parsed.data) };
};

export interface HeardSegment {
  readonly start: number;
  readonly end: number;
  readonly text?: string;
  readonly speaker?: number;
}

/** Finds the segments of audio as section 4.5 has them, in seconds. */
export const hearSegments = async ({
  audio,
  parameters,
}: Recognition): Promise<readonly HeardSegment[]> => {
  const given = parameters.vad === 'segments' ? parameters : {};
  const of = (name: keyof typeof SEGMENT_DEFAULTS): number => given[name] ?? SEGMENT_DEFAULTS[name];
  const pcm = decodeTo(bytesSource([audio]), VAD_RATE_HZ, new AbortController().signal);
  const spans = await findSpeech(pcm, {
    minSilenceGapMs: of('min_silence_gap'),
    segmentPaddingMs: of('segment_padding'),
    initialSegmentPaddingMs: of('initial_segment_padding_ms'),
    speechPadMs: of('speech_pad_ms'),
    minSegmentDurationMs: 1_000 * of('min_segment_duration'),
  });
  return spans.map(({ startMs, endMs }) => ({ start: startMs / 1_000, end: endMs / 1_000 }));
};
