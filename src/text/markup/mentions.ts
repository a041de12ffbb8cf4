import type { MentionedId, MentionKind, MentionNames } from '../../model/mention.ts';

/** What stands for somebody unknown; platforms do not say more either. */
const UNKNOWN = '?';
/** Zero width: whoever reads the text sees the name, no platform reads a mention. */
const INERT = '\u200B';

const KINDS: Readonly<Record<string, MentionKind>> = {
  '@': 'member',
  '@!': 'member',
  '@&': 'role',
  '#': 'channel',
  '!subteam^': 'role',
};
const angle =
  /<(?:(?<sign>@[!&]?|#|!subteam\^)(?<id>\w+)(?:\|[@#]?(?<label>[^<>]*))?|!(?<all>here|channel|everyone)(?:\|[^<>]*)?|(?<command>\/[^:<>]*):\d+|id:(?<place>\w+))>/g;
const everybody = /@(?=everyone|here|channel)/gi;

/** The people, roles and channels that a text names in angle brackets. */
export const mentionsIn = (text: string): readonly MentionedId[] =>
  [...text.matchAll(angle)].flatMap(({ groups: { sign, id } = {} }) =>
    id === undefined ? [] : [{ kind: KINDS[sign ?? ''] ?? 'member', id }],
  );

/** Names for what Discord and Slack write in angle brackets, each as `write` has it. */
export const nameMentions = (
  text: string,
  names: MentionNames,
  write: (name: string) => string,
): string =>
  text.replaceAll(angle, (...found) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const { sign = '', id = '', label, all, command, place } = groups;
    if (all) return `@${all}`;
    if (command) return write(command);
    if (place) return `#${write(place)}`;
    const kind = KINDS[sign] ?? 'member';
    const name = write(names(kind, id) ?? label ?? '') || UNKNOWN;
    return `${kind === 'channel' ? '#' : '@'}${name}`;
  });

/** For plain text: whatever platforms would read as a mention gets an invisible sign within. */
export const muteLeftovers = (text: string): string =>
  text.replaceAll(everybody, `@${INERT}`).replaceAll(/<(?=[@#!/])/g, `<${INERT}`);
