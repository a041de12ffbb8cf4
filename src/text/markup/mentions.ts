import type { Mention, MentionKind, MentionNames } from '../../model/mention.ts';
import { plainLine } from './plain-line.ts';
import type { SpanKind } from './span.ts';
import { findSpans } from './spans.ts';

const LONGEST_NAME_CHARS = 80;
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
const scheme = /:\/\//g;

/** Somebody's name, as it may stand in Markdown. */
const inert = (name: string): string =>
  plainLine(name, LONGEST_NAME_CHARS).replaceAll(scheme, `:${INERT}//`);

const muteEverybody = (text: string): string => text.replaceAll(everybody, `@${INERT}`);

/** Works as an address still. */
const muteAddress = (address: string): string => address.replaceAll(everybody, '%40');

/** The people, roles and channels that a text names in angle brackets. */
export const mentionsIn = (text: string): readonly Mention[] =>
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
  muteEverybody(text).replaceAll(/<(?=[@#!/])/g, `<${INERT}`);

/** Code pings nobody; a fence that is never closed makes no code on every platform. */
const isCode = (kind: SpanKind, written: string): boolean =>
  kind === 'code' || (kind === 'code-block' && written.endsWith('```') && /[^`]/.test(written));

/** An address ends at a mention's bracket, yet not at a name. */
const besideAddress = /^[*_~|]*(?=<)/;
const unpinged: ReadonlySet<SpanKind> = new Set(['url', 'link', 'timestamp', 'custom-emoji']);

/**
 * Turns everything of Discord and Slack that would ping or link people, roles and channels into
 * plain text: `@Name`, `#channel`, with an invisible sign in `@everyone` and the like. Names are made
 * harmless, whatever is in them. Code and addresses stay as they are; muting twice changes nothing.
 */
export const muteMentions = (text: string, names: MentionNames = () => undefined): string => {
  let muted = '';
  let from = 0;
  let address = false;
  const plain = (part: string): string => {
    const apart = address ? part.replace(besideAddress, '$& ') : part;
    return muteEverybody(nameMentions(apart, names, inert));
  };
  for (const span of findSpans(text)) {
    const written = text.slice(span.start, span.end);
    const code = isCode(span.kind, written);
    if (!code && !unpinged.has(span.kind)) continue;
    muted += plain(text.slice(from, span.start));
    muted += code ? written : nameMentions(muteAddress(written), names, inert);
    address = span.kind === 'url';
    from = span.end;
  }
  return muted + plain(text.slice(from));
};
