import { AppError } from '../../src/errors.ts';
import type { Content } from '../../src/model/message.ts';
import type { Channel, Posted } from '../../src/model/place.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { WhileHeld } from '../../src/ports/processes.ts';
import { map } from '../../src/rich-text/walk.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { markdownOf } from './rich-text.ts';

interface Shown {
  readonly id: string;
  readonly channel: Channel;
  content: Content;
}

/** What goes wrong with messages from here on. */
export interface MessageFaults {
  /** What posting and editing reject with. */
  post: ((to: Channel, content: Content) => AppError | undefined) | undefined;
  /** Posting and editing wait for it. */
  posting: Promise<void> | undefined;
  /** What private messages reject with. */
  tell: AppError | undefined;
}

/** What the people of a place see. */
export interface SeenMessages {
  /** What stands in a channel, oldest first, `asShown`. */
  texts(of: Channel): readonly string[];
  contents(of: Channel): readonly Content[];
  /** Private messages, and tries of some. */
  readonly whispers: readonly { readonly to: string; readonly text: string }[];
  /** Every text that was ever posted or edited into a channel. */
  readonly history: readonly { readonly channel: string; readonly text: string }[];
}

/** A text as the place shows it: Markdown, with mentions by their ids. */
export const asShown = (text: RichText): string =>
  markdownOf(map(text, (node) => (node.kind === 'mention' ? { ...node, name: node.id } : node)));

/** Creates the messages of a place with voice: what is posted there and told to people. */
export const createVoiceMessages = (
  faults: MessageFaults,
): {
  readonly platform: Pick<Platform, 'tell' | 'post' | 'edit' | 'delete'>;
  readonly seen: SeenMessages;
} => {
  const shown: Shown[] = [];
  const whispers: { to: string; text: string }[] = [];
  const history: { channel: string; text: string }[] = [];

  const show = async (
    to: Channel,
    content: Content,
    { assertHeld }: WhileHeld = {},
    posted?: Posted,
  ): Promise<Posted> => {
    await faults.posting;
    assertHeld?.();
    const fault = faults.post?.(to, content);
    if (fault) throw fault;
    history.push({ channel: to.id, text: asShown(content.text) });
    const at = posted && shown.find(({ id }) => id === posted.ids[0]);
    if (posted && !at) throw new AppError('not-found', 'there is no such message');
    if (at) at.content = content;
    if (posted) return posted;
    const id = `m${history.length}`;
    shown.push({ id, channel: to, content });
    return { channel: to, ids: [id] };
  };

  const contents = (of: Channel): readonly Content[] =>
    shown.filter(({ channel }) => channel.id === of.id).map(({ content }) => content);

  return {
    platform: {
      tell: async ({ id }, { text }) => {
        whispers.push({ to: id, text: asShown(text) });
        if (faults.tell) throw faults.tell;
      },
      post: (to, content, options) => show(to, content, options),
      edit: (posted, content, options) => show(posted.channel, content, options, posted),
      delete: async ({ ids }) => {
        const at = shown.findIndex(({ id }) => id === ids[0]);
        if (at >= 0) shown.splice(at, 1);
      },
    },
    seen: {
      texts: (of) => contents(of).map(({ text }) => asShown(text)),
      contents,
      whispers,
      history,
    },
  };
};
