import names from './emoji.json' with { type: 'json' };
import { text, type Inline, type RichText } from '../../../src/model/rich-text.ts';
import { map } from '../../../src/model/walk-rich-text.ts';
import { PLATFORM } from './atoms.ts';

const known: Readonly<Record<string, string | undefined>> = names;

const toned = /^(?<name>.+?)::skin-tone-(?<tone>[2-6])$/;

/** The Unicode emoji of Slack's name for it, skin tone included; undefined for custom emoji. */
export const unicodeOf = (name: string): string | undefined => {
  const groups = toned.exec(name)?.groups;
  if (!groups) return Object.hasOwn(names, name) ? known[name] : undefined;
  const plain = unicodeOf(groups['name'] ?? '');
  const tone = known[`skin-tone-${groups['tone']}`];
  // The tone follows the first sign, in place of its variation selector.
  return plain?.replace(/^(?<sign>.)\uFE0F?/u, `$<sign>${tone}`);
};

/** A text with each emoji that is Unicode's as text, so that it is an emoji on every platform. */
export const withUnicodeEmoji = (tree: RichText): RichText =>
  map(tree, (node): Inline => {
    if (node.kind !== 'emoji' || node.platform !== PLATFORM) return node;
    const unicode = unicodeOf(node.name);
    return unicode === undefined ? node : text(unicode);
  });
