import {
  type APIEmbed,
  type APIMessage,
  type APIMessageSnapshotFields,
  type APIPartialEmoji,
  type APITextDisplayComponent,
  ComponentType,
  EmbedType,
} from 'discord.js';
import { PLATFORM } from '../ids.ts';
import { parseDiscord } from '../rich-text/parse.ts';
import { bullets, lines, plainWords, sentence } from '../../../src/rich-text/compose.ts';
import {
  emoji,
  subtext,
  text,
  type Inline,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';

/** The parts of a message beside its content that hold words. */
type Shown = Pick<APIMessageSnapshotFields, 'embeds' | 'components'>;

const present = (trees: readonly RichText[]): readonly RichText[] =>
  trees.filter((tree) => tree.length > 0);

const small = (words: string | undefined): RichText => (words ? [subtext(text(words))] : []);

const embedText = ({ author, title, description, fields = [], footer }: APIEmbed): RichText =>
  lines(
    ...present([
      plainWords(author?.name ?? ''),
      ...[title, description, ...fields.flatMap(({ name, value }) => [name, value])].map((part) =>
        parseDiscord(part ?? ''),
      ),
      small(footer?.text),
    ]),
  );

/** A component as far as it is read: kinds that are not known may hold others. */
interface RawComponent {
  readonly type: ComponentType;
  readonly content?: APITextDisplayComponent['content'];
  readonly description?: string | null;
  readonly components?: readonly RawComponent[];
  readonly accessory?: RawComponent;
  readonly items?: readonly { readonly description?: string | null }[];
}

/** The words of components (reference, "Component reference"), in order; nothing for buttons and menus. */
const componentTexts = (components: readonly RawComponent[]): readonly RichText[] =>
  components.flatMap(({ type, content, description, accessory, items = [], ...within }) => [
    type === ComponentType.TextDisplay ? parseDiscord(content ?? '') : [],
    ...componentTexts(within.components ?? []),
    ...(accessory ? componentTexts([accessory]) : []),
    ...[description, ...items.map((item) => item.description)].map((words) => small(words ?? '')),
  ]);

/** The words that bots write beside a message's content: embeds, and Components V2. */
export const cardTexts = ({ embeds, components = [] }: Shown): readonly RichText[] => [
  ...embeds.filter(({ type }) => type === EmbedType.Rich).map(embedText),
  lines(...present(componentTexts(components))),
];

const emojiOf = ({ id, name, animated }: APIPartialEmoji): readonly Inline[] => {
  if (!name) return [];
  return id === null || id === undefined
    ? [text(name)]
    : [{ ...emoji(PLATFORM, id, name), ...(animated ? { animated } : {}) }];
};

export const pollText = ({ poll }: Pick<APIMessage, 'poll'>): RichText =>
  poll
    ? lines(
        plainWords(poll.question.text ?? ''),
        bullets(
          ...poll.answers.map(({ poll_media: { emoji: sign, text: words = '' } }) => {
            const drawn = sign ? emojiOf(sign) : [];
            return sentence(...drawn, drawn.length > 0 && words ? ` ${words}` : words);
          }),
        ),
      )
    : [];
