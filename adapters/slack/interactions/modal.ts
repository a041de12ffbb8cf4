import { z } from 'zod';
import { ID_CHARS, INPUT_CHARS, LABEL_CHARS, PLACEHOLDER_CHARS, TITLE_CHARS } from '../limits.ts';
import { plain, type SlackBlock, type SlackElement } from '../outbound/blocks.ts';
import { optionsOf } from '../outbound/controls.ts';
import type { CommandInfo, OptionInfo } from '../../../src/model/command-info.ts';
import { freeTextOption } from '../../../src/command/command-line.ts';
import { shorten } from '../../../src/text/quoted-words.ts';

/** The callback of the modal that asks for a command's options. */
export const COMMAND_MODAL = 'command';
/** The one field of each block. */
const FIELD = 'value';

export interface ModalTexts {
  readonly submit: string;
  readonly cancel: string;
  readonly yes: string;
  readonly no: string;
}

const elementOf = (
  option: OptionInfo,
  given: unknown,
  isFreeText: boolean,
  { yes, no }: ModalTexts,
): SlackElement => {
  const { kind, choices, description, autocompletes, minimum, maximum, maxLength } = option;
  const field = { action_id: FIELD };
  const placeholder = { placeholder: plain(shorten(description, PLACEHOLDER_CHARS)) };
  const typed = typeof given === 'string' || typeof given === 'number' ? String(given) : undefined;
  if (kind === 'attachment') return { type: 'file_input', ...field, max_files: 1 };
  if (kind === 'channel')
    return { type: 'conversations_select', ...field, filter: { include: ['public', 'private'] } };
  if (kind === 'boolean' || choices) {
    const options = optionsOf(
      choices ?? [
        { value: 'true', label: yes },
        { value: 'false', label: no },
      ],
    );
    const initial = options.find(({ value }) => value === String(given));
    return {
      type: 'static_select',
      ...field,
      ...placeholder,
      options,
      ...(initial ? { initial_option: initial } : {}),
    };
  }
  if (autocompletes && !isFreeText)
    return { type: 'external_select', ...field, ...placeholder, min_query_length: 0 };
  if (kind === 'integer' || kind === 'number')
    return {
      type: 'number_input',
      ...field,
      is_decimal_allowed: kind === 'number',
      ...(minimum === undefined ? {} : { min_value: String(minimum) }),
      ...(maximum === undefined ? {} : { max_value: String(maximum) }),
      ...(typed === undefined ? {} : { initial_value: typed }),
    };
  return {
    type: 'plain_text_input',
    ...field,
    ...placeholder,
    multiline: isFreeText,
    max_length: Math.min(maxLength ?? INPUT_CHARS, INPUT_CHARS),
    ...(typed === undefined ? {} : { initial_value: typed.slice(0, INPUT_CHARS) }),
  };
};

const nameOf = ({ name, typed }: OptionInfo): string => {
  const words = (typed ?? name).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/**
 * The modal with a field for each option of a command.
 *
 * @param given the values that were typed already, by option
 * @param metadata what comes back with the submission
 */
export const commandModal = (
  command: CommandInfo,
  given: Readonly<Record<string, unknown>>,
  metadata: string,
  texts: ModalTexts,
) => {
  const free = freeTextOption(command);
  const blocks = command.options.map((option): SlackBlock => {
    const isFreeText = option === free;
    return {
      type: 'input',
      block_id: option.name.slice(0, ID_CHARS),
      label: plain(shorten(nameOf(option), LABEL_CHARS)),
      element: elementOf(option, given[option.name], isFreeText, texts),
      hint: plain(shorten(option.description, PLACEHOLDER_CHARS)),
      optional: !option.required,
    };
  });
  return {
    type: 'modal',
    callback_id: COMMAND_MODAL,
    title: plain(shorten(`/${command.name}`, TITLE_CHARS)),
    submit: plain(shorten(texts.submit, TITLE_CHARS)),
    close: plain(shorten(texts.cancel, TITLE_CHARS)),
    private_metadata: metadata,
    blocks,
  };
};

const selected = z.looseObject({ value: z.string() });
const field = z.looseObject({
  value: z.string().nullish(),
  selected_option: selected.nullish(),
  selected_conversation: z.string().nullish(),
  files: z.array(z.looseObject({ id: z.string() })).nullish(),
});

export const viewState = z.looseObject({
  values: z.record(z.string(), z.record(z.string(), field)),
});

/** The value of each option that was filled in; files by their ids. */
export const enteredValues = (
  state: z.infer<typeof viewState>,
): Readonly<Record<string, string | { readonly fileId: string }>> => {
  const entered: Record<string, string | { fileId: string }> = {};
  for (const [name, fields] of Object.entries(state.values)) {
    const found = fields[FIELD];
    const file = found?.files?.[0];
    const value = found?.value ?? found?.selected_option?.value ?? found?.selected_conversation;
    if (file) entered[name] = { fileId: file.id };
    else if (value !== undefined && value !== null && value !== '') entered[name] = value;
  }
  return entered;
};
