import type { Choice } from '../../../src/model/command-info.ts';
import type {
  ExamplesReply,
  StatusReply,
  ChannelId,
  PageMessage,
  ServerEvent,
} from '../protocol.ts';
import type { LinkState } from './event-stream.ts';
import { follow, type Shared } from './shared-state.ts';

export type Panel = 'engines' | 'models' | 'preferences' | 'shortcuts';
export type Theme = 'system' | 'light' | 'dark';

export interface State extends Shared {
  readonly link: 'connecting' | LinkState;
  readonly channel: ChannelId;
  /** Ids of messages that came while nobody looked at their channel. */
  readonly missed: ReadonlySet<string>;
  readonly panel: Panel | undefined;
  /** True while the channel list is open, where it is a drawer. */
  readonly drawer: boolean;
  readonly engines: StatusReply | 'asking' | 'failed';
  /** Undefined until the server has said which ones work. */
  readonly examples: ExamplesReply | undefined;
  /** The languages that the lounge can be read in, by name. */
  readonly languages: readonly Choice[];
  readonly theme: Theme;
  /** Lounge lines whose original is shown beneath. */
  readonly originals: boolean;
  /** True while the reader has scrolled away from the newest message. */
  readonly away: boolean;
  /** True once messages were lost with a restart of the server. */
  readonly restarted: boolean;
  /** Says why the name that was asked for is refused. */
  readonly nameFault: string | undefined;
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

/** True for a message that came while nobody looked at its channel. */
const isMissed = (state: State, { id, author, channel }: PageMessage): boolean =>
  !state.messages.has(id) &&
  author.id !== state.me?.id &&
  (channel !== state.channel || document.hidden);

/** Number of messages in a channel that nobody has looked at; removed ones do not count. */
export const unreadIn = ({ missed, messages }: State, channel: ChannelId): number =>
  [...missed].filter((id) => messages.get(id)?.channel === channel).length;

/** True where nothing is left of what was shown before. */
const isLost = ({ messages }: State, { snapshot }: ServerEvent & { type: 'hello' }): boolean =>
  messages.size > 0 && !snapshot.messages.some(({ id }) => messages.has(id));

/** The changes that an event makes to the state. */
export const apply = (state: State, event: ServerEvent): Partial<State> => {
  const shared = follow(state, event);
  if (event.type === 'hello')
    return { ...shared, restarted: state.restarted || isLost(state, event) };
  // What was said to those who listen may have been what is removed.
  if (event.type === 'removed') return { ...shared, announcement: '' };
  if (event.type !== 'message' || !isMissed(state, event.message)) return shared;
  return { ...shared, missed: new Set(state.missed).add(event.message.id) };
};
