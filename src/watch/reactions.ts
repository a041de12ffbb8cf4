import type { MessageRef } from '../model.ts';
import type { SpaceChoices } from '../services.ts';
import { languageOfFlag } from '../text/flags.ts';

/** The language that a reaction stands for in a space; undefined where it stands for none. */
export const languageOfReaction = (
  emoji: string,
  { flags }: Pick<SpaceChoices, 'flags'>,
): string | undefined => (flags.on ? (flags.languages[emoji] ?? languageOfFlag(emoji)) : undefined);

/** Rows that reactions asked for are done by themselves: nobody waits for those before them. */
export const flagLane = ({ channel, id }: MessageRef): string => `flag:${channel.id}:${id}`;
