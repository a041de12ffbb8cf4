/** The shared worker that holds the one connection of all tabs: a browser opens only six to a server. */
import type { ServerEvent } from '../protocol.ts';
import { type LinkState, openEventStream } from './event-stream.ts';
import { follow, NOTHING_SHARED, type Shared } from './shared-state.ts';

export type ToTab = { readonly event: ServerEvent } | { readonly link: LinkState };

/** A message from a tab: it is closed, or it became visible. */
export type FromTab = 'leave' | 'wake';

const tabs = new Set<MessagePort>();
let link: LinkState | undefined;
let shared: Shared = NOTHING_SHARED;

const post = (tab: MessagePort, message: ToTab): void => tab.postMessage(message, []);

const tell = (message: ToTab): void => {
  for (const tab of tabs) post(tab, message);
};

const wake = openEventStream({
  onEvent: (event) => {
    shared = { ...shared, ...follow(shared, event) };
    tell({ event });
  },
  onLink: (next) => {
    link = next;
    tell({ link });
  },
});

/** Sends a new tab the state that the others show. */
const sendState = (tab: MessagePort): void => {
  const { me, readers, messages } = shared;
  if (link) post(tab, { link });
  if (!me) return;
  const snapshot = { me, readers, messages: [...messages.values()] };
  post(tab, { event: { type: 'hello', snapshot } });
};

addEventListener('connect', (event) => {
  const [tab] = (event as MessageEvent).ports;
  if (!tab) return;
  tab.addEventListener('message', ({ data }: MessageEvent<FromTab>) => {
    if (data === 'wake') wake();
    else tabs.delete(tab);
  });
  tab.start();
  tabs.add(tab);
  sendState(tab);
});
