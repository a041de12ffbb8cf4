/** Where things that are the same in every language end. Each answers -1 where there is none. */

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

export type AngleKind = 'mention' | 'custom-emoji' | 'timestamp' | 'url' | 'labelled-url';

// The names are the kinds; a labelled link ends after its `|`, its label is for readers.
const angle = new RegExp(
  [
    String.raw`(?<timestamp>t:-?\d{1,16}(?::[a-zA-Z])?>|!date\^[^<>\n]{1,600}>)`,
    String.raw`(?<mention>(?:@[!&]?|[#!])\w[^<>\n]{0,600}>|\/[^:<>\n]{1,120}:\d{1,20}>|id:\w{1,40}>)`,
    String.raw`(?<emoji>a?:\w{1,64}:\d{1,20}>)`,
    String.raw`(?:https?:\/\/|mailto:|tel:)[^<>|\s]{1,4096}(?:(?<url>>)|(?<labelled>\|)(?=[^<>\n]{1,1000}>))`,
  ].join('|'),
  'y',
);

/** What Discord and Slack write between `<` and `>`, for the `<` at `at`. */
export const matchAngle = (
  text: string,
  at: number,
): { end: number; kind: AngleKind } | undefined => {
  angle.lastIndex = at + 1;
  const groups = angle.exec(text)?.groups;
  if (!groups) return undefined;
  const end = angle.lastIndex;
  if (groups.timestamp) return { end, kind: 'timestamp' };
  if (groups.mention) return { end, kind: 'mention' };
  if (groups.emoji) return { end, kind: 'custom-emoji' };
  return { end, kind: groups.url ? 'url' : 'labelled-url' };
};

const linkTarget =
  /\]\(<?(?:https?:\/\/|mailto:)[^\s()<>]{1,4096}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?>?(?: "[^"\n]{0,300}")?\)/y;

/** The `](address)` of a Markdown link whose `]` stands at `at`. */
export const linkTargetEnd = (text: string, at: number): number => endOf(linkTarget, text, at);

const lineMarker = /[ \t]{0,12}(?:#{1,6}|-#|>{1,3}|[-*+•])(?=[ \t]+\S)/y;

/** The heading, quote or bullet marker of the line that begins at `at`, without the space after it. */
export const lineMarkerEnd = (text: string, at: number): number => endOf(lineMarker, text, at);
