import { USERNAME_CHARS } from '../limits.ts';
import type { Persona } from '../../../src/ports/mirrors.ts';
import { quotedWords } from '../../../src/text/quoted-words.ts';

/** The name and picture above a message, as the methods that post take them. */
export const personaOf = ({ name, avatarUrl }: Persona) => ({
  username: quotedWords(name, USERNAME_CHARS) || '…',
  ...(avatarUrl === undefined ? {} : { icon_url: avatarUrl }),
});
