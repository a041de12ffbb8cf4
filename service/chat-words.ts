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

/** Lists every string in a message, or in a part of one, but those that are no words. */
export const messageWords = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(messageWords);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    NO_WORDS.has(name) ? [] : messageWords(part),
  );
};

/** Paths of the long strings in a request that are no words: pictures, sound and files. */
export const MEDIA_PATHS: readonly (readonly string[])[] = [
  ['image_url', 'url'],
  ['input_audio', 'data'],
  ['audio_url', 'url'],
  ['video_url', 'url'],
  ['file', 'file_data'],
].map((path) => ['messages', 'content', ...path]);
