import { z } from 'zod';
import {
  asrPlainReply,
  asrRequest,
  asrSegmentsReply,
  asrParameters,
  PATHS,
  type AsrParameters,
} from '../../src/api/contract.ts';
import { readAudioBody, type AudioBody, type AudioBytes } from '../audio-body.ts';
import { validate } from '../body.ts';
import { invalidParameter } from '../errors.ts';
import { readLanguage } from '../language.ts';
import { demandFormat, recogniseUpload, type RecognitionInput } from '../recognise-upload.ts';
import type { Vad } from '../recognise-recording.ts';
import { plainReply, segmentParameters, segmentsReply } from '../recognise.ts';
import type { Route } from '../route.ts';
import { type UploadLimiter, withAudio } from '../uploads.ts';

/**
 * The `messages` form of recognition, whose shape the contract does not show (section 4.5, rule 2):
 * that of the OpenAI chat API. Its texts are instructions to a chat model, so they are no hints.
 */
const messagesForm = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([
        z.string(),
        z.null(),
        z.array(
          z.looseObject({
            input_audio: z
              .looseObject({ data: z.string(), format: z.string().nullish() })
              .nullish(),
            audio_url: z.looseObject({ url: z.string() }).nullish(),
          }),
        ),
      ]),
    }),
  ),
});

/** The single audio of a request in the `messages` form. Throws a 400 for none and for several. */
const audioOfMessages = ({ fields, audio, parts }: AudioBody): AudioBytes => {
  const { messages } = validate(messagesForm, fields);
  if (audio) throw invalidParameter('Send either audio or messages, not both.');
  const declared = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap(({ input_audio: data, audio_url: url }) => [data, url])
    .filter((part) => part !== undefined && part !== null);
  const [found, ...more] = parts;
  if (!found || more.length > 0 || declared.length !== 1)
    throw invalidParameter(
      `messages: exactly one content part with input_audio or audio_url is needed, ${Math.max(declared.length, parts.length)} were sent`,
    );
  return found;
};

const checkForm = (fields: unknown): Record<string, unknown> => {
  const given = validate(z.looseObject({ model: z.string().optional() }), fields);
  if ('vad_filter' in given)
    throw invalidParameter('vad_filter is not supported; the field is vad.');
  return given;
};

const vadOf = (vad: NonNullable<AsrParameters['vad']>, input: AsrParameters): Vad => {
  if (vad === 'segments') return segmentParameters(input);
  return vad === 1 || vad === 'on' ? 'on' : 'off';
};

const readInput = (body: AudioBody): RecognitionInput => {
  const given = checkForm(body.fields);
  const isMessages = 'messages' in given;
  const audio = isMessages ? audioOfMessages(body) : body.audio;
  if (!audio) throw invalidParameter('Invalid parameter: audio: a string is needed');
  const input = validate(asrParameters, given);
  const { vad = isMessages ? 1 : 'off' } = input;
  demandFormat(audio);
  const { speakers, language, ...others } = input;
  if (speakers && vad !== 'segments')
    throw invalidParameter('speakers: they are named in segments; send vad: "segments".');
  const named = language === undefined ? {} : { language: readLanguage('language', language) };
  return { audio, hints: { ...others, ...named }, vad: vadOf(vad, input), speakers };
};

/** Creates the route of contract section 4.5. */
export const createAsr = (uploads: UploadLimiter): Route => ({
  method: 'POST',
  path: PATHS.asr,
  summary: 'Text of a recording; with `vad` at `segments`, in parts with their times.',
  body: { 'application/json': z.union([asrRequest, asrParameters.extend(messagesForm.shape)]) },
  reply: { 'application/json': z.union([asrPlainReply, asrSegmentsReply]) },
  access: 'recognition',
  stage: 'asr',
  timeoutMs: 600_000,
  handle: async (context) =>
    withAudio(uploads, context, readAudioBody, async (body) => {
      const input = readInput(body);
      const spans = await recogniseUpload(input, context);
      const reply = typeof input.vad === 'object' ? segmentsReply : plainReply;
      return Response.json(reply(spans, input.hints));
    }),
});
