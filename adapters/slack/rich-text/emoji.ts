import names from './emoji.json' with { type: 'json' };
import { text, type Inline, type RichText } from '../../../src/rich-text/rich-text.ts';
import { map } from '../../../src/rich-text/walk.ts';
import { PLATFORM } from './atoms.ts';

const known: Readonly<Record<string, string | undefined>> = names;

const SKIN_TONES: Readonly<Record<number, string>> = {
  2: '\u{1F3FB}',
  3: '\u{1F3FC}',
  4: '\u{1F3FD}',
  5: '\u{1F3FE}',
  6: '\u{1F3FF}',
};
const skin = /[\u{1F3FB}-\u{1F3FF}]/u;
/** A person or a part of one, which takes a tone; hands that join two people take none. */
const person =
  /(?<!\u200D)(?<hands>\u{1F91D})|(?!\u{1F91D})(?<one>\p{Emoji_Modifier_Base})\uFE0F?/gu;

/** An emoji with a skin tone of Slack's, from 2 to 6; one that has a tone keeps it. */
export const withTone = (drawn: string, tone: number | undefined): string => {
  const sign = tone === undefined ? undefined : SKIN_TONES[tone];
  // The tone takes the place of the variation selector.
  return sign === undefined || skin.test(drawn)
    ? drawn
    : drawn.replaceAll(person, `$<hands>$<one>${sign}`);
};

const toned = /^(?<name>.+?)::skin-tone-(?<tone>[2-6])$/;

/** The Unicode emoji of Slack's name for it, skin tone included; undefined for custom emoji. */
export const unicodeOf = (name: string): string | undefined => {
  const groups = toned.exec(name)?.groups;
  if (!groups) return Object.hasOwn(names, name) ? known[name] : undefined;
  const plain = unicodeOf(groups['name'] ?? '');
  return plain === undefined ? undefined : withTone(plain, Number(groups['tone']));
};

/** An emoji that people reacted with, as the core names it: Unicode's, or the name of a custom one. */
export const reactionOf = (name: string): string => unicodeOf(name) ?? name;

/** A text with each emoji that is Unicode's as text, so that it is an emoji on every platform. */
export const withUnicodeEmoji = (tree: RichText): RichText =>
  map(tree, (node): Inline => {
    if (node.kind !== 'emoji' || node.platform !== PLATFORM) return node;
    const unicode = unicodeOf(node.name);
    return unicode === undefined ? node : text(unicode);
  });
