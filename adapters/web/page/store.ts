import type {
  StatusReply,
  ChannelId,
  PageMember,
  PageMessage,
  PageReader,
  ServerEvent,
} from '../protocol.ts';

export type Panel = 'engines' | 'preferences' | 'shortcuts';
export type Theme = 'system' | 'light' | 'dark';

export interface State {
  /** `lost` once the server has not been heard of for a moment. */
  readonly link: 'connecting' | 'live' | 'lost';
  readonly me: PageMember | undefined;
  readonly readers: readonly PageReader[];
  /** The messages by id, in the order in which they were written. */
  readonly messages: ReadonlyMap<string, PageMessage>;
  readonly channel: ChannelId;
  readonly unread: Readonly<Record<ChannelId, number>>;
  readonly panel: Panel | undefined;
  /** True while the channel list is open, where it is a drawer. */
  readonly drawer: boolean;
  readonly engines: StatusReply | 'asking' | 'failed';
  readonly theme: Theme;
  /** Lounge lines whose original is shown beneath. */
  readonly originals: boolean;
  /** True while the reader has scrolled away from the newest message. */
  readonly away: boolean;
  /** Said to those who listen instead of looking. */
  readonly announcement: string;
  /** The message whose control was pressed, until it stands anew. */
  readonly pressed: string | undefined;
}

export const createStore = (initial: State) => {
  let state = initial;
  let scheduled = false;
  const listeners: (() => void)[] = [];

  const touch = (): void => {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      for (const listener of listeners) listener();
    });
  };

  return {
    get: (): State => state,
    set: (change: Partial<State>): void => {
      state = { ...state, ...change };
      touch();
    },
    subscribe: (listener: () => void): void => {
      listeners.push(listener);
    },
    /** Tells the listeners that something they show, but that is kept elsewhere, has changed. */
    touch,
  };
};

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
      // What was said to those who listen may have been this.
      return { messages, announcement: '' };
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
    case 'forgotten':
    case 'beat':
      return {};
    default:
      return unknown(event);
  }
};
