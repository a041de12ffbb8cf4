/** Paths of the OpenAI API beside the contract's chat, which clients of that family expect. */
export const OPENAI_PATHS = {
  models: '/openai/v1/models',
  speech: '/openai/v1/audio/speech',
  transcriptions: '/openai/v1/audio/transcriptions',
} as const;
