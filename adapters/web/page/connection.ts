import { boot } from './boot.ts';
import { type EventHandlers, openEventStream, SILENCE_MS } from './event-stream.ts';
import type { FromTab, ToTab } from './shared-stream.ts';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/** The worker's address, as browsers with trusted types want it. */
const workerUrl = (): string => {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const path = '/page/shared-stream.ts';
  const policy = trustedTypes?.createPolicy('dragoman', { createScriptURL: () => path });
  return policy?.createScriptURL('') ?? path;
};

/** Calls `look` when somebody looks at the page again, as after a phone was asleep. */
const whenSeen = (look: () => void): void =>
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') look();
  });

/** Listens through the worker that all tabs share, until it fails. */
const listenShared = (
  url: string,
  { onEvent, onLink }: EventHandlers,
  onFail: () => void,
): void => {
  let port: MessagePort | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const send = (message: FromTab): void => port?.postMessage(message);

  const leave = (): void => {
    clearTimeout(silence);
    send('leave');
    port?.close();
    port = undefined;
  };

  const join = (): void => {
    leave();
    // Tabs of another person, as after cookies were deleted, have a connection of their own.
    const worker = new SharedWorker(url, { type: 'module', name: boot.memberId });
    worker.addEventListener('error', () => {
      leave();
      onFail();
    });
    port = worker.port;
    port.addEventListener('message', ({ data }: MessageEvent<ToTab>) => {
      alive();
      if ('link' in data) onLink(data.link);
      else onEvent(data.event);
    });
    port.start();
    alive();
  };

  /** A worker that the browser has ended says nothing more: joining again starts another. */
  const alive = (): void => {
    clearTimeout(silence);
    silence = setTimeout(join, SILENCE_MS);
  };

  addEventListener('pagehide', leave);
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) join();
  });
  whenSeen(() => send('wake'));
  join();
};

/** Listens to the server's events for as long as the page is open, with one connection a browser. */
export const listenToServer = (handlers: EventHandlers): void => {
  const listenAlone = (): void => whenSeen(openEventStream(handlers));
  if (!('SharedWorker' in globalThis)) return listenAlone();
  listenShared(workerUrl(), handlers, listenAlone);
};
