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
  const path = new URL('shared-stream.ts', import.meta.url).href;
  const policy = trustedTypes?.createPolicy('dragoman', { createScriptURL: () => path });
  return policy?.createScriptURL('') ?? path;
};

/** Calls the function when the page becomes visible again, such as after a phone was locked. */
const onVisible = (call: () => void): void =>
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') call();
  });

/** Listens through the worker that all tabs share, until it fails. */
const listenShared = (
  url: string,
  { onEvent, onLink }: EventHandlers,
  onFail: () => void,
): void => {
  let port: MessagePort | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let hasFailed = false;
  const send = (message: FromTab): void => port?.postMessage(message);

  const leave = (): void => {
    clearTimeout(silence);
    send('leave');
    port?.close();
    port = undefined;
  };

  const join = (): void => {
    leave();
    // Named by member: tabs of another one, such as after cookies were deleted, do not share it.
    const worker = new SharedWorker(url, { type: 'module', name: boot.memberId });
    worker.addEventListener('error', () => {
      hasFailed = true;
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

  /** Joins again after a silence: the browser may have ended the worker, and joining starts another. */
  const alive = (): void => {
    clearTimeout(silence);
    silence = setTimeout(join, SILENCE_MS);
  };

  addEventListener('pagehide', leave);
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && !hasFailed) join();
  });
  onVisible(() => send('wake'));
  join();
};

/** Listens to the server's events for as long as the page is open, with one connection a browser. */
export const listenToServer = (handlers: EventHandlers): void => {
  const listenAlone = (): void => onVisible(openEventStream(handlers));
  if (!('SharedWorker' in globalThis)) return listenAlone();
  listenShared(workerUrl(), handlers, listenAlone);
};
