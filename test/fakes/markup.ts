import { parseDiscord } from '../../adapters/discord/rich-text/parse.ts';
import { renderDiscord } from '../../adapters/discord/rich-text/render.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';

/** A tree from how Discord writes it, which is the shortest way to write one. */
export const tree = (written: string): RichText => parseDiscord(written);

/** A tree as Discord writes it, with every mention alive. */
export const written = (rich: RichText): string => renderDiscord(rich, { mayNotify: () => true });
