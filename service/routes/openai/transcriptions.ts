import { z } from 'zod';
import type { AsrSegmentsReply } from '../../../src/api/contract.ts';
import { subtitlesOf } from '../../../src/text/subtitles.ts';
import { readAudioForm, type AudioForm } from '../../audio-form.ts';
import { validate } from '../../body.ts';
import type { EngineHints } from '../../engine.ts';
import { ContractError } from '../../errors.ts';
import { readLanguage } from '../../language.ts';
import { findFormat, OPENAI_FORMATS, recogniseUpload } from '../../recognise-upload.ts';
import { plainReply, segmentParameters, segmentsReply, type HeardSpan } from '../../recognise.ts';
import type { Route } from '../../route.ts';
import type { createUploadLimiter } from '../../upload-limiter.ts';
import { withAudio } from '../../uploads.ts';
import { OPENAI_PATHS } from './paths.ts';

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
): Response => {
  const { text } = plainReply(spans, hints);
  const { segments, language } = segmentsReply(spans, hints);
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
        task: 'transcribe',
        language,
        duration: segments.at(-1)?.end ?? 0,
        text,
        segments: segments.map((segment, id) => ({ id, ...segment })),
      });
  }
};

/** Creates the route of transcription in the shape of the OpenAI API, over the engines of ASR. */
export const createTranscriptions = (uploads: ReturnType<typeof createUploadLimiter>): Route => ({
  method: 'POST',
  path: OPENAI_PATHS.transcriptions,
  access: 'recognition',
  stage: 'asr',
  timeoutMs: 600_000,
  failures: { forwards: true },
  handle: async (context) => {
    const type = context.request.headers.get('content-type') ?? '';
    const readForm = (body: AsyncIterable<Uint8Array>): Promise<AudioForm> =>
      readAudioForm(type, body);
    return withAudio(uploads, context, readForm, async (form) => {
      const fields = readFields(form);
      if (!form.audio)
        throw new ContractError('ErrInvalidParameter', 'Invalid parameter: file: a file is needed');
      const hints = hintsOf(fields);
      const isPlain = fields.response_format === 'json' || fields.response_format === 'text';
      const spans = await recogniseUpload(
        {
          audio: form.audio,
          ...findFormat(form.audio, OPENAI_FORMATS),
          hints,
          speech: isPlain ? undefined : segmentParameters({}),
        },
        context,
      );
      return replyIn(fields.response_format, spans, hints);
    });
  },
});
