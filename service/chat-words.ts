/** Fields of messages that are no words: the form of a message, and pictures and sound. */
const NO_WORDS = new Set([
  'role',
  'type',
  'image_url',
  'input_audio',
  'audio_url',
  'video_url',
  'file',
  'audio',
]);

const collect = (value: unknown, words: string[]): void => {
  if (typeof value === 'string') words.push(value);
  else if (Array.isArray(value)) for (const part of value) collect(part, words);
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) if (!NO_WORDS.has(name)) collect(part, words);
};

/** Lists every string in a message, or in a part of one, but those that are no words. */
export const messageWords = (value: unknown): readonly string[] => {
  const words: string[] = [];
  collect(value, words);
  return words;
};

/** Paths of the long strings in a request that are no words: pictures, sound and files. */
export const MEDIA_PATHS: readonly (readonly string[])[] = [
  ['image_url', 'url'],
  ['input_audio', 'data'],
  ['audio_url', 'url'],
  ['video_url', 'url'],
  ['file', 'file_data'],
].map((path) => ['messages', 'content', ...path]);
