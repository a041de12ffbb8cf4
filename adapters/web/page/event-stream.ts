import type { ServerEvent } from '../protocol.ts';

/** `lost` while the connection to the server is interrupted. */
export type LinkState = 'live' | 'lost';

export interface EventHandlers {
  readonly onEvent: (event: ServerEvent) => void;
  readonly onLink: (link: LinkState) => void;
}

/** The server sends a heartbeat every 15 s: without two of them the connection is dead. */
export const SILENCE_MS = 40_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 8_000;
/** Found from this file: a page and its worker stand in different folders, and a proxy may add another. */
const EVENTS = new URL('../events', import.meta.url).href;

/**
 * Listens to the server's events, through every interruption. Runs in a page and in a shared worker.
 * Returns the function that tries at once where the connection is closed.
 */
export const openEventStream = ({ onEvent, onLink }: EventHandlers): (() => void) => {
  let source: EventSource | undefined;
  let lastId = '';
  let retryMs = FIRST_RETRY_MS;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const again = (): void => {
    source?.close();
    clearTimeout(silence);
    clearTimeout(retry);
    onLink('lost');
    retry = setTimeout(open, retryMs);
    retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
  };

  const alive = (): void => {
    clearTimeout(silence);
    silence = setTimeout(again, SILENCE_MS);
  };

  const open = (): void => {
    clearTimeout(retry);
    source?.close();
    source = new EventSource(`${EVENTS}?last=${encodeURIComponent(lastId)}`);
    source.addEventListener('open', () => {
      retryMs = FIRST_RETRY_MS;
      onLink('live');
      alive();
    });
    source.addEventListener('error', again);
    source.addEventListener('message', (message: MessageEvent<string>) => {
      if (message.lastEventId !== '') lastId = message.lastEventId;
      alive();
      onEvent(JSON.parse(message.data) as ServerEvent);
    });
  };

  // A network that came back need not wait for the next try.
  addEventListener('online', open);
  open();
  return () => {
    if (source?.readyState === EventSource.CLOSED) open();
  };
};
