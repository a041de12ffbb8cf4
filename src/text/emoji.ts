const ONE_EMOJI =
  String.raw`\p{RI}{1,2}|[0-9#*]\uFE0F?\u20E3|` +
  String.raw`\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})?(?:[\u{E0020}-\u{E007F}]{1,16})?` +
  String.raw`(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})?)*`;

/** A shortcode holds a letter or a sign, so that the middle of `10:30:45` is not one. */
const SHORTCODE = String.raw`:(?:[+-]1|\w*[a-zA-Z][\w+-]*)(?:::skin-tone-[2-6])?:`;
const CUSTOM_EMOJI = String.raw`<a?:\w{1,64}:\d{1,20}>`;

const stickyEmoji = new RegExp(ONE_EMOJI, 'uy');
const stickyShortcode = new RegExp(SHORTCODE, 'y');
const anyEmoji = new RegExp(`${CUSTOM_EMOJI}|${SHORTCODE}|${ONE_EMOJI}`, 'gu');

const MAX_SHORTCODE = 80;

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** The end of the one emoji (ZWJ sequence, flag, keycap, skin tone) that begins at `at`, or -1. */
export const emojiEnd = (text: string, at: number): number => endOf(stickyEmoji, text, at);

/** The end of the `:shortcode:` that begins at `at`, or -1. */
export const shortcodeEnd = (text: string, at: number): number => {
  const close = text.indexOf(':', at + 1);
  if (close < 0 || close - at > MAX_SHORTCODE) return -1;
  return endOf(stickyShortcode, text, at);
};

/** The text with every emoji, custom emoji and shortcode replaced by a space. */
export const withoutEmoji = (text: string): string => text.replaceAll(anyEmoji, ' ');
