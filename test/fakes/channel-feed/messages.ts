import { AppError } from '../../../src/errors.ts';
import type { Author, Control, Message } from '../../../src/model/message.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';

export const OURSELVES: Author = { id: 'dragoman', name: 'Dragoman', kind: 'ourselves' };

/** A message, and of ours what it mirrors. */
export interface StoredMessage {
  readonly message: Message;
  readonly mirror?: Mirror;
  readonly controls?: readonly Control[];
}

export const positionOf = (id: string): string => id.padStart(20, '0');

/** The messages of all channels, each channel's oldest first. */
export const createMessages = () => {
  const channels = new Map<string, StoredMessage[]>();
  let last = 0;

  const shownIn = ({ id }: Channel): StoredMessage[] => {
    const shown = channels.get(id) ?? [];
    channels.set(id, shown);
    return shown;
  };
  const find = ({ channel: { id: place }, id }: MessageRef): StoredMessage | undefined =>
    channels.get(place)?.find(({ message }) => message.ref.id === id);

  return {
    shownIn,
    find,
    /** The name of a person who has written something. */
    nameOf: (personId: string): string | undefined =>
      [...channels.values()].flat().find(({ message: { author } }) => author.id === personId)
        ?.message.author.name,
    /** An id of something that is no message. */
    newId: (): string => {
      last += 1;
      return String(last);
    },
    put: (
      to: Channel,
      part: Partial<Message> & Pick<Message, 'author'>,
      mirror?: Mirror,
    ): Message => {
      last = Math.max(last + 1, Date.now());
      const id = String(last);
      const message: Message = {
        ref: { channel: to, id },
        position: positionOf(id),
        text: [],
        files: [],
        stickers: [],
        ...part,
      };
      shownIn(to).push({ message, ...(mirror ? { mirror } : {}) });
      return message;
    },
    replace: (ref: MessageRef, text: RichText, mirror?: Mirror): Message => {
      const shown = find(ref);
      if (!shown) throw new AppError('not-found', 'there is no such message');
      const message = { ...shown.message, text, edited: true };
      const all = shownIn(ref.channel);
      all[all.indexOf(shown)] = { message, ...(mirror ? { mirror } : {}) };
      return message;
    },
    remove: (ref: MessageRef): void => {
      const all = shownIn(ref.channel);
      channels.set(
        ref.channel.id,
        all.filter(({ message }) => message.ref.id !== ref.id),
      );
    },
  };
};

export type Messages = ReturnType<typeof createMessages>;
