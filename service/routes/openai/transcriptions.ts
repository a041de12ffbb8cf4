import { z } from 'zod';
import type { AsrSegmentsReply } from '../../../src/api/contract.ts';
import { detectLanguage } from '../../../src/text/language/detect.ts';
import { subtitlesOf } from '../../../src/text/subtitles.ts';
import { isBlank } from '../../../src/text/unicode.ts';
import { validate } from '../../body.ts';
import type { EngineHints } from '../../engine.ts';
import { ContractError, invalidParameter, invalidRequest } from '../../errors.ts';
import { type HeardSpan, spanLanguage } from '../../heard-spans.ts';
import { readLanguage } from '../../language.ts';
import { demandFormat, OPENAI_FORMATS, recogniseUpload } from '../../recognise-upload.ts';
import { plainReply, segmentsReply } from '../../recognise.ts';
import type { Route, RouteContext } from '../../route.ts';
import { overLegs } from '../../translation/over-legs.ts';
import { type UploadLimiter, withAudio } from '../../uploads.ts';
import { OPENAI_PATHS } from '../lists.ts';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';

/** Most fields besides the file, and the longest. */
const MAX_FIELDS = 40;
const MAX_FIELD_BYTES = 16 * 1024;

interface AudioForm {
  /** The bytes of the field `file`; undefined when there is none. */
  readonly audio: readonly Uint8Array[] | undefined;
  /** The values of the other fields, by name. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

const notAForm = (): ContractError =>
  invalidRequest('The request body must be whole multipart/form-data.');

/** Reads a form with one file as it arrives. Throws `ContractError` for anything else. */
const readAudioForm = async (
  contentType: string,
  body: AsyncIterable<Uint8Array>,
): Promise<AudioForm> => {
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(contentType)) throw notAForm();
  const fields = new Map<string, string[]>();
  let audio: Uint8Array[] | undefined;
  let isOver = false;
  const parser = new Busboy({
    headers: { 'content-type': contentType },
    limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, parts: MAX_FIELDS + 1 },
  });
  const setOver = (): void => {
    isOver = true;
  };
  parser.on('field', (name, value, _nameCut, isCut) => {
    isOver ||= isCut;
    fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  parser.on('file', (name, stream) => {
    if (name !== 'file') {
      stream.resume();
      return;
    }
    const parts: Uint8Array[] = [];
    audio = parts;
    stream.on('data', (chunk: Uint8Array) => parts.push(chunk));
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, setOver);
  try {
    await pipeline(Readable.from(body), parser);
  } catch (error) {
    throw error instanceof ContractError ? error : notAForm();
  }
  if (isOver)
    throw new ContractError('ErrRequestTooLarge', 'The form has too many or too long fields.');
  return { audio, fields };
};

const ENGLISH = 'en';

const fieldsOf = z.object({
  response_format: z.enum(['json', 'text', 'verbose_json', 'srt', 'vtt']).default('json'),
  language: z.string().min(1).optional(),
  prompt: z.string().optional(),
  temperature: z.coerce.number().min(0).max(1).optional(),
  stream: z.literal('false', { error: 'only false is supported here' }).optional(),
  timestamp_granularities: z.array(
    z.literal('segment', { error: 'only segment is supported here' }),
  ),
});
type Fields = z.infer<typeof fieldsOf>;

const readFields = ({ fields }: AudioForm): Fields => {
  const one = (name: string): string | undefined => fields.get(name)?.at(-1);
  return validate(fieldsOf, {
    response_format: one('response_format'),
    language: one('language') || undefined,
    prompt: one('prompt'),
    temperature: one('temperature'),
    stream: one('stream'),
    timestamp_granularities: fields.get('timestamp_granularities[]') ?? [],
  });
};

const hintsOf = ({ language, prompt, temperature }: Fields): EngineHints => ({
  ...(language === undefined ? {} : { language: readLanguage('language', language) }),
  ...(prompt ? { hotwords: [prompt] } : {}),
  ...(temperature === undefined ? {} : { temperature }),
});

const inMs = ({ start, end, text }: AsrSegmentsReply['segments'][number]) => ({
  startMs: start * 1_000,
  endMs: end * 1_000,
  text,
});

const replyIn = (
  format: Fields['response_format'],
  spans: readonly HeardSpan[],
  hints: EngineHints,
  task: 'transcribe' | 'translate' = 'transcribe',
): Response => {
  const { text } = plainReply(spans, hints);
  const { segments, language, requested_language } = segmentsReply(spans, hints);
  switch (format) {
    case 'json':
      return Response.json({ text });
    case 'text':
      return new Response(`${text}\n`);
    case 'srt':
    case 'vtt':
      return new Response(subtitlesOf(format, segments.map(inMs)));
    case 'verbose_json':
      return Response.json({
        task,
        language,
        requested_language,
        duration: segments.at(-1)?.end ?? 0,
        text,
        segments: segments.map((segment, id) => ({ id, ...segment })),
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
    const asked = { text, tokens: new Map(), from, to: ENGLISH, keywords: [], context: '' };
    const translation = isBlank(text) ? undefined : await overLegs(asked, context);
    const whole = await translation?.whole();
    const heard = whole ? { ...span.heard, text: whole.content, language: ENGLISH } : span.heard;
    translated.push({ ...span, heard });
  }
  return translated;
};

/** Creates a route in the shape of the OpenAI API; `translate` makes English of what was heard. */
const createRecognition = (uploads: UploadLimiter, path: string, translate: boolean): Route => ({
  method: 'POST',
  path,
  access: 'recognition',
  stage: 'asr',
  timeoutMs: 600_000,
  failures: { forwards: true },
  handle: async (context) => {
    if (translate) context.account.checkOpen('translation');
    const type = context.request.headers.get('content-type') ?? '';
    const readForm = (body: AsyncIterable<Uint8Array>): Promise<AudioForm> =>
      readAudioForm(type, body);
    return withAudio(uploads, context, readForm, async (form) => {
      const fields = readFields(form);
      if (!form.audio) throw invalidParameter('Invalid parameter: file: a file is needed');
      const hints = hintsOf(fields);
      demandFormat(form.audio, OPENAI_FORMATS);
      // The same text in every format; subtitles have no lines for silence.
      const heard = await recogniseUpload({ audio: form.audio, hints, vad: 'on' }, context);
      if (!translate) return replyIn(fields.response_format, heard, hints);
      // The language that was asked for is that of the speech.
      const { language: _, ...rest } = hints;
      return replyIn(
        fields.response_format,
        await inEnglish(heard, hints, context),
        rest,
        'translate',
      );
    });
  },
});

/** Creates the route of transcription in the shape of the OpenAI API. */
export const createTranscriptions = (uploads: UploadLimiter): Route =>
  createRecognition(uploads, OPENAI_PATHS.transcriptions, false);

/** Creates the route of transcription and translation into English in the shape of the OpenAI API. */
export const createSpeechTranslations = (uploads: UploadLimiter): Route =>
  createRecognition(uploads, OPENAI_PATHS.translations, true);
