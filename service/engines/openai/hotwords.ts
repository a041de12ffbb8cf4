/**
 * A prompt as Whisper writes: a sentence. After bare names it goes on without capitals and stops, and
 * repeats them.
 */
export const promptOf = (hotwords: readonly string[]): string => {
  const list = hotwords.join(', ').trim();
  const sentence = list.charAt(0).toUpperCase() + list.slice(1);
  return /[.!?。！？…]$/u.test(sentence) ? sentence : `${sentence}.`;
};
