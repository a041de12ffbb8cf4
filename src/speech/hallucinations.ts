/** What recognisers write for sounds that are no speech: `[Music]`, `(applause)`, `♪`. */
const SOUND_MARKERS =
  /[[(（【*]\s*(?:music|musique|música|musik|applause|laughter|silence|noise|blank[_ ]audio|inaudible|音楽|拍手|笑い?|無音)[^\])）】*]{0,20}[\])）】*]|[♪♫♬]+/giu;

/** What was really said: the text without markers of sounds; empty when there was only sound. */
export const heardText = (text: string): string =>
  text.replaceAll(SOUND_MARKERS, ' ').replaceAll(/\s+/g, ' ').trim();
