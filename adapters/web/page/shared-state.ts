import type { PageMember, PageMessage, ServerEvent } from '../protocol.ts';

/** The server's state as one member's tabs all show it. */
export interface Shared {
  readonly me: PageMember | undefined;
  readonly readers: readonly PageMember[];
  /** The messages by id, in the order in which they were written. */
  readonly messages: ReadonlyMap<string, PageMessage>;
}

export const NOTHING_SHARED: Shared = { me: undefined, readers: [], messages: new Map() };

/** More than the server keeps, so that what is shown does not vanish while it is read. */
const MAX_MESSAGES = 500;

const withMessage = (before: Shared['messages'], message: PageMessage): Shared['messages'] => {
  const messages = new Map(before);
  const translation = message.translation ?? before.get(message.id)?.translation;
  messages.set(message.id, translation ? { ...message, translation } : message);
  const [oldest] = messages.keys();
  if (messages.size > MAX_MESSAGES && oldest !== undefined) messages.delete(oldest);
  return messages;
};

/** The changes that an event makes to what all tabs show. */
export const follow = ({ me, messages }: Shared, event: ServerEvent): Partial<Shared> => {
  switch (event.type) {
    case 'hello': {
      const { snapshot } = event;
      const all = new Map(snapshot.messages.map((each) => [each.id, each]));
      return { me: snapshot.me, readers: snapshot.readers, messages: all };
    }
    case 'message':
      return { messages: withMessage(messages, event.message) };
    case 'removed': {
      const others = new Map(messages);
      others.delete(event.id);
      return { messages: others };
    }
    case 'translation': {
      const message = messages.get(event.id);
      if (!message || event.translation.language !== me?.language) return {};
      const translated = { ...message, translation: event.translation };
      return { messages: new Map(messages).set(event.id, translated) };
    }
    case 'me':
      return { me: event.me };
    case 'readers':
      return { readers: event.readers };
    case 'forgotten':
    case 'beat':
      return {};
  }
};
