import type { ViewOutput, ViewStateValue } from '@slack/bolt';
import { ID_CHARS, HINT_CHARS, INPUT_CHARS, TITLE_CHARS } from '../limits.ts';
import { plain, type SlackBlock, type SlackElement, optionsOf } from '../outbound/blocks.ts';
import { isRichText, type RawBlock } from '../inbound/raw-message.ts';
import { withUnicodeEmoji } from '../rich-text/atoms.ts';
import { parseSlackBlocks } from '../rich-text/parse-blocks.ts';
import { renderSlackBlocks } from '../rich-text/render-blocks.ts';
import { readTyped } from './invocations.ts';
import type { Translate } from '../../../src/i18n/texts.ts';
import type { Choice, CommandInfo, OptionInfo } from '../../../src/model/command-info.ts';
import { freeTextOption } from '../../../src/command/command-line.ts';
import type { ReduceOptions } from '../../../src/rich-text/reduce.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { shorten } from '../../../src/text/quoted-words.ts';

/** The callback of the modal that asks for a command's options. */
export const COMMAND_MODAL = 'command';
/** The one field of each block. */
const FIELD = 'value';

/** A value that was typed already. */
export type GivenValues = Readonly<Record<string, readonly Choice[]>>;

const FILE = { type: 'file_input', action_id: FIELD, max_files: 1 };

const channelElement = ([given]: readonly Choice[]): SlackElement => ({
  type: 'conversations_select',
  action_id: FIELD,
  filter: { include: ['public', 'private'] },
  ...(given ? { initial_conversation: given.value } : {}),
});

/** A menu of choices that are known, or that are looked up while people type. */
const menuElement = (
  { kind, choices, several }: OptionInfo,
  given: readonly Choice[],
  label: Translate,
): SlackElement => {
  const chosen = optionsOf(given);
  const [first] = chosen;
  if (kind === 'boolean' || choices)
    return {
      type: 'static_select',
      action_id: FIELD,
      options: optionsOf(
        choices ?? [
          { value: 'true', label: label('slack.yes') },
          { value: 'false', label: label('slack.no') },
        ],
      ),
      ...(first ? { initial_option: first } : {}),
    };
  const field = { action_id: FIELD, min_query_length: 0 };
  return several
    ? { type: 'multi_external_select', ...field, ...(first ? { initial_options: chosen } : {}) }
    : { type: 'external_select', ...field, ...(first ? { initial_option: first } : {}) };
};

/** Mentions in a field notify nobody. */
const WITH_MENTIONS: ReduceOptions = { mayNotify: () => true };

const richInput = ([given]: readonly Choice[]): SlackElement => ({
  type: 'rich_text_input',
  action_id: FIELD,
  ...(given ? { initial_value: renderSlackBlocks(readTyped(given.value), WITH_MENTIONS) } : {}),
});

const inputElement = (
  { kind, minimum, maximum, maxLength }: OptionInfo,
  [given]: readonly Choice[],
  isFreeText: boolean,
): SlackElement => {
  const initial = given ? { initial_value: given.value.slice(0, INPUT_CHARS) } : {};
  return kind === 'text'
    ? {
        type: 'plain_text_input',
        action_id: FIELD,
        multiline: isFreeText,
        max_length: Math.min(maxLength ?? INPUT_CHARS, INPUT_CHARS),
        ...initial,
      }
    : {
        type: 'number_input',
        action_id: FIELD,
        is_decimal_allowed: kind === 'number',
        ...(minimum === undefined ? {} : { min_value: String(minimum) }),
        ...(maximum === undefined ? {} : { max_value: String(maximum) }),
        ...initial,
      };
};

const elementOf = (
  option: OptionInfo,
  given: readonly Choice[],
  isFreeText: boolean,
  label: Translate,
): SlackElement => {
  const { kind, choices, autocompletes, rich } = option;
  if (kind === 'attachment') return FILE;
  if (kind === 'channel') return channelElement(given);
  if (rich) return richInput(given);
  return kind === 'boolean' || choices || autocompletes
    ? menuElement(option, given, label)
    : inputElement(option, given, isFreeText);
};

/** A description may end with a remark, in brackets or after a semicolon: it stands below the field. */
const REMARK = /^(?<label>[^(（;；]+?)\s*(?:[(（](?<inner>[^()（）]+)[)）]|[;；]\s*(?<rest>.+))$/u;

type InputBlock = Extract<SlackBlock, { type: 'input' }>;

/** The label of an option's field, and its hint. The name of an option is an English word for who types it. */
const wordsOf = (description: string): Pick<InputBlock, 'label' | 'hint'> => {
  const { label = description, inner, rest = inner } = REMARK.exec(description)?.groups ?? {};
  const hint = rest && rest.charAt(0).toUpperCase() + rest.slice(1);
  return {
    label: plain(shorten(label, HINT_CHARS)),
    ...(hint ? { hint: plain(shorten(hint, HINT_CHARS)) } : {}),
  };
};

/**
 * A modal with fields.
 *
 * @param metadata what comes back with the submission
 */
export const modalView = (
  callback: string,
  title: string,
  metadata: string,
  label: Translate,
  blocks: readonly SlackBlock[],
) => ({
  type: 'modal',
  callback_id: callback,
  title: plain(shorten(title, TITLE_CHARS)),
  submit: plain(shorten(label('slack.send'), TITLE_CHARS)),
  close: plain(shorten(label('slack.cancel'), TITLE_CHARS)),
  private_metadata: metadata,
  blocks,
});

const blockOf = ({ name }: OptionInfo): string => name.slice(0, ID_CHARS);

/** The block under which a fault of a command stands: that of its text, or the first. */
export const blockFor = (command: CommandInfo): string => {
  const about = freeTextOption(command) ?? command.options[0];
  return about ? blockOf(about) : '';
};

/**
 * The modal with a field for each option of a command.
 *
 * @param given the values that were typed already, by option; several where the option takes several
 * @param metadata what comes back with the submission
 */
export const commandModal = (
  command: CommandInfo,
  given: GivenValues,
  metadata: string,
  label: Translate,
) => {
  const free = freeTextOption(command);
  const blocks = command.options.map((option): SlackBlock => {
    const isFreeText = option === free;
    return {
      type: 'input',
      block_id: blockOf(option),
      ...wordsOf(option.description),
      element: elementOf(option, given[option.name] ?? [], isFreeText, label),
      optional: !option.required,
    };
  });
  const { title = command.summary } = command;
  const whole: SlackBlock[] =
    title === command.summary ? [] : [{ type: 'section', text: plain(command.summary) }];
  return modalView(COMMAND_MODAL, title, metadata, label, [...whole, ...blocks]);
};

/** A value that was entered: words, a text in Slack's markup, or a file by its id. */
export type Entered = string | RichText | { readonly fileId: string };

const valueOf = (found: ViewStateValue): Entered | undefined => {
  const [file] = found.files ?? [];
  if (file) return { fileId: file.id };
  const block = found.rich_text_value as RawBlock | null | undefined;
  if (block && isRichText(block)) {
    const tree = withUnicodeEmoji(parseSlackBlocks(block));
    return plainText(tree).trim() === '' ? undefined : tree;
  }
  const several = found.selected_options?.map(({ value }) => value).join(', ');
  const written =
    found.value ?? found.selected_option?.value ?? found.selected_conversation ?? several;
  return written || undefined;
};

/** The value of each option that was filled in. */
export const enteredValues = (state: ViewOutput['state']): Readonly<Record<string, Entered>> => {
  const entered: Record<string, Entered> = {};
  for (const [name, fields] of Object.entries(state.values)) {
    const found = fields[FIELD];
    const value = found && valueOf(found);
    if (value !== undefined) entered[name] = value;
  }
  return entered;
};
