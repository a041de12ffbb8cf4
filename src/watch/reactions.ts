import type { MessageRef } from '../model.ts';
import type { SpaceChoices } from '../services.ts';
import { languageOfFlag } from '../text/flags.ts';

const PREFIX = 'flag:';

/** What a row is for that a reaction asked for. */
export const flagPurpose = (language: string): string => `${PREFIX}${language}`;

/** The language that a row's reaction asked for; undefined for rows of watched channels. */
export const flaggedLanguage = (purpose: string): string | undefined =>
  purpose.startsWith(PREFIX) ? purpose.slice(PREFIX.length) : undefined;

/** The language that a reaction stands for in a space; undefined where it stands for none. */
export const languageOfReaction = (
  emoji: string,
  { flags }: Pick<SpaceChoices, 'flags'>,
): string | undefined => (flags.on ? (flags.languages[emoji] ?? languageOfFlag(emoji)) : undefined);

/** Rows that reactions asked for are done by themselves: nobody waits for those before them. */
export const flagLane = ({ channel, id }: MessageRef): string => `flag:${channel.id}:${id}`;
