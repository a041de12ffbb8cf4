import { z } from 'zod';
import { detectLanguage } from '../../../src/text/language/detect.ts';
import { sameLanguage } from '../../../src/text/language/languages.ts';
import { subtitlesOf } from '../../../src/text/subtitles.ts';
import { isBlank } from '../../../src/text/unicode.ts';
import { validate } from '../../body.ts';
import type { EngineHints } from '../../engine.ts';
import { invalidParameter } from '../../errors.ts';
import { type HeardSpan, spanLanguage, wordsOfSpans } from '../../heard-spans.ts';
import { readLanguage } from '../../language.ts';
import { demandFormat, OPENAI_FORMATS, recogniseUpload } from '../../recognise-upload.ts';
import { plainReply, segmentsReply } from '../../recognise.ts';
import type { Route, RouteContext } from '../../route.ts';
import { overLegs } from '../../translation/over-legs.ts';
import { type UploadLimiter, withAudio } from '../../uploads.ts';
import { OPENAI_PATHS } from '../lists.ts';
import { type AudioForm, readAudioForm } from './audio-form.ts';
import { streamTranscript } from './transcript-stream.ts';

const ENGLISH = 'en';

const fieldsOf = z.object({
  response_format: z
    .enum(['json', 'text', 'verbose_json', 'diarized_json', 'srt', 'vtt'])
    .default('json'),
  language: z.string().min(1).optional(),
  prompt: z.string().optional(),
  temperature: z.coerce.number().min(0).max(1).optional(),
  stream: z.enum(['true', 'false']).optional(),
  'timestamp_granularities[]': z.array(z.enum(['segment', 'word'])).default([]),
});
/** Formats that are streamed: the others are no text before all is heard. */
const STREAMED: ReadonlySet<string> = new Set(['json', 'text']);
type Fields = z.infer<typeof fieldsOf>;

const readFields = ({ fields }: AudioForm, translate: boolean): Fields => {
  const last = [...fields].map(([name, values]) => [name, values.at(-1)] as const);
  const given = validate(fieldsOf, {
    ...Object.fromEntries(last.filter(([name, value]) => name !== 'language' || value)),
    'timestamp_granularities[]': ['[]', ''].flatMap(
      (end) => fields.get(`timestamp_granularities${end}`) ?? [],
    ),
  });
  if (given.stream === 'true' && (translate || !STREAMED.has(given.response_format)))
    throw invalidParameter(
      translate
        ? 'stream: only false is supported here'
        : 'stream: only json and text are streamed; leave stream or response_format out',
    );
  return given;
};

const hintsOf = ({
  language,
  prompt,
  temperature,
  response_format: format,
  'timestamp_granularities[]': wanted,
}: Fields): EngineHints => ({
  ...(language === undefined ? {} : { language: readLanguage('language', language) }),
  ...(prompt ? { hotwords: [prompt] } : {}),
  ...(temperature === undefined ? {} : { temperature }),
  words: format === 'srt' || format === 'vtt' || wanted.includes('word'),
});

const captionOf = (span: HeardSpan) => ({
  startMs: span.startMs,
  endMs: span.endMs,
  text: span.heard.text,
  words: wordsOfSpans([span]),
});

/** Speakers as that API names those who are not known: A, B, C … */
const speakerName = (number = 1): string =>
  number <= 26 ? String.fromCodePoint('A'.codePointAt(0)! + number - 1) : String(number);

const replyIn = (
  format: Fields['response_format'],
  spans: readonly HeardSpan[],
  hints: EngineHints,
  task: 'transcribe' | 'translate' = 'transcribe',
): Response => {
  const { text, words, hotwords_used } = plainReply(spans, hints);
  const { segments, language, requested_language } = segmentsReply(spans, hints);
  const duration = segments.at(-1)?.end ?? 0;
  const parts = segments.map(({ start, end, text: said }) => ({ start, end, text: said }));
  switch (format) {
    case 'json':
      return Response.json({ text, hotwords_used });
    case 'text':
      return new Response(`${text}\n`);
    case 'srt':
    case 'vtt':
      return new Response(subtitlesOf(format, spans.map(captionOf)));
    case 'diarized_json':
      return Response.json({
        task,
        duration,
        text,
        segments: segments.map(({ speaker }, id) => ({
          type: 'transcript.text.segment',
          id: `seg_${id}`,
          ...parts[id],
          speaker: speakerName(speaker),
        })),
      });
    case 'verbose_json':
      return Response.json({
        task,
        language,
        requested_language,
        duration,
        text,
        hotwords_used,
        segments: parts.map((part, id) => ({ id, ...part })),
        words,
      });
  }
};

/** Translates what was heard into English, a part at a time; parts of unknown languages stay. */
const inEnglish = async (
  spans: readonly HeardSpan[],
  { language }: EngineHints,
  context: RouteContext,
): Promise<readonly HeardSpan[]> => {
  const translated: HeardSpan[] = [];
  for (const span of spans) {
    const { text } = span.heard;
    const from = spanLanguage(span) ?? language ?? detectLanguage(text)?.language ?? ENGLISH;
    if (isBlank(text) || sameLanguage(from, ENGLISH)) {
      translated.push(span);
      continue;
    }
    const asked = { text, tokens: new Map(), from, to: ENGLISH, keywords: [], context: '' };
    const { content } = await (await overLegs(asked, context)).whole();
    const { words: _, ...rest } = span.heard;
    translated.push({ ...span, heard: { ...rest, text: content, language: ENGLISH } });
  }
  return translated;
};

/** Creates a route in the shape of the OpenAI API; `translate` makes English of what was heard. */
const createRecognition = (uploads: UploadLimiter, translate: boolean): Route => ({
  method: 'POST',
  path: translate ? OPENAI_PATHS.translations : OPENAI_PATHS.transcriptions,
  summary: translate
    ? 'English text of a recording, in the form of the OpenAI API.'
    : 'Text of a recording, in the form of the OpenAI API.',
  body: { 'multipart/form-data': fieldsOf.extend({ file: z.file() }) },
  reply: {
    'application/json': undefined,
    'text/plain': undefined,
    ...(translate ? {} : { 'text/event-stream': undefined }),
  },
  access: 'recognition',
  stage: 'asr',
  timeoutMs: 600_000,
  handle: async (context) => {
    if (translate) context.account.checkOpen('translation');
    const type = context.request.headers.get('content-type') ?? '';
    const readForm = (body: AsyncIterable<Uint8Array>): Promise<AudioForm> =>
      readAudioForm(type, body);
    const answer = async (form: AudioForm, send: (reply: Response) => void): Promise<void> => {
      const fields = readFields(form, translate);
      if (!form.audio) throw invalidParameter('Invalid parameter: file: a file is needed');
      const hints = hintsOf(fields);
      demandFormat(form.audio, OPENAI_FORMATS);
      // The same text in every format; subtitles have no lines for silence.
      const speakers = fields.response_format === 'diarized_json';
      const input = { audio: form.audio, hints, vad: 'on', speakers } as const;
      if (fields.stream === 'true') return streamTranscript(input, context, send);
      const heard = await recogniseUpload(input, context);
      if (!translate) return send(replyIn(fields.response_format, heard, hints));
      // The language that was asked for is that of the speech.
      const { language: _, ...rest } = hints;
      const english = await inEnglish(heard, hints, context);
      send(replyIn(fields.response_format, english, rest, 'translate'));
    };
    const reply = Promise.withResolvers<Response>();
    // The audio's memory is held until a stream has ended.
    withAudio(uploads, context, readForm, async (form) => answer(form, reply.resolve)).catch(
      reply.reject,
    );
    return reply.promise;
  },
});

/** Creates the routes of transcription, also into English, in the shape of the OpenAI API. */
export const createTranscriptions = (uploads: UploadLimiter): readonly Route[] =>
  [false, true].map((translate) => createRecognition(uploads, translate));
