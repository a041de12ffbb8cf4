/**
 * The parts of the service's replies that are used. Deployments leave out, rename and add fields:
 * only what is used is demanded, and everything else may be missing, null or of another kind. The
 * whole shapes are in `contract.ts`.
 */
import { z } from 'zod';

const words = z.string().catch('');

const model = z.object({ id: z.string() });

/**
 * Ids of the models in the reply of `GET /openai/v1/models` of that public API; entries without one
 * are left out, unless no other is there.
 */
export const modelIds = z
  .object({ data: z.array(z.unknown()) })
  .transform(({ data }, { issues }) => {
    const ids = data.flatMap((entry) => model.safeParse(entry).data?.id ?? []);
    if (ids.length === 0 && data.length > 0)
      issues.push({ code: 'custom', message: 'no entry has an id', input: data });
    return ids;
  });

// Recognition (contract sections 2.4, 2.5)

/** Confidence of a recogniser that gives none. */
const UNKNOWN_CONFIDENCE = 1;

const recognised = {
  language: words,
  confidence: z.number().min(0).max(1).catch(UNKNOWN_CONFIDENCE),
};

export const recognisedText = z.object({ text: z.string(), ...recognised });
export type PlainTranscript = z.infer<typeof recognisedText>;

export const recognisedSegments = z.object({
  segments: z.array(z.object({ start: z.number(), end: z.number(), text: z.string() })),
  ...recognised,
});
export type SegmentedTranscript = z.infer<typeof recognisedSegments>;

// Voices (contract sections 2.1, 4.3)

export const usableVoice = z.object({
  id: z.string(),
  description: words,
  /** Free text: `Japanese`, `Japanese and English`, or codes. */
  language: words,
  gender: words,
  /** Formats of the contract and others that a deployment may add. */
  formats: z.array(z.string()),
  sample_rates: z.array(z.int()).catch([]),
  streaming: z.boolean().catch(false),
});

/**
 * Reply with the voices, or the bare array; the entries are checked one by one, so that an invalid
 * one does not invalidate the others.
 */
export const voiceList = z.union([
  z.object({ voices: z.array(z.unknown()) }),
  z.array(z.unknown()).transform((voices) => ({ voices })),
]);
