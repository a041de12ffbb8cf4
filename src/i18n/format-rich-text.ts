import { PART_TYPE, type IntlMessageFormat } from 'intl-messageformat';
import type { RichPart } from '../rich-text/compose.ts';
import { code, ownCommand, text, type Inline, type RichText } from '../rich-text/rich-text.ts';
import { map } from '../rich-text/walk.ts';
import { parseMarkdown } from '../rich-text/markdown/parse.ts';
import { fillSlots, plainValue, SLOT } from '../rich-text/pieces/fill-slots.ts';

export type RichValue = RichPart | number;

/** A value as the format sees it: choices are made by its words, and it stays itself. */
class Slot {
  readonly value: RichPart;

  constructor(value: RichPart) {
    this.value = value;
  }

  toString(): string {
    return plainValue(this.value);
  }
}

/** The names of our commands, by those that people type. */
export type OwnCommands = ReadonlyMap<string, string>;

/** Code that names one of our commands as a mention of it, an option behind it as code. */
const pressable =
  (commands: OwnCommands) =>
  (node: Inline): Inline | readonly Inline[] => {
    const { typed = '', option } =
      (node.kind === 'code' &&
        /^\/(?<typed>[^:]+?)(?: (?<option>[^ :]+:))?$/.exec(node.text)?.groups) ||
      {};
    const command = commands.get(typed);
    if (command === undefined) return node;
    const named = ownCommand(command, typed);
    return option === undefined ? named : [named, text(' '), code(option)];
  };

/**
 * Says a sentence written in Markdown. Only what stands in the sentence itself is markup: a value's
 * words are words, and nodes and trees (mentions, code, quotes of others) stand where they are named.
 * `plural` and `select` see the values as they are.
 *
 * @param commands those that the sentence names, and no value, are mentions. Default: they are code
 */
export const formatRich = (
  format: IntlMessageFormat,
  params: Readonly<Record<string, RichValue>> = {},
  commands?: OwnCommands,
): RichText => {
  const slots = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : new Slot(value),
    ]),
  );
  const values: RichPart[] = [];
  let sentence = '';
  for (const part of format.formatToParts<Slot>(slots))
    if (part.type === PART_TYPE.literal) sentence += part.value.replaceAll(SLOT, '');
    else {
      values.push(part.value instanceof Slot ? part.value.value : String(part.value));
      sentence += SLOT;
    }
  const tree = parseMarkdown(sentence);
  return fillSlots(commands ? map(tree, pressable(commands)) : tree, values);
};
