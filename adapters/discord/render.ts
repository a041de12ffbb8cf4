import {
  ButtonStyle,
  ComponentType,
  SelectMenuDefaultValueType,
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIComponentInMessageActionRow,
} from 'discord.js';
import type { Content, Control, OutgoingFile } from '../../src/model.ts';
import { splitMarkdown } from '../../src/text/split-markdown.ts';

/** What one message of Discord shows. */
export interface Part {
  readonly content: string;
  readonly files: readonly OutgoingFile[];
  readonly rows?: readonly APIActionRowComponent<APIComponentInMessageActionRow>[];
  /** Sent as a voice message: then there is no text and just one file. */
  readonly voice?: boolean;
}

/** Characters of one message (reference, "Create Message"). */
export const CONTENT_LIMIT = 2_000;
/** Files of one message. */
export const FILES_LIMIT = 10;
const ROWS_LIMIT = 5;
const BUTTONS_LIMIT = 5;
const CHOICES_LIMIT = 25;
const LABEL_LIMIT = 80;
const CHOICE_LIMIT = 100;
const PLACEHOLDER_LIMIT = 150;
/** More than this nobody wants to scroll through: the whole text comes as a file then. */
const PARTS_LIMIT = 5;
const LONGEST_SHOWN = PARTS_LIMIT * CONTENT_LIMIT;
/** A message must show something. */
const NOTHING = '\u200B';

const blockMarkup = /^(?:```|>|#{1,3} |-# |\s*(?:[-*+]|\d{1,9}[.)]) )/;

/** Puts a mark in front of a text; on a line of its own where the text's first line is a block. */
export const inFront = (mark: string, text: string): string =>
  `${mark}${blockMarkup.test(text) ? '\n' : ' '}${text}`;

const TONES = { plain: undefined, note: 'ℹ️', error: '⚠️' } as const;

const clip = (text: string, limit: number): string =>
  text.length <= limit
    ? text
    : `${Array.from(text.slice(0, limit - 1))
        .slice(0, -1)
        .join('')}…`;

type Row = APIActionRowComponent<APIComponentInMessageActionRow>;

const LOOKS = {
  plain: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
} as const;

const rowOf = (component: APIComponentInMessageActionRow): Row => ({
  type: ComponentType.ActionRow,
  components: [component],
});

const menuOf = (control: Exclude<Control, { kind: 'button' }>): APIComponentInMessageActionRow => {
  const common = {
    custom_id: control.press,
    placeholder: clip(control.label, PLACEHOLDER_LIMIT),
  };
  if (control.kind !== 'choice') {
    const chosen = control.chosen.slice(0, CHOICES_LIMIT);
    const bounds = { min_values: 0, max_values: CHOICES_LIMIT };
    return control.kind === 'roles'
      ? {
          ...common,
          ...bounds,
          type: ComponentType.RoleSelect,
          default_values: chosen.map((id) => ({ id, type: SelectMenuDefaultValueType.Role })),
        }
      : {
          ...common,
          ...bounds,
          type: ComponentType.ChannelSelect,
          default_values: chosen.map((id) => ({ id, type: SelectMenuDefaultValueType.Channel })),
        };
  }
  const choices = control.choices.slice(0, CHOICES_LIMIT);
  return {
    ...common,
    type: ComponentType.StringSelect,
    min_values: control.most === undefined ? 1 : 0,
    max_values: Math.max(1, Math.min(control.most ?? 1, choices.length)),
    options: choices.map(({ value, label, chosen = false }) => ({
      value,
      label: clip(label, CHOICE_LIMIT),
      default: chosen,
    })),
  };
};

const rowsOf = (controls: readonly Control[]): Row[] => {
  const rows: Row[] = [];
  let buttons: APIButtonComponentWithCustomId[] | undefined;
  for (const control of controls) {
    if (control.kind !== 'button') {
      rows.push(rowOf(menuOf(control)));
      buttons = undefined;
      continue;
    }
    const button: APIButtonComponentWithCustomId = {
      type: ComponentType.Button,
      style: LOOKS[control.look ?? 'plain'],
      custom_id: control.press,
      label: clip(control.label, LABEL_LIMIT),
    };
    if (buttons && buttons.length < BUTTONS_LIMIT) buttons.push(button);
    else {
      buttons = [button];
      rows.push({ type: ComponentType.ActionRow, components: buttons });
    }
  }
  return rows.slice(0, ROWS_LIMIT);
};

export const asTextFile = (text: string): OutgoingFile => ({
  name: 'text.txt',
  mediaType: 'text/plain; charset=utf-8',
  bytes: new TextEncoder().encode(text),
});

export const voicePart = (file: OutgoingFile): Part => ({
  content: '',
  files: [file],
  voice: true,
});

/**
 * Cuts content into messages, at least one. Very long texts are shown in part, with the whole text
 * as a file. Voice notes are messages of their own at the end.
 *
 * @param voiceNotes false where no message can be a voice message: then they are plain files
 */
export const render = (content: Content, { voiceNotes = true } = {}): [Part, ...Part[]] => {
  const mark = TONES[content.tone ?? 'plain'];
  const text = mark ? inFront(mark, content.text) : content.text;
  // The end of a very long text is not cut into pieces that nobody gets to see.
  const isLong = text.length > LONGEST_SHOWN;
  const begin = isLong ? text.slice(0, LONGEST_SHOWN).toWellFormed() : text;
  const whole = splitMarkdown(begin, CONTENT_LIMIT);
  const tooMany = isLong || whole.length > PARTS_LIMIT;
  const texts = tooMany ? whole.slice(0, PARTS_LIMIT - 1) : whole;
  const given = content.files ?? [];
  const isVoice = (file: OutgoingFile): boolean => voiceNotes && file.voice !== undefined;
  const files = given.filter((file) => !isVoice(file));
  if (tooMany) files.push(asTextFile(content.text));
  const rows = rowsOf(content.controls ?? []);
  const voices = given.filter(isVoice).map(voicePart);
  const needsText = files.length > 0 || rows.length > 0 || voices.length === 0;
  const shown = texts.length > 0 || !needsText ? texts : [''];
  const parts: Part[] = shown.map((each) => ({ content: each, files: [], rows: [] }));
  for (let at = 0; at < files.length; at += FILES_LIMIT) {
    const some = files.slice(at, at + FILES_LIMIT);
    if (at > 0) parts.push({ content: '', files: some, rows: [] });
    else parts.splice(-1, 1, { ...(parts.at(-1) as Part), files: some });
  }
  if (rows.length > 0) parts.splice(-1, 1, { ...(parts.at(-1) as Part), rows });
  const [first = { content: '', files: [], rows: [] }, ...rest] = [...parts, ...voices];
  const isEmpty = !first.content && first.files.length === 0;
  return [isEmpty ? { ...first, content: NOTHING } : first, ...rest];
};
