import { z } from 'zod';
import { asrParameters, PATHS, type AsrParameters } from '../../src/api/contract.ts';
import { readAudioBody, type AudioBody } from '../audio-body.ts';
import { audioOfMessages } from '../audio-messages.ts';
import { validate } from '../body.ts';
import type { EngineHints } from '../engine.ts';
import { ContractError } from '../errors.ts';
import { readLanguage } from '../language.ts';
import { findFormat, recogniseUpload, type RecognitionInput } from '../recognise-upload.ts';
import { plainReply, segmentParameters, segmentsReply } from '../recognise.ts';
import type { Route } from '../route.ts';
import type { createUploadLimiter } from '../upload-limiter.ts';
import { withAudio } from '../uploads.ts';

const checkForm = (fields: unknown): Record<string, unknown> => {
  const given = validate(z.looseObject({ model: z.string().optional() }), fields);
  if ('vad_filter' in given)
    throw new ContractError(
      'ErrInvalidParameter',
      'vad_filter is not supported; the field is vad.',
    );
  return given;
};

const readHints = (input: AsrParameters): EngineHints =>
  input.language === undefined
    ? input
    : { ...input, language: readLanguage('language', input.language) };

const readInput = (
  body: AudioBody,
): RecognitionInput & { readonly vad: NonNullable<AsrParameters['vad']> } => {
  const given = checkForm(body.fields);
  const isMessages = 'messages' in given;
  const audio = isMessages ? audioOfMessages(body) : body.audio;
  if (!audio)
    throw new ContractError('ErrInvalidParameter', 'Invalid parameter: audio: a string is needed');
  const input = validate(asrParameters, given);
  const { vad = isMessages ? 1 : 'off' } = input;
  return {
    audio,
    ...findFormat(audio),
    hints: readHints(input),
    vad,
    speech:
      vad === 'off' || vad === 0 ? undefined : segmentParameters(vad === 'segments' ? input : {}),
  };
};

/** Creates the route of contract section 4.5. */
export const createAsr = (uploads: ReturnType<typeof createUploadLimiter>): Route => ({
  method: 'POST',
  path: PATHS.asr,
  access: 'recognition',
  stage: 'asr',
  timeoutMs: 600_000,
  failures: { forwards: true },
  handle: async (context) =>
    withAudio(uploads, context, readAudioBody, async (body) => {
      const { vad, ...input } = readInput(body);
      const spans = await recogniseUpload(input, context);
      return Response.json(
        vad === 'segments' ? segmentsReply(spans, input.hints) : plainReply(spans, input.hints),
      );
    }),
});
