/** What recognisers write for sounds that are no speech: `[Music]`, `(applause)`, `♪`. */
const SOUND_MARKERS =
  /[[(（【*]\s*(?:(?:(?:upbeat|soft|dramatic|background|audience|crowd|loud) )?(?:music|musique|música|musik|applause|laughter|silence|noise)(?: (?:playing|continues|fades|stops|ends))?|blank[_ ]audio|inaudible|音楽|拍手|笑い?|無音)\s*[\])）】*]|[♪♫♬]+/giu;

/** What recognisers trained on captions invent for near-silence, without being sure of it. */
const STOCK_PHRASES = new Set([
  'thanks for watching',
  'thank you for watching',
  'please subscribe',
  'like and subscribe',
  'subtitles by the amara org community',
  'ご視聴ありがとうございました',
  'チャンネル登録お願いします',
]);

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Less sure than this, a stock phrase is taken for invented. */
const SURE = 0.6;

/** What was really said in one piece; empty when there was only sound. `confidence`: 0 to 1. */
export const heardText = (text: string, confidence = 1): string => {
  const words = text.replaceAll(SOUND_MARKERS, ' ').replaceAll(/\s+/g, ' ').trim();
  return confidence < SURE && STOCK_PHRASES.has(bare(words)) ? '' : words;
};
