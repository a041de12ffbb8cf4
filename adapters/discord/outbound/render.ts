import type { MirrorFile } from '../../../src/ports/mirrors.ts';
import {
  ButtonStyle,
  ComponentType,
  SelectMenuDefaultValueType,
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIComponentInMessageActionRow,
} from 'discord.js';
import { asTextFile } from '../../../src/rich-text/markdown/render.ts';
import type { Content, Control, OutgoingFile } from '../../../src/model/message.ts';
import { signedText } from '../../../src/rich-text/tone.ts';
import { shorten } from '../../../src/text/quoted-words.ts';
import { richTextPieces } from '../../../src/text/split/split-rich-text.ts';
import {
  CAPABILITIES,
  CONTENT_CHARS,
  FILES,
  OPTION_CHARS,
  PLACEHOLDER_CHARS,
  VOICE_CHANNEL_TYPES,
} from '../limits.ts';
import { renderWithMentions } from '../rich-text/render.ts';
import { isVoiceMessage } from '../files.ts';

/** One message of Discord. */
export interface Part {
  readonly content: string;
  readonly files: readonly MirrorFile[];
  readonly rows?: readonly APIActionRowComponent<APIComponentInMessageActionRow>[];
  /** Ids of the people whom it notifies when it is posted; an edit notifies nobody. Default: nobody. */
  readonly notifies?: readonly string[];
  /** Sent as a voice message: then there is no text and just one file. */
  readonly voice?: boolean;
}

/** More than this nobody wants to scroll through: the whole text comes as a file then. */
const PARTS_LIMIT = 5;
/** A message must show something. */
const NOTHING = '\u200B';

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
    placeholder: shorten(control.label, PLACEHOLDER_CHARS),
  };
  if (control.kind !== 'choice') {
    const chosen = control.chosen.slice(0, CAPABILITIES.choices);
    const bounds = control.single
      ? { min_values: 1, max_values: 1 }
      : { min_values: 0, max_values: control.most ?? CAPABILITIES.choices };
    if (control.kind === 'people')
      return {
        ...common,
        ...bounds,
        type: ComponentType.UserSelect,
        default_values: chosen.map((id) => ({ id, type: SelectMenuDefaultValueType.User })),
      };
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
          ...(control.only === 'voice' ? { channel_types: [...VOICE_CHANNEL_TYPES] } : {}),
          default_values: chosen.map((id) => ({ id, type: SelectMenuDefaultValueType.Channel })),
        };
  }
  const choices = control.choices.slice(0, CAPABILITIES.choices);
  return {
    ...common,
    type: ComponentType.StringSelect,
    min_values: control.most === undefined ? 1 : 0,
    max_values: Math.max(1, Math.min(control.most ?? 1, choices.length)),
    options: choices.map(({ value, label, chosen = false }) => ({
      value,
      label: shorten(label, OPTION_CHARS),
      default: chosen,
    })),
  };
};

/** Writes controls as rows: a menu a row, buttons side by side. */
export const rowsOf = (controls: readonly Control[]): Row[] => {
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
      label: shorten(control.label, CAPABILITIES.labelChars),
    };
    if (buttons && buttons.length < CAPABILITIES.rowButtons) buttons.push(button);
    else {
      buttons = [button];
      rows.push({ type: ComponentType.ActionRow, components: buttons });
    }
  }
  return rows.slice(0, CAPABILITIES.controlRows);
};

export const voicePart = (file: MirrorFile): Part => ({
  content: '',
  files: [file],
  voice: true,
});

const EMPTY: Part = { content: '', files: [], rows: [] };

/** Files stand with the last text; those that are too many for it come after. */
const withFiles = (texts: readonly Part[], files: readonly OutgoingFile[]): readonly Part[] => {
  const last = texts.at(-1);
  if (!last || files.length === 0) return texts;
  const parts = [...texts.slice(0, -1), { ...last, files: files.slice(0, FILES) }];
  for (let at = FILES; at < files.length; at += FILES)
    parts.push({ ...EMPTY, files: files.slice(at, at + FILES) });
  return parts;
};

const withRows = (parts: readonly Part[], rows: readonly Row[]): readonly Part[] => {
  const last = parts.at(-1);
  return last && rows.length > 0 ? [...parts.slice(0, -1), { ...last, rows }] : parts;
};

/**
 * Cuts content into messages, at least one. Very long texts are shown in part, with the whole text
 * as a file. Voice notes are messages of their own at the end.
 *
 * @param voiceNotes false where no message can be a voice message: then they are plain files
 */
export const render = (content: Content, { voiceNotes = true } = {}): [Part, ...Part[]] => {
  // The end of a very long text is not cut into pieces that nobody gets to see.
  const pieces = richTextPieces(signedText(content), {
    render: renderWithMentions,
    limit: CONTENT_CHARS,
  })
    .map(({ written }) => written)
    .take(PARTS_LIMIT + 1)
    .toArray();
  const tooMany = pieces.length > PARTS_LIMIT;
  const texts = tooMany ? pieces.slice(0, PARTS_LIMIT - 1) : pieces;
  const given = content.files ?? [];
  const isVoice = (file: OutgoingFile): boolean => voiceNotes && isVoiceMessage(file);
  const files = given.filter((file) => !isVoice(file));
  if (tooMany) files.push(asTextFile(content.text));
  const rows = rowsOf(content.controls ?? []);
  const voices = given.filter(isVoice).map(voicePart);
  const needsText = files.length > 0 || rows.length > 0 || voices.length === 0;
  const shown = texts.length > 0 || !needsText ? texts : [''];
  const bare = shown.map((each): Part => ({ content: each, files: [], rows: [] }));
  const parts = [...withRows(withFiles(bare, files), rows), ...voices];
  const [first = EMPTY, ...rest] = parts;
  const isEmpty = !first.content && first.files.length === 0;
  return [isEmpty ? { ...first, content: NOTHING } : first, ...rest];
};
