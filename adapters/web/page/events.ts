import type { ServerEvent, PageMessage } from '../protocol.ts';
import type { State } from './store.ts';

/** More than the server keeps, so that what is shown does not vanish while it is read. */
const MAX_MESSAGES = 500;

const withMessage = (state: State, message: PageMessage): Partial<State> => {
  const messages = new Map(state.messages);
  const before = messages.get(message.id);
  const translation = message.translation ?? before?.translation;
  messages.set(message.id, translation ? { ...message, translation } : message);
  const [oldest] = messages.keys();
  if (messages.size > MAX_MESSAGES && oldest !== undefined) messages.delete(oldest);
  const missed =
    !before &&
    message.author.id !== state.me?.id &&
    (message.channel !== state.channel || document.hidden);
  const unread = missed
    ? { ...state.unread, [message.channel]: state.unread[message.channel] + 1 }
    : state.unread;
  return { messages, unread };
};

const unknown = (event: never): Partial<State> => event;

/** The changes that an event makes to the state. */
export const apply = (state: State, event: ServerEvent): Partial<State> => {
  switch (event.type) {
    case 'hello': {
      const { me, readers, messages } = event.snapshot;
      return { me, readers, messages: new Map(messages.map((each) => [each.id, each])) };
    }
    case 'message':
      return withMessage(state, event.message);
    case 'removed': {
      const messages = new Map(state.messages);
      messages.delete(event.id);
      return { messages };
    }
    case 'translation': {
      const message = state.messages.get(event.id);
      if (!message || event.translation.language !== state.me?.language) return {};
      const translated = { ...message, translation: event.translation };
      return { messages: new Map(state.messages).set(event.id, translated) };
    }
    case 'me':
      return { me: event.me };
    case 'readers':
      return { readers: event.readers };
    case 'beat':
      return {};
    default:
      return unknown(event);
  }
};
