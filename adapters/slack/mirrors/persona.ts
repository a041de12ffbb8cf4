import { USERNAME_CHARS } from '../limits.ts';
import { APP_NAME } from '../manifest.ts';
import type { ScopeChoice } from '../scopes.ts';
import type { Mirror, Persona } from '../../../src/ports/mirrors.ts';
import { quotedWords } from '../../../src/text/quoted-words.ts';

const VIA = ` (via ${APP_NAME})`;

/** The name and picture above a mirror; undefined for the app's own. */
export const personaIn = (
  { as }: Pick<Mirror, 'as'>,
  names: ScopeChoice['names'] = 'author',
): Persona | undefined => {
  if (!as || names === 'app') return undefined;
  if (names === 'author') return as;
  // However long a name is, it says what posted it ("Slack Marketplace guidelines").
  return { ...as, name: `${quotedWords(as.name, USERNAME_CHARS - VIA.length) || '…'}${VIA}` };
};
