/** What recognisers write for sounds that are no speech: `[Music]`, `(applause)`, `♪`. */
const SOUND_MARKERS =
  /[[(（【*]\s*(?:(?:upbeat |soft |dramatic |background )?(?:music|musique|música|musik)(?: (?:playing|continues|fades|stops|ends))?|applause|laughter|silence|noise|blank[_ ]audio|inaudible|音楽|拍手|笑い?|無音)\s*[\])）】*]|[♪♫♬]+/giu;

/** What recognisers trained on captions invent for near-silence; nobody says it alone in a file. */
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

/** What was really said in one piece; empty when there was only sound. */
export const heardText = (text: string): string => {
  const words = text.replaceAll(SOUND_MARKERS, ' ').replaceAll(/\s+/g, ' ').trim();
  return STOCK_PHRASES.has(bare(words)) ? '' : words;
};
