/** Paths of the OpenAI API beside the contract's chat, which clients of that family expect. */
export const OPENAI_PATHS = {
  speech: '/openai/v1/audio/speech',
  transcriptions: '/openai/v1/audio/transcriptions',
} as const;
