/** The reaction by which people ask for a translation that they alone see. */
export const ASKING_EMOJI = '🌐';

const oneEmoji = /^\p{RGI_Emoji}$/v;
/** Matches what is drawn as a picture only with a variation selector after it, unless a skin tone follows. */
const drawnAsText = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;

/** An emoji with the variation selectors that Unicode recommends (UTS #51, "fully-qualified"); undefined for all else. */
export const qualifiedEmoji = (written: string): string | undefined => {
  const qualified = written.replaceAll('\uFE0F', '').replaceAll(drawnAsText, '$&\uFE0F');
  return oneEmoji.test(qualified) ? qualified : undefined;
};
