import type { StatusReply, ChannelId, PageMember, PageMessage, PageReader } from '../protocol.ts';

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

export interface PageStore {
  get(): State;
  set(change: Partial<State>): void;
  subscribe(listener: () => void): void;
  /** Tells the listeners that something they show, but that is kept elsewhere, has changed. */
  readonly touch: () => void;
}

export const createStore = (initial: State): PageStore => {
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
    get: () => state,
    set: (change) => {
      state = { ...state, ...change };
      touch();
    },
    subscribe: (listener) => {
      listeners.push(listener);
    },
    touch,
  };
};
