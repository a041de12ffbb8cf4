import type { RichTextBlock } from '../rich-text/blocks.ts';
import type { Control } from '../../../src/model/message.ts';
import { shorten } from '../../../src/text/quoted-words.ts';
import { CAPABILITIES, LABEL_CHARS, OPTIONS, PLACEHOLDER_CHARS, VALUE_CHARS } from '../limits.ts';

/**
 * The blocks of Slack's Block Kit that are written here:
 * https://docs.slack.dev/reference/block-kit/blocks
 */

export interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji?: boolean;
}

export interface MrkdwnText {
  readonly type: 'mrkdwn';
  readonly text: string;
  readonly verbatim?: boolean;
}

export interface Option {
  readonly text: PlainText;
  readonly value: string;
}

export type SlackElement = Readonly<Record<string, unknown>> & { readonly type: string };

export type SlackBlock =
  | RichTextBlock
  | { readonly type: 'context'; readonly elements: readonly (PlainText | MrkdwnText)[] }
  | {
      readonly type: 'actions';
      readonly block_id?: string;
      readonly elements: readonly SlackElement[];
    }
  | {
      readonly type: 'section';
      readonly block_id?: string;
      readonly text: PlainText | MrkdwnText;
      readonly accessory?: SlackElement;
    }
  | { readonly type: 'header'; readonly text: PlainText }
  | {
      readonly type: 'image';
      readonly alt_text: string;
      readonly slack_file: { readonly id: string };
    }
  | {
      readonly type: 'input';
      readonly block_id: string;
      readonly label: PlainText;
      readonly element: SlackElement;
      readonly hint?: PlainText;
      readonly optional?: boolean;
    };

/** Words that are never markup; emoji in colons stay words. */
export const plain = (text: string): PlainText => ({ type: 'plain_text', text, emoji: false });

type Choices = Extract<Control, { kind: 'choice' }>['choices'];

/** Options that Slack takes: unique values, labels that are not empty. */
export const optionsOf = (
  choices: readonly { readonly value: string; readonly label: string }[],
): readonly Option[] => {
  const byValue = new Map<string, Option>();
  for (const { value, label } of choices)
    if (value !== '' && value.length <= VALUE_CHARS && !byValue.has(value))
      byValue.set(value, { text: plain(shorten(label, LABEL_CHARS) || value), value });
  return [...byValue.values()].slice(0, OPTIONS);
};

const chosenOf = (choices: Choices, options: readonly Option[]): readonly Option[] => {
  const chosen = new Set(choices.filter((each) => each.chosen).map(({ value }) => value));
  return options.filter(({ value }) => chosen.has(value));
};

const button = ({ press, label, look }: Extract<Control, { kind: 'button' }>): SlackElement => ({
  type: 'button',
  action_id: press,
  text: plain(shorten(label, CAPABILITIES.labelChars)),
  ...(look === 'primary' || look === 'danger' ? { style: look } : {}),
});

const placeholder = (label: string) => ({ placeholder: plain(shorten(label, PLACEHOLDER_CHARS)) });

/** A menu in a row of its own: of several options it has to be beside a text. */
const menu = (control: Exclude<Control, { kind: 'button' }>): SlackBlock | undefined => {
  const { press, label } = control;
  const common = { action_id: press, ...placeholder(label) };
  // Slack has no roles.
  const filter = { include: ['public', 'private'], exclude_bot_users: true };
  if (control.kind === 'channels' && control.single)
    return { type: 'actions', elements: [{ ...common, type: 'conversations_select', filter }] };
  if (control.kind === 'roles') return undefined;
  if (control.kind !== 'choice') {
    const [type, initial] =
      control.kind === 'people'
        ? (['multi_users_select', 'initial_users'] as const)
        : (['multi_conversations_select', 'initial_conversations'] as const);
    return {
      type: 'section',
      text: plain(label),
      accessory: {
        ...common,
        type,
        ...(control.kind === 'channels' ? { filter } : {}),
        ...(control.chosen.length > 0 ? { [initial]: control.chosen } : {}),
      },
    };
  }
  const options = optionsOf(control.choices);
  if (options.length === 0) return undefined;
  const chosen = chosenOf(control.choices, options);
  const [first] = chosen;
  if (control.most === undefined)
    return {
      type: 'actions',
      elements: [
        { ...common, type: 'static_select', options, ...(first ? { initial_option: first } : {}) },
      ],
    };
  return {
    type: 'section',
    text: plain(label),
    accessory: {
      ...common,
      type: 'multi_static_select',
      options,
      max_selected_items: control.most,
      ...(first ? { initial_options: chosen.slice(0, control.most) } : {}),
    },
  };
};

/** Writes controls as blocks: a menu a row, buttons side by side. */
export const controlBlocks = (controls: readonly Control[] = []): readonly SlackBlock[] => {
  const rows: SlackBlock[] = [];
  let buttons: SlackElement[] = [];
  const flush = (): void => {
    if (buttons.length > 0) rows.push({ type: 'actions', elements: buttons });
    buttons = [];
  };
  for (const control of controls) {
    if (control.kind === 'button') {
      if (buttons.length === CAPABILITIES.rowButtons) flush();
      buttons.push(button(control));
      continue;
    }
    flush();
    const row = menu(control);
    if (row) rows.push(row);
  }
  flush();
  return rows.slice(0, CAPABILITIES.controlRows);
};
